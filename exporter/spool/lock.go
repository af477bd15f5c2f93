package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock is the right to send, or remove, a destination's files.
type Lock struct{ flock *flock.Flock }

// Lock takes the lock of a destination if nobody holds it; nil without an error if somebody does. The end of a
// process releases its locks.
func (s *Spool) Lock(d Destination) (*Lock, error) { return s.lockID(d.ID()) }

// Wait is Lock, but waits for the holder until ctx ends.
func (s *Spool) Wait(ctx context.Context, d Destination) (*Lock, error) {
	for {
		lock, err := s.Lock(d)
		if lock != nil || err != nil {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Spool) lockID(id string) (*Lock, error) {
	f := flock.New(filepath.Join(s.Dir(), id+".lock"), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	if !ok {
		_ = f.Close()
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // no spool, nothing to send
		}
		return nil, err
	}
	return &Lock{f}, nil
}

// Release gives the lock back. A nil Lock is released.
func (l *Lock) Release() {
	if l != nil {
		_ = l.flock.Unlock()
	}
}
