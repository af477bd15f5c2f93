package filter

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Fingerprint tells configurations apart: what was filtered under one need not be filtered again under the
// same one, and must not, as a hash of a hash is another value. It holds nothing of what it is made from.
func (c Config) Fingerprint() string {
	raw, err := json.Marshal(c)
	if err != nil {
		return "" // a value Compile refuses
	}
	sum := sha256.Sum256(append([]byte("cbc-otel/filter/1\x00"), raw...))
	return hex.EncodeToString(sum[:16])
}
