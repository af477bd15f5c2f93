package spool

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

const keySize = 32

// Hash returns a hash of headers, and of other secrets that tell destinations apart, under a key that never leaves
// the spool's folder: equal headers give equal hashes on this machine, and a hash alone tells nothing about them.
// No headers and no secrets have no hash.
func (s *Spool) Hash(headers map[string]string, secrets ...[]byte) (string, error) {
	secrets = slices.DeleteFunc(slices.Clone(secrets), func(b []byte) bool { return len(b) == 0 })
	if len(headers) == 0 && len(secrets) == 0 {
		return "", nil
	}
	key, err := s.key()
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	write := func(part []byte) {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		mac.Write(length[:])
		mac.Write(part)
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		write([]byte(name))
		write([]byte(headers[name]))
	}
	write(nil)
	for _, secret := range secrets {
		write(secret)
	}
	return hex.EncodeToString(mac.Sum(nil)[:16]), nil
}

// key reads the key, or makes it: of several processes that do so at once, one wins and all use its key.
func (s *Spool) key() ([]byte, error) {
	dir, err := s.make()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "key")
	if key, err := readKey(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	aside := filepath.Join(dir, temporary+"key-"+hex.EncodeToString(key[:8]))
	if err := os.WriteFile(aside, key, 0o600); err != nil {
		return nil, errors.Join(err, os.Remove(aside))
	}
	defer func() { _ = os.Remove(aside) }()
	if err := os.Link(aside, path); err != nil && !errors.Is(err, fs.ErrExist) {
		// A file system without hard links.
		if err := os.Rename(aside, path); err != nil {
			return nil, err
		}
	}
	return readKey(path)
}

func readKey(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if err == nil && len(key) != keySize {
		err = fmt.Errorf("%s is not the key it was; remove it", path)
	}
	return key, err
}
