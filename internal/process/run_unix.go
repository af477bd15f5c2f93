//go:build unix

package process

import (
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cbc-otel/internal/process/forward"
	"cbc-otel/internal/process/inherit"
)

// Run starts the command, forwards its output and our signals, and returns
// when it has exited and its output has ended. The error is a *StartError:
// the command was not started.
//
// Run changes how the whole process takes signals and is called once.
func Run(o Options) (Exit, error) {
	out := 1
	if o.Stdout != nil {
		out = int(o.Stdout.Fd())
	}
	if !HasStreamFlag(o.Args, "--input-format") || inherit.Closed(0) {
		o.Interrupt = nil
	}
	signals := catch(o.Interrupt == nil && foreground())
	c := newChild(o, standardFiles(out), !signals.shared)

	var pump *forward.Pump
	var look onlooker
	if !o.PassThrough && writable(out) {
		in, childOut, err := forward.Pipe()
		if err != nil {
			return Exit{}, c.startError(err)
		}
		childOut = apart(childOut)
		c.files[1] = uintptr(childOut)
		c.ours = append(c.ours, childOut)
		pump = &forward.Pump{In: in, Out: out, Exited: -1, Onlooker: look.onBytes(o.OnBytes)}
	}
	var wind *windDown
	if o.Interrupt != nil || mutantCopyStdin {
		f, stdin, err := newFeeder(0)
		if err != nil {
			return Exit{}, c.startError(err)
		}
		c.files[0] = uintptr(stdin)
		c.ours = append(c.ours, stdin)
		wind = &windDown{interrupt: o.Interrupt, feeder: f, child: c, second: make(chan struct{})}
	}
	if err := c.start(); err != nil {
		if pump != nil {
			unix.Close(pump.In)
		}
		return Exit{}, err
	}
	if wind != nil {
		go wind.feeder.run()
		defer wind.feeder.stop()
	}
	go signals.passOn(c, wind)

	result := forward.Result{At: time.Now()}
	if pump != nil {
		if !o.DrainWait {
			pump.Exited = c.exitPipe
		}
		if mutantSkipDrain {
			go pump.Run()
			<-c.exited
			c.exit(result).Die()
		}
		var left bool
		result, left = run(pump, c, signals, restLimit)
		if left {
			look.close() // what is still forwarded until our end is not looked at
			return ended(o, c, signals, result), nil
		}
		for mutantSwallowEPIPE && result.Gone {
			pump.Out, _ = unix.Open("/dev/null", unix.O_WRONLY, 0)
			result = pump.Run()
		}
		// The command must not go on writing to nobody, nor the reader wait
		// for more while we do what is left to do.
		unix.Close(pump.In)
		if o.Stdout == nil {
			release(out)
		}
	}
	exit := ended(o, c, signals, result)
	unix.Close(c.exitPipe)
	return exit, nil
}

// ended waits for the end of the command.
func ended(o Options, c *child, s *signals, result forward.Result) Exit {
	if o.OnEOF != nil {
		o.OnEOF(result.At)
	}
	<-c.exited
	exit := c.exit(result)
	exit.Signals = s.after
	return exit
}

// restLimit is how long the reader of our output may rest when we are to end. A write of ours that has begun does not tell
// how far it is.
const restLimit = 10 * time.Second

// run runs the pump. It leaves it alone, still at it, when the command has ended by a signal to us, or one has come since,
// and the reader of our output takes nothing for so long: we would not end as long as it rests.
func run(pump *forward.Pump, c *child, s *signals, rest time.Duration) (result forward.Result, left bool) {
	done := make(chan forward.Result, 1)
	go func() { done <- pump.Run() }()
	select {
	case result = <-done:
		return result, false
	case <-c.exited:
	}
	if !c.diedOf(syscall.Signal(s.last.Load())) {
		select {
		case result = <-done:
			return result, false
		case <-s.hurry:
		}
	}
	timer := time.NewTicker(rest)
	defer timer.Stop()
	for before := pump.Written(); ; before = pump.Written() {
		select {
		case result = <-done:
			return result, false
		case at := <-timer.C:
			if pump.Written() == before {
				return forward.Result{Bytes: before, Cut: true, At: at}, true
			}
		}
	}
}

// onlooker keeps a pump that was left alone from calling back.
type onlooker struct {
	mu     sync.Mutex
	closed bool
}

func (l *onlooker) onBytes(f func([]byte, time.Time)) func([]byte, time.Time) {
	if f == nil {
		return nil
	}
	return func(p []byte, at time.Time) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.closed {
			f(p, at)
		}
	}
}

func (l *onlooker) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// standardFiles are the descriptors the command gets as 0, 1 and 2: ours. One
// that was closed at our start is closed for it too.
func standardFiles(out int) []uintptr {
	files := []uintptr{0, uintptr(out), 2}
	for fd := range files {
		if files[fd] == uintptr(fd) && inherit.Closed(fd) {
			files[fd] = ^uintptr(0)
		}
	}
	return files
}

// apart returns fd under a number whose successor is free: syscall.ForkExec may
// take that for a while, in the child, whatever has been inherited there.
func apart(fd int) int {
	for {
		if _, err := unix.FcntlInt(uintptr(fd+1), unix.F_GETFD, 0); err != nil {
			return fd
		}
		next, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, fd+1)
		if err != nil {
			return fd
		}
		unix.Close(fd)
		fd = next
	}
}

// writable reports whether there is an output to forward to. If not, the
// command gets what we have and sees the same errors.
func writable(out int) bool {
	if out == 1 && inherit.Closed(1) {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(out), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
}

// release lets go of an output nothing will be written to any more. The
// number stays taken, or the next file opened would be our standard output.
func release(out int) {
	null, err := unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = unix.Dup2(null, out)
	unix.Close(null)
}
