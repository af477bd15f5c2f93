package simcbc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
)

// Main is the simulated CLI as a program: it takes the command line without the program's name and
// returns the exit code. With --input-format stream-json it goes on until stdin ends and whatever it
// started has ended too; with a prompt argument it never reads stdin.
//
// If stdout fails, it gives up with exit code 1; a program that writes to a closed pipe on descriptor 1
// is dead before that. A reader of stdin may be left behind when it returns before the end of stdin.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	inv, err := parse(args, getenv)
	if err == nil && inv.opt.Seed == 0 {
		inv.opt.Seed = rand.Uint64()
	}
	if err == nil {
		inv.opt, err = inv.opt.withDefaults()
	}
	if err != nil {
		fmt.Fprintf(stderr, "simulated CLI: %v\n", err)
		return 2
	}
	if inv.help {
		usage(stderr)
		return 0
	}
	s := newSession(inv.opt, inv.output, stdout, stderr)
	if err := s.play(inv, stdin); err != nil {
		fmt.Fprintf(stderr, "simulated CLI: %v\n", err)
		return 1
	}
	return s.opt.ExitCode
}

func (s *session) play(inv invocation, stdin io.Reader) error {
	if inv.input != "stream-json" {
		prompt := inv.prompt
		if prompt == "" {
			text, err := io.ReadAll(stdin)
			if err != nil {
				return err
			}
			prompt = string(text)
		}
		s.ask(prompt)
		s.loop(nil)
		s.finish()
		return s.err
	}
	if inv.prompt != "" {
		s.ask(inv.prompt)
	}
	if _, pretending := s.clock.(*Jump); pretending {
		// What comes when would depend on the real time, so all of it comes first.
		text, err := io.ReadAll(stdin)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			if len(bytes.TrimSpace(line)) > 0 {
				s.input(line)
			}
		}
		s.loop(nil)
	} else {
		stop := make(chan struct{})
		defer close(stop)
		s.loop(readLines(stdin, stop))
	}
	s.finish()
	return s.err
}

// readLines sends the lines of r that are not blank until r ends or stop is closed.
func readLines(r io.Reader, stop <-chan struct{}) <-chan []byte {
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		in := bufio.NewReader(r)
		for {
			line, err := in.ReadBytes('\n')
			if len(bytes.TrimSpace(line)) > 0 {
				select {
				case lines <- line:
				case <-stop:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}
