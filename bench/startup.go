//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// start is how long true takes, and, for a child that tells the time, until it ran and from then to the
// exit of everything.
type start struct{ whole, begin, exit time.Duration }

// startup runs true, then a child that tells the time, wrapped or bare.
func (b *bench) startup(s setup) (start, error) {
	var prefix []string
	if s == wrapped {
		prefix = b.wrapper
	}
	run := func(argv ...string) (time.Time, time.Time, string, error) {
		c := b.command(append(append([]string{}, prefix...), argv...)...)
		began := time.Now()
		out, err := c.Output()
		return began, time.Now(), string(out), describe(c, err)
	}
	began, ended, _, err := run("true")
	if err != nil {
		return start{}, err
	}
	m := start{whole: ended.Sub(began)}
	began, ended, out, err := run(b.self, role, "stamp")
	if err != nil {
		return start{}, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		return start{}, fmt.Errorf("%s: the child's time did not come through: %w", s, err)
	}
	ran := time.Unix(0, n)
	m.begin, m.exit = ran.Sub(began), ended.Sub(ran)
	return m, nil
}

// describe adds to an error what was run and what it said.
func describe(c *exec.Cmd, err error) error {
	if err == nil {
		return nil
	}
	said := ""
	if e, ok := err.(*exec.ExitError); ok {
		said = ": " + strings.TrimSpace(string(e.Stderr))
	}
	return fmt.Errorf("%s: %w%s", strings.Join(c.Args, " "), err, said)
}

// initTrace sums what the package initialisers of the wrapper take.
func (b *bench) initTrace() (time.Duration, error) {
	c := b.command(append(append([]string{}, b.wrapper...), "true")...)
	c.Env = append(c.Env, "GODEBUG=inittrace=1")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); err != nil {
		return 0, describe(c, err)
	}
	sum, n := sumInits(stderr.String())
	if n == 0 {
		return 0, fmt.Errorf("%s: no init trace: not a Go program", c.Args[0])
	}
	return sum, nil
}

// "init internal/godebug @0.47 ms, 0.021 ms clock, 336 bytes, 6 allocs"
var initLine = regexp.MustCompile(`(?m)^init \S+ @[0-9.]+ ms, ([0-9.]+) ms clock`)

func sumInits(trace string) (sum time.Duration, n int) {
	for _, m := range initLine.FindAllStringSubmatch(trace, -1) {
		if ms, err := strconv.ParseFloat(m[1], 64); err == nil {
			sum += time.Duration(ms * float64(time.Millisecond))
			n++
		}
	}
	return sum, n
}
