//go:build linux

package transparency

import (
	"os"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// asStream is an argument that makes the wrapper read the command's output
// though it is a terminal; without it, the wrapper becomes the command.
const asStream = "--output-format=stream-json"

// terminal is a run in a session of its own with a terminal: its standard
// descriptors, or those the stage leaves out.
type terminal struct {
	*run
	keys   *os.File // the other side of the terminal
	screen *tail
}

// startTerminal starts args, wrapped if the scene is, as a job of a shell on a
// terminal of 100 by 40; mode is fg or bg, or empty for no shell: then it leads
// the session itself.
func (s *scene) startTerminal(mode string, st stage, args ...string) *terminal {
	s.t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		s.t.Fatal(err)
	}
	setSize(s.t, master, 100, 40)
	// Non-blocking, so that closing it does not wait for the reader.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	master.Close()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		s.t.Fatal(err)
	}
	keys := os.NewFile(uintptr(fd), "terminal")
	s.t.Cleanup(func() { keys.Close() })
	for _, f := range []**os.File{&st.stdin, &st.stdout, &st.stderr} {
		if *f == nil {
			*f = slave
		}
	}
	st.attr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if mode != "" {
		st.before = append([]string{world.shell, mode}, st.before...)
	}
	t := &terminal{keys: keys, run: s.start(st, args...)}
	slave.Close()
	t.screen = newTail(keys)
	return t
}

func (t *terminal) press(keys string) {
	t.scene.t.Helper()
	if _, err := t.keys.WriteString(keys); err != nil {
		t.scene.t.Error(err)
	}
}

// end is run.end, with what was on the screen as standard output.
func (t *terminal) end(facts ...string) outcome {
	t.scene.t.Helper()
	o := t.run.end(facts...)
	o.Stdout += t.screen.all(t.scene.t)
	return o
}

func setSize(tb testing.TB, terminal *os.File, columns, rows uint16) {
	tb.Helper()
	conn, err := terminal.SyscallConn()
	if err != nil {
		tb.Fatal(err)
	}
	_ = conn.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows})
	})
	if err != nil {
		tb.Fatal(err)
	}
}
