//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"cbc-otel/internal/simcbc/generate"
)

// spent is what a producer tells of itself, so that it can be taken off the rusage of the wrapper: what
// wait4 gives for a process includes the children that it waited for.
type spent struct{ CPU time.Duration }

// child is the program in its other roles. Which is its first argument, after role.
func child(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "generate":
		seed, err := strconv.ParseUint(args[2], 10, 64)
		if err != nil {
			return err
		}
		return generateTo(os.Stdout, args[1], seed)
	case len(args) == 3 && args[0] == "produce":
		return produce(args[1], args[2], os.Stdout)
	case len(args) == 1 && args[0] == "echo":
		return echo(os.Stdin, os.Stdout)
	case len(args) == 2 && args[0] == "workflow":
		return workflow(args[1], os.Stdout)
	case len(args) == 1 && args[0] == "stamp":
		_, err := fmt.Println(time.Now().UnixNano())
		return err
	}
	return fmt.Errorf("unknown role %q", args)
}

// generateTo writes a stream. It is a role of its own to keep the memory of the measuring process small:
// a child's peak memory starts at that of the process which started it.
func generateTo(w io.Writer, name string, seed uint64) error {
	for _, s := range generate.Streams(seed) {
		if s.Name == name {
			return s.Write(w)
		}
	}
	return fmt.Errorf("no stream %q", name)
}

// produce writes a file to out, and what it took to report.
func produce(file, report string, out io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, 128<<10)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			if _, err := out.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return err
	}
	b, err := json.Marshal(spent{CPU: cpuOf(&r)})
	if err != nil {
		return err
	}
	return os.WriteFile(report, b, 0o600)
}

func cpuOf(r *syscall.Rusage) time.Duration {
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// echoed is the size of a line that echo writes.
const echoed = 1024

// echo answers each line with one of 1 KB that starts with the time at which it was written. It looks
// like what an agent CLI sends all the time, a piece of an answer.
func echo(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	line := make([]byte, 0, echoed)
	for {
		if _, err := lines.ReadSlice('\n'); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		line = append(line[:0], `{"at":`...)
		line = strconv.AppendInt(line, time.Now().UnixNano(), 10)
		line = append(line, `,"type":"stream_event","event":{"type":"content_block_delta","text":"`...)
		for len(line) < echoed-len("\"}}\n") {
			line = append(line, 'x')
		}
		line = append(line, "\"}}\n"...)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
}

// echoTime reads the time back from a line of echo.
func echoTime(line []byte) (time.Time, error) {
	const before = len(`{"at":`)
	end := before
	for end < len(line) && line[end] >= '0' && line[end] <= '9' {
		end++
	}
	if len(line) != echoed || end == before {
		return time.Time{}, fmt.Errorf("not a line of echo: %.60q", line)
	}
	n, err := strconv.ParseInt(string(line[before:end]), 10, 64)
	return time.Unix(0, n), err
}
