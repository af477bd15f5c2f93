//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"time"
)

// latency is how long a line was under way, in one round.
type latency struct{ p50, p99, p999 time.Duration }

// pingPong sends empty lines to a child that answers each with 1 KB, one at a time, and takes the time
// from its writing of the answer to our reading of it.
func (b *bench) pingPong(s setup, lines int) (latency, error) {
	stdin, send, err := os.Pipe()
	if err != nil {
		return latency{}, err
	}
	out, _, all, err := b.pipeline(s, stdin, []string{b.self, role, "echo"})
	stdin.Close()
	if err != nil {
		send.Close()
		return latency{}, err
	}
	took, err := volley(send, bufio.NewReaderSize(out, 64<<10), lines)
	send.Close()
	if _, derr := drain(out); err == nil {
		err = derr
	}
	out.Close()
	if werr := wait(s, all); err == nil {
		err = werr
	}
	if err != nil {
		return latency{}, err
	}
	slices.Sort(took)
	return latency{percentile(took, 0.50), percentile(took, 0.99), percentile(took, 0.999)}, nil
}

// volley plays the ping-pong; the first tenth only warms up.
func volley(send *os.File, in *bufio.Reader, lines int) ([]time.Duration, error) {
	took := make([]time.Duration, 0, lines)
	for i := range lines + lines/10 {
		if _, err := send.Write([]byte{'\n'}); err != nil {
			return nil, err
		}
		line, err := in.ReadSlice('\n')
		now := time.Now()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		at, err := echoTime(line)
		if err != nil {
			return nil, err
		}
		if i >= lines/10 {
			took = append(took, now.Sub(at))
		}
	}
	return took, nil
}
