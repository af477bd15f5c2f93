package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ReadFile reads a configuration file. It refuses what is no regular file and what others may write. One
// byte more than allowed is read of a file that is too large.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path) // before the opening: a pipe would wait for its writer
	if err != nil {
		return nil, reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, reason(err)
	}
	if err := mayTrust(info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	return data, reason(err)
}

// reason leaves out what the caller says anyway: the operation and the path.
func reason(err error) error {
	switch path := (*fs.PathError)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case errors.As(err, &path):
		return path.Err
	}
	return err
}
