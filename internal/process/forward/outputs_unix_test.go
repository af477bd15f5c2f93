//go:build unix

package forward

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOutputs: whatever the output is, and however small the pieces the command writes and the reader takes, all bytes
// arrive, and the onlooker sees the same.
func TestOutputs(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) (reader, writer *os.File){
		"pipe": plainPipe,
		"socket": func(t *testing.T) (reader, writer *os.File) {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			if err != nil {
				t.Fatal(err)
			}
			return os.NewFile(uintptr(fds[0]), "reader"), os.NewFile(uintptr(fds[1]), "writer")
		},
		"named pipe": func(t *testing.T) (reader, writer *os.File) {
			path := filepath.Join(t.TempDir(), "fifo")
			if err := unix.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			both, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer both.Close()
			if reader, err = os.Open(path); err != nil {
				t.Fatal(err)
			}
			if writer, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
				t.Fatal(err)
			}
			return reader, writer
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader, writer := open(t)
			defer reader.Close()
			in, child, err := Pipe()
			if err != nil {
				t.Fatal(err)
			}
			var seen bytes.Buffer
			p := Pump{In: in, Out: int(writer.Fd()), Exited: -1, Onlooker: func(b []byte, _ time.Time) { seen.Write(b) }}
			sent := make([]byte, 1<<20)
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range sent {
				sent[i] = byte(rng.Uint32())
			}
			go func() {
				defer unix.Close(child)
				for rest := sent; len(rest) > 0; {
					n := min(1+int(rng.ExpFloat64()*900), len(rest))
					if _, err := unix.Write(child, rest[:n]); err != nil {
						t.Error(err)
						return
					}
					rest = rest[n:]
				}
			}()
			ended := make(chan Result, 1)
			go func() {
				ended <- p.Run()
				unix.Close(in)
				writer.Close()
			}()
			var got bytes.Buffer
			if _, err := io.CopyBuffer(struct{ io.Writer }{&got}, struct{ io.Reader }{reader}, make([]byte, 777)); err != nil {
				t.Fatal(err)
			}
			if r := <-ended; r.Bytes != int64(len(sent)) || r.Err != nil || r.Gone || r.Cut {
				t.Errorf("result %+v, %d bytes were sent", r, len(sent))
			}
			if !bytes.Equal(got.Bytes(), sent) || !bytes.Equal(seen.Bytes(), sent) {
				t.Errorf("sent %d bytes, read %d, onlooker %d; they differ", len(sent), got.Len(), seen.Len())
			}
		})
	}
}
