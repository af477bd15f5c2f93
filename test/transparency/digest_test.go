//go:build linux

package transparency

import (
	"crypto/sha256"
	"fmt"
	"io"
)

// short replaces long outputs by their length and hash.
func short(o outcome) outcome {
	for _, s := range []*string{&o.Stdout, &o.Stderr} {
		if len(*s) > 4096 {
			*s = fmt.Sprintf("%d bytes, sha256 %x", len(*s), sha256.Sum256([]byte(*s)))
		}
	}
	return o
}

func hash(r io.Reader) (sum [8]byte, n int64) {
	h := sha256.New()
	n, _ = io.Copy(h, r) // a terminal's end is an error
	copy(sum[:], h.Sum(nil))
	return sum, n
}
