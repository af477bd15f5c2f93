// Package testdata gives tests the recorded streams in captures/.
//
// A capture is the stdout of a real agent CLI, byte for byte, but for account fields that were replaced by
// canaries: [Canaries]. NAME.times, where it exists, has the seconds since the first line at which each line
// was read, one a line.
//
// The go command leaves folders of this name out of ./... patterns; importing it works as usual.
package testdata

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed captures
var files embed.FS

// Canaries stand in the captures where an account's email, organisation and token were. None of them may show up
// in anything the program writes but the forwarded stream.
var Canaries = [...]string{"canary@example.invalid", "ent-canary", "eyJhbGciOiJSUzI1NiIs"}

// Capture is one recorded stream.
type Capture struct {
	Name string // as in "01-success", without endings
	File string // its file's base name: Name + ".ndjson" or ".ndjson.gz"
}

// Captures lists all recorded streams in the order of their names.
func Captures() []Capture {
	entries, err := files.ReadDir("captures")
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	var all []Capture
	for _, e := range entries {
		name, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".ndjson")
		if ok {
			all = append(all, Capture{Name: name, File: e.Name()})
		}
	}
	return all
}

// Find returns the capture of that name, without endings.
func Find(name string) (Capture, error) {
	for _, c := range Captures() {
		if c.Name == name {
			return c, nil
		}
	}
	return Capture{}, fmt.Errorf("testdata: no capture %q", name)
}

// Bytes returns the stream, unpacked.
func (c Capture) Bytes() ([]byte, error) {
	raw, err := files.ReadFile("captures/" + c.File)
	if err != nil || !strings.HasSuffix(c.File, ".gz") {
		return raw, err
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("testdata: %s: %w", c.File, err)
	}
	return io.ReadAll(z)
}

// Lines returns the lines of the stream, unpacked, without their newlines.
func (c Capture) Lines() ([][]byte, error) {
	all, err := c.Bytes()
	if err != nil {
		return nil, err
	}
	all = bytes.TrimSuffix(all, []byte("\n"))
	return bytes.Split(all, []byte("\n")), nil
}

// Open opens the stream, unpacked.
func (c Capture) Open() (io.ReadCloser, error) {
	all, err := c.Bytes()
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(all)), nil
}

// Times returns when each line was read, counted from the first; nil when it was not recorded.
func (c Capture) Times() ([]time.Duration, error) {
	raw, err := files.ReadFile("captures/" + c.Name + ".times")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []time.Duration
	for s := bufio.NewScanner(bytes.NewReader(raw)); s.Scan(); {
		seconds, err := strconv.ParseFloat(s.Text(), 64)
		if err != nil {
			return nil, fmt.Errorf("testdata: %s.times: %w", c.Name, err)
		}
		all = append(all, time.Duration(seconds*float64(time.Second)))
	}
	return all, nil
}

// Path returns the capture's own file, packed if it is (File ends in .gz), for tests that hand a path to a
// program. It looks for the module's root above the working directory, as set by go test.
func (c Capture) Path() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		p := filepath.Join(dir, "internal", "testdata", "captures", c.File)
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("testdata: %s is not in a folder above the working directory", c.File)
		}
		dir = up
	}
}
