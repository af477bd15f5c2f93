//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"cbc-otel/internal/otlptest"
)

// protocols that spans are sent by when the exit is measured.
var protocols = []string{"grpc", "http/protobuf"}

const (
	// underWay is how long a workflow takes at least: the wrapper connects meanwhile, as it does in real runs.
	underWay = 300 * time.Millisecond
	// arrival is how long spans may take before they are missed.
	arrival = 10 * time.Second
)

// workflow writes a workflow of ten agents and, last, the time.
func workflow(seed string, out io.Writer) error {
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	var stream bytes.Buffer
	if err := generateTo(&stream, "cbc-10", n); err != nil {
		return err
	}
	lines := bytes.SplitAfter(stream.Bytes(), []byte("\n"))
	half := len(lines) / 2
	if _, err := out.Write(bytes.Join(lines[:half], nil)); err != nil {
		return err
	}
	time.Sleep(underWay)
	_, err = fmt.Fprintf(out, "%s%d\n", bytes.Join(lines[half:], nil), time.Now().UnixNano())
	return err
}

// exits runs the workflow n times with a healthy collector on this machine, and returns how much later than the command
// the wrapper ended.
func (b *bench) exits(protocol string, n int, arrival time.Duration) (took []time.Duration, err error) {
	receiver, err := otlptest.Start(otlptest.Config{})
	if err != nil {
		return nil, err
	}
	defer receiver.Close()
	argv := []string{b.wrapper[0], "--exporter", "otlp", "--protocol", protocol, "--endpoint", receiver.URL(protocol), "--", b.self, role, "workflow"}
	for i := range n {
		before := len(receiver.Spans())
		c := b.command(append(argv, strconv.Itoa(i+1))...)
		out, err := c.Output()
		ended := time.Now()
		if err != nil {
			return nil, describe(c, err)
		}
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		at, err := strconv.ParseInt(string(lines[len(lines)-1]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the command's time did not come through: %w", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), arrival)
		ok := receiver.Wait(ctx, before+1)
		cancel()
		if !ok {
			return nil, fmt.Errorf("%s: no spans arrived", protocol)
		}
		took = append(took, ended.Sub(time.Unix(0, at)))
	}
	return took, nil
}
