package exporter

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"cbc-otel/internal/say"
	"cbc-otel/internal/statedir"
)

// Bounds of the store.
const (
	DefaultStoreAge   = 14 * 24 * time.Hour
	DefaultStoreBytes = 200_000_000
)

// Store is the local store of traces: a folder for each day (in UTC), in it a file of OTLP JSON lines for each run.
// Zero fields have their defaults.
type Store struct {
	Dir      string        // default: traces in the program's folder of the state home
	MaxAge   time.Duration // older days are removed
	MaxBytes int64         // of all files; the oldest are removed
}

// StoreSuffix ends the names of the files of the store.
const StoreSuffix = ".jsonl"

// dayFormat is the name of a day's folder.
const dayFormat = time.DateOnly

// Path returns the folder of the store, "" where there is none because the environment names no home.
func (s Store) Path(getenv func(string) string) string {
	if s.Dir != "" {
		return s.Dir
	}
	base, err := statedir.Base(getenv)
	if err != nil {
		return ""
	}
	return filepath.Join(base, "traces")
}

func checkStore(o *Options, s *settings) error {
	s.store = o.Store.Path(o.Getenv)
	if s.store == "" {
		// Not a reason to exit: there is nowhere to write, and nobody asked for a file by name.
		s.warnings = append(s.warnings, "traces are not stored: "+statedir.ErrNoHome.Error())
		s.skip = append(s.skip, "file")
	}
	return nil
}

func openStore(o *Options, s settings) (Exporter, error) {
	st := &store{dir: s.store, options: o.Store, log: o.Log, now: o.Now, stdout: o.Stdout}
	if st.options.MaxAge <= 0 {
		st.options.MaxAge = DefaultStoreAge
	}
	if st.options.MaxBytes <= 0 {
		st.options.MaxBytes = DefaultStoreBytes
	}
	return &file{waits: s.waits, open: st.create, alone: true, closed: st.sweep}, nil
}

type store struct {
	dir     string
	options Store
	log     *say.Logger
	now     func() time.Time
	stdout  fs.FileInfo
	file    string       // the one of this run; "" before the first write
	lock    *flock.Flock // held from then on: the sweeps of other runs leave a file alone that is being written
}

// create makes the file of this run. A day that another run's sweep removes at the same moment is made again.
func (s *store) create() (*os.File, error) {
	var first bool
	var gone error
	for range 5 {
		now := s.now().UTC()
		base, names := s.dir, []string{now.Format(dayFormat)}
		if s.options.Dir == "" {
			base, names = filepath.Dir(s.dir), []string{filepath.Base(s.dir), names[0]}
		}
		if _, err := os.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
			_, first, _ = statedir.Make(base, names[:len(names)-1]...) // an error comes again below
		}
		day, _, err := statedir.Make(base, names...)
		if errors.Is(err, fs.ErrNotExist) {
			gone = err
			continue
		}
		if err != nil {
			return nil, err
		}
		var random [3]byte
		_, _ = rand.Read(random[:])
		path := filepath.Join(day, fmt.Sprintf("%s-%d-%s%s", now.Format("150405"), os.Getpid(), hex.EncodeToString(random[:]), StoreSuffix))
		f, lock, err := createLocked(path, s.stdout)
		if errors.Is(err, fs.ErrNotExist) {
			gone = err
			continue
		}
		if err != nil {
			return nil, err
		}
		s.file, s.lock = path, lock
		if first {
			s.log.Print(fmt.Sprintf("traces are stored in %s and kept for %s, up to %d MB. To turn this off: CBC_OTEL_EXPORTER=none. (Said once.)",
				s.dir, days(s.options.MaxAge), s.options.MaxBytes/1_000_000))
		}
		return f, nil
	}
	return nil, gone
}

// unnamed ends the name of a file that is not locked yet.
const unnamed = ".new"

// createLocked makes a file that is locked from the moment it has its name.
func createLocked(path string, stdout fs.FileInfo) (*os.File, *flock.Flock, error) {
	f, err := openAppend(path+unnamed, os.O_CREATE|os.O_EXCL, stdout)
	if err != nil {
		return nil, nil, err
	}
	lock := newLock(path + unnamed)
	if lock != nil {
		_, _ = lock.TryLock()
	} else if err := f.Close(); err != nil { // an open file cannot be renamed on Windows
		return nil, nil, err
	}
	if err := os.Rename(path+unnamed, path); err != nil {
		if lock != nil {
			_ = lock.Unlock()
		}
		return nil, nil, errors.Join(err, f.Close())
	}
	if lock == nil {
		f, err = openAppend(path, 0, stdout)
	}
	return f, lock, err
}

func days(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
	return d.String()
}

// sweepFor bounds the time retention may take at an exit; what is left is done the next time.
const sweepFor = 200 * time.Millisecond

// young is the age under which a file may still be written by its run where locks do not tell.
const young = time.Hour

// removeFinished removes a file unless a run is still writing it, or has just made it and not locked it yet.
func removeFinished(f storeFile, now time.Time) error {
	if strings.HasSuffix(f.path, unnamed) && now.Sub(f.modified) < young {
		return errWriting
	}
	if lock := newLock(f.path); lock != nil {
		switch ok, err := lock.TryLock(); {
		case ok:
			defer func() { _ = lock.Unlock() }()
			return os.Remove(f.path)
		case err == nil:
			return errWriting
		}
	}
	if now.Sub(f.modified) < young {
		return errWriting
	}
	return os.Remove(f.path)
}

var errWriting = errors.New("still being written")

// sweep enforces the bounds: days that are too old go, then the oldest files until the rest is within the size.
func (s *store) sweep() {
	if s.file == "" {
		return // nothing was added
	}
	if s.lock != nil {
		_ = s.lock.Unlock()
	}
	until := time.Now().Add(sweepFor)
	files, err := storeFiles(s.dir)
	if err != nil {
		return
	}
	now := s.now()
	var total int64
	for _, f := range files {
		total += f.size
	}
	for _, f := range files {
		old := now.Sub(f.modified) > s.options.MaxAge
		if !old && total <= s.options.MaxBytes || time.Now().After(until) {
			break
		}
		if f.path == s.file {
			continue
		}
		if removeFinished(f, now) == nil {
			total -= f.size
			s.log.Debugf("removed %s from the store", f.path)
		}
		if day := filepath.Dir(f.path); filepath.Base(day) != now.UTC().Format(dayFormat) {
			_ = os.Remove(day) // fails unless it was the last of its day
		}
	}
}

type storeFile struct {
	path     string
	size     int64
	modified time.Time
}

// storeFiles lists the files of the store, oldest first. What has no name of ours is left alone.
func storeFiles(dir string) ([]storeFile, error) {
	daysThere, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []storeFile
	for _, day := range daysThere {
		if _, err := time.Parse(dayFormat, day.Name()); err != nil || !day.IsDir() {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(dir, day.Name()))
		if err != nil {
			continue
		}
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && info.Mode().IsRegular() && strings.HasSuffix(strings.TrimSuffix(e.Name(), unnamed), StoreSuffix) {
				files = append(files, storeFile{filepath.Join(dir, day.Name(), e.Name()), info.Size(), info.ModTime()})
			}
		}
	}
	slices.SortFunc(files, func(a, b storeFile) int { return a.modified.Compare(b.modified) })
	return files, nil
}
