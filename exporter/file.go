package exporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cbc-otel/exporter/otlpjson"
)

// ErrStdout says that a file is the one our standard output goes to.
var ErrStdout = errors.New("is where standard output goes, which belongs to the command alone")

// file appends batches to a file, each as one line of OTLP JSON with one write, so that several programs can append
// to the same one.
type file struct {
	open   func() (*os.File, error)
	waits  *waits
	alone  bool   // nobody else writes to it
	closed func() // after the file was closed; may be nil
	f      *os.File
	lock   *flock.Flock // nil: cannot be locked
	first  bool         // nothing was written yet
	torn   bool         // the file does not end with a newline
	line   []byte
}

func checkFile(o *Options, s *settings) error {
	if o.File == "" {
		return checkStore(o, s)
	}
	info, err := os.Stat(o.File)
	if err != nil {
		return nil // it is made when there is something to write
	}
	switch {
	case info.IsDir():
		return fmt.Errorf("file: %s is a folder", o.File)
	case o.Stdout != nil && os.SameFile(info, o.Stdout):
		return fmt.Errorf("file: %s %w", o.File, ErrStdout)
	}
	return nil
}

func openFile(o *Options, s settings) (Exporter, error) {
	if o.File == "" {
		return openStore(o, s)
	}
	return &file{waits: s.waits, open: func() (*os.File, error) { return openAppend(o.File, os.O_CREATE, o.Stdout) }}, nil
}

// openAppend opens a file to append to. Read access is for a look at its last byte.
func openAppend(path string, flag int, stdout fs.FileInfo) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return openPipe(path, stdout, info)
	}
	f, err := os.OpenFile(path, flag|os.O_APPEND|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrInvalid) {
		f, err = os.OpenFile(path, flag|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && stdout != nil && os.SameFile(info, stdout) {
		err = fmt.Errorf("%s %w", path, ErrStdout)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openPipe opens a named pipe, for writing alone: a reader of our own would make any write go well.
func openPipe(path string, stdout, info fs.FileInfo) (*os.File, error) {
	if stdout != nil && os.SameFile(info, stdout) {
		return nil, fmt.Errorf("%s %w", path, ErrStdout)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0) // or it would wait for a reader
	if errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("%s: nobody reads it", path)
	}
	return f, err
}

// jsonPerByte is how many bytes of JSON a byte of protobuf becomes, about: a line that grows bit by bit
// is copied again and again.
const jsonPerByte = 2

// Export writes one line. The context does not interrupt a write.
func (e *file) Export(ctx context.Context, b *Batch) Outcome {
	if e.f == nil {
		end := e.waits.begin()
		f, err := e.open()
		end()
		if err != nil {
			reason := Disk
			if errors.Is(err, ErrStdout) {
				reason = Misconfig
			}
			return failed(b, reason, err)
		}
		e.f, e.first = f, true
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && !e.alone {
			e.lock = newLock(f.Name())
		}
	}
	defer e.hold(ctx)()
	e.line = slices.Grow(e.line[:0], jsonPerByte*b.Bytes)
	if e.torn {
		e.line = append(e.line, '\n') // whatever was cut off is a line of its own
	}
	e.line = append(otlpjson.Append(e.line, b.Data), '\n')
	end := e.waits.begin()
	n, err := e.f.Write(e.line)
	end()
	if err != nil {
		e.torn = e.torn || n > 0
		return failed(b, Disk, err)
	}
	e.torn = false
	return accepted(b)
}

// lockFor is how long another writer is waited for, before writing anyway.
const lockFor = time.Second

// hold takes the file's lock for a write. Writers share it; only the look at how the file ends, before the first
// write, must not see another's write half done. Who holds it for so long is not waited for again.
func (e *file) hold(ctx context.Context) (release func()) {
	if e.lock == nil {
		return func() {}
	}
	defer e.waits.begin()()
	ctx, cancel := context.WithTimeout(ctx, lockFor)
	defer cancel()
	try := e.lock.TryRLockContext
	if e.first {
		try = e.lock.TryLockContext
	}
	ok, err := try(ctx, 2*time.Millisecond)
	if !ok || err != nil {
		_ = e.lock.Close()
		e.lock = nil
		return func() {}
	}
	if e.first {
		e.first = false
		e.torn = endsTorn(e.f)
	}
	return func() { _ = e.lock.Unlock() }
}

// newLock returns the lock of a file; nil on Windows, where locks keep our own writes out.
func newLock(path string) *flock.Flock {
	if runtime.GOOS == "windows" {
		return nil
	}
	return flock.New(path, flock.SetFlag(os.O_RDWR))
}

// endsTorn reports whether the last writer of a file was cut off in mid-line.
func endsTorn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	return last[0] != '\n'
}

func (e *file) Close(context.Context) error {
	var err error
	if e.f != nil {
		err = e.f.Close()
		e.f = nil
	}
	if e.closed != nil {
		e.closed()
	}
	return err
}
