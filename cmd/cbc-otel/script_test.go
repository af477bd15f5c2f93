package main

import (
	"context"
	"encoding/hex"
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"cbc-otel/internal/otlptest"
)

// commands are those of the scripts, beside the standard ones:
//
//	exitcode N COMMAND...      the command's exit code is N
//	spans FILE N               the file of OTLP JSON lines holds N spans
//	receiver GRPC HTTP         starts an OTLP receiver and puts its endpoints into these variables
//	points REGEXP...|0         so many data points arrived since the last call, each like its expression
//	received N [TRACE PARENT]  N spans arrived since the last call, with TRACE all in it and their root under PARENT
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	var receivers sync.Map // *otlptest.Receiver by work directory
	return map[string]func(*testscript.TestScript, bool, []string){
		"exitcode": exitcode,
		"spans":    countSpans,
		"receiver": func(ts *testscript.TestScript, _ bool, args []string) {
			r, err := otlptest.Start(otlptest.Config{})
			ts.Check(err)
			ts.Defer(r.Close)
			ts.Setenv(args[0], r.GRPCURL())
			ts.Setenv(args[1], r.HTTPURL())
			receivers.Store(ts.Getenv("WORK"), &received{Receiver: r})
		},
		"points": func(ts *testscript.TestScript, _ bool, args []string) {
			r, ok := receivers.Load(ts.Getenv("WORK"))
			if !ok {
				ts.Fatalf("points: no receiver")
			}
			r.(*received).checkPoints(ts, args)
		},
		"received": func(ts *testscript.TestScript, _ bool, args []string) {
			r, ok := receivers.Load(ts.Getenv("WORK"))
			if !ok {
				ts.Fatalf("received: no receiver")
			}
			r.(*received).check(ts, args)
		},
	}
}

func exitcode(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func countSpans(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), `"spanId"`); got != want {
		ts.Fatalf("%s holds %d spans, want %d", args[0], got, want)
	}
}

// received is a receiver and how many of its spans were checked.
type received struct {
	*otlptest.Receiver
	seen       int
	seenPoints int
}

func (r *received) checkPoints(ts *testscript.TestScript, args []string) {
	points := r.Points()[r.seenPoints:]
	r.seenPoints += len(points)
	if len(args) == 1 && args[0] == "0" {
		args = nil
	}
	if len(points) != len(args) {
		ts.Fatalf("%d points arrived, want %d:\n%s", len(points), len(args), strings.Join(points, "\n"))
	}
	for i, expr := range args {
		if like, err := regexp.MatchString(expr, points[i]); err != nil || !like {
			ts.Fatalf("point %d is %q, not like %q (%v)", i+1, points[i], expr, err)
		}
	}
}

func (r *received) check(ts *testscript.TestScript, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	// The program is gone: whatever it sent is here, but for the last answers on their way.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r.Wait(ctx, r.seen+want)
	spans := r.Spans()[r.seen:]
	r.seen += len(spans)
	if len(spans) != want {
		ts.Fatalf("%d spans arrived, want %d", len(spans), want)
	}
	roots := 0
	for _, s := range spans {
		parent := hex.EncodeToString(s.ParentSpanId)
		if len(args) > 1 && hex.EncodeToString(s.TraceId) != args[1] {
			ts.Fatalf("span %s is in another trace", s.ID())
		}
		if parent == "" || len(args) > 2 && parent == args[2] {
			roots++
		}
	}
	if want > 0 && roots != 1 {
		ts.Fatalf("%d roots", roots)
	}
}
