package process

import (
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"cbc-otel/internal/process/forward"
)

// Run starts the command, forwards its output, and returns when it has exited
// and its output has ended. The error is a *StartError: the command was not
// started.
//
// The console sends Ctrl-C to every process on it, so that nothing has to be
// passed on; it only must not end us before the command.
func Run(o Options) (Exit, error) {
	out := o.Stdout
	if out == nil {
		out = os.Stdout
	}
	caught := make(chan os.Signal, 16)
	signal.Notify(caught, os.Interrupt)
	if o.Interrupt != nil {
		return Exit{}, &StartError{Name: o.Path, Code: 126, Err: errors.New("an interrupt request instead of a signal is not supported on Windows")}
	}

	files := []*os.File{os.Stdin, out, os.Stderr}
	f := &forwarding{out: out, onBytes: o.OnBytes, done: make(chan struct{})}
	if o.PassThrough {
		close(f.done)
	} else {
		in, childOut, err := os.Pipe()
		if err != nil {
			return Exit{}, startError(o.Path, o.Path, err)
		}
		defer in.Close()
		defer childOut.Close()
		f.in, files[1] = in, childOut
	}
	p, err := os.StartProcess(o.Path, o.Args, &os.ProcAttr{Env: o.Env, Files: files})
	if err != nil {
		return Exit{}, startError(o.Path, o.Path, err)
	}
	pid := p.Pid // Wait forgets it
	if !o.PassThrough {
		files[1].Close()
		go f.run()
	}

	state, err := p.Wait()
	exit := Exit{PID: pid, Code: 1, At: time.Now(), Signals: caught}
	if err == nil {
		exit.Code = state.ExitCode()
	}
	drainSignals(caught)
	exit.Cut = !f.drain(o.DrainWait)
	if o.OnEOF != nil {
		o.OnEOF(time.Now())
	}
	exit.Bytes = f.written.Load()
	if !exit.Cut {
		exit.Gone, exit.WriteErr = f.gone, f.err
	}
	if exit.Code == 0 && exit.WriteErr != nil {
		exit.Code = 1
	}
	return exit, nil
}

// drainSignals drops what came while the command ran: it had it from the
// console.
func drainSignals(caught <-chan os.Signal) {
	for {
		select {
		case <-caught:
		default:
			return
		}
	}
}

// forwarding copies in to out. Reads cannot be given a time limit on these
// pipes, so that the limit is kept by whoever waits.
type forwarding struct {
	in, out *os.File
	onBytes func([]byte, time.Time)
	written atomic.Int64
	idle    atomic.Int64 // since when the pipe is empty, in nanoseconds since the epoch; 0: it is not

	done chan struct{} // closed at the end; gone and err are set then
	gone bool
	err  error
}

func (f *forwarding) run() {
	defer close(f.done)
	buf := make([]byte, forward.BufferSize)
	for {
		f.idle.Store(time.Now().UnixNano())
		n, err := f.in.Read(buf)
		f.idle.Store(0)
		now := time.Now()
		if n > 0 {
			written, writeErr := f.out.Write(buf[:n])
			f.written.Add(int64(written))
			if f.onBytes != nil && written > 0 {
				f.onBytes(buf[:written], now)
			}
			if writeErr != nil {
				f.gone, f.err = isGone(writeErr)
				f.in.Close()
				return
			}
		}
		if err != nil {
			return // an error on our own pipe is its end
		}
	}
}

// drain waits for the end of the output, unless wait is false and others hold
// it. It reports whether the end came. The limits count from when the pipe was
// first empty: until then it holds what the command itself has written.
func (f *forwarding) drain(wait bool) bool {
	if wait {
		<-f.done
		return true
	}
	var limit time.Time
	tick := time.NewTicker(forward.Silence / 10)
	defer tick.Stop()
	for {
		select {
		case <-f.done:
			return true
		case now := <-tick.C:
			idle := f.idle.Load()
			if limit.IsZero() && idle != 0 {
				limit = now.Add(forward.Limit)
			}
			silent := idle != 0 && now.Sub(time.Unix(0, idle)) > forward.Silence
			if !limit.IsZero() && (silent || now.After(limit)) {
				return false
			}
		}
	}
}
