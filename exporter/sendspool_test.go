package exporter_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/exporter/spool"
	"cbc-otel/internal/otlptest"
	"cbc-otel/mapping"
)

// A hundred wrappers at once against a receiver that fails half of its requests, some after it took the spans: with a
// flush after them every span is there, and twice only where an answer was lost or not waited for.
func TestHundredWrappers(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		var mu sync.Mutex
		var seen int
		r := otlptest.New(t, otlptest.Config{})
		r.SetFault(func(req otlptest.Request) otlptest.Answer {
			mu.Lock()
			defer mu.Unlock()
			switch seen++; seen % 8 {
			case 1:
				return otlptest.Answer{Status: http.StatusServiceUnavailable}
			case 3, 5:
				return otlptest.Answer{Status: http.StatusUnauthorized} // not tried again, so it is spooled
			case 7:
				return otlptest.Answer{Drop: true}
			}
			return otlptest.Answer{}
		})
		base := filepath.Join(t.TempDir(), "cbc-otel")
		var done sync.WaitGroup
		var all []mapping.Tree
		var total exporter.ExporterReport
		for i := range 100 {
			tr := tree(i+1, 5)
			all = append(all, tr)
			done.Go(func() {
				o, _ := toReceiver(t, r.URL(protocol), protocol)
				o.Spool.Base, o.Log = base, nil
				e := one(t, run(t, o, hang, tr))
				mu.Lock()
				defer mu.Unlock()
				total.Exported += e.Exported
				total.Spooled += e.Spooled
				total.Resent += e.Resent
				total.Uncertain += e.Uncertain
				for reason, n := range e.Lost {
					t.Errorf("%d lost: %s", n, reason)
				}
			})
		}
		done.Wait()
		if total.Exported+total.Spooled != 700 || total.Spooled == 0 {
			t.Errorf("accounts %+v", total)
		}
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		o.Spool.Base = base
		left := -1
		for i := 0; i < 50 && left != 0; i++ { // the receiver still fails half of the time
			result, err := sendSpool(t, o, false)
			if err != nil {
				t.Fatal(err)
			}
			total.Uncertain += result.Uncertain
			left = len(result.Left)
		}
		if left != 0 {
			t.Errorf("%d files are left", left)
		}
		count, twice := r.Count(), 0
		for _, id := range ids(all...) {
			if count[id] == 0 {
				t.Errorf("%s is not there", id)
			}
			twice += max(count[id]-1, 0)
		}
		if len(count) != 700 || twice > total.Uncertain || twice == 0 {
			t.Errorf("%d spans; %d were sent again, %d may have been", len(count), twice, total.Uncertain)
		}
	})
}

func sendSpool(t *testing.T, o exporter.Options, all bool) (exporter.SpoolResult, error) {
	t.Helper()
	p := open(t, o)
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	return p.SendSpool(ctx, all)
}

func TestSendSpool(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{})
		base := filepath.Join(t.TempDir(), "cbc-otel")
		with := func(token string) exporter.Options {
			o, _ := toReceiver(t, r.URL(protocol), protocol)
			o.Spool.Base = base
			o.OTLP.Headers = map[string]string{"authorization": token}
			o.OTLP.Timeout = time.Second
			return o
		}
		dead(r)
		run(t, with("a"), hang, tree(1, 1))
		run(t, with("b"), hang, tree(2, 1))
		run(t, with("b"), hang, tree(3, 1))

		result, err := sendSpool(t, with("a"), false)
		if err != nil || result.Spans != 0 || len(result.Left) != 3 || result.Reason == "" {
			t.Errorf("receiver still down: %+v, %v", result, err)
		}
		up(t, r, base)
		result, err = sendSpool(t, with("a"), false)
		if err != nil || result.Spans != 3 || result.Files != 1 || len(result.Left) != 2 || result.Reason != "" {
			t.Errorf("its own: %+v, %v", result, err)
		}
		arrived(t, r, tree(1, 1))
		for _, f := range result.Left {
			if f.Mine || f.Where.Endpoint == "" || f.Where.Protocol != protocol || f.Reason == "" || f.Spans != 3 {
				t.Errorf("left %+v", f)
			}
		}
		result, err = sendSpool(t, with("a"), true)
		if err != nil || result.Spans != 6 || result.Files != 2 || len(result.Left) != 0 {
			t.Errorf("all: %+v, %v", result, err)
		}
		arrived(t, r, numbered(3, 1)...)
		if req := r.Requests()[len(r.Requests())-1]; req.Header.Get("Authorization") != "a" {
			t.Errorf("sent with %q", req.Header.Get("Authorization"))
		}
		if result, err = sendSpool(t, with("a"), true); err != nil || result.Spans != 0 {
			t.Errorf("nothing left: %+v, %v", result, err)
		}
	})
	t.Run("into a file", func(t *testing.T) {
		t.Parallel()
		r := otlptest.New(t, otlptest.Config{})
		dead(r)
		o, _ := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
		run(t, o, hang, tree(1, 1))
		into, path := toFile(t)
		into.Spool = o.Spool
		if _, err := sendSpool(t, into, false); err != exporter.ErrNowhere {
			t.Errorf("error %v", err)
		}
		if result, err := sendSpool(t, into, true); err != nil || result.Spans != 3 || len(readFile(t, path)) != 3 {
			t.Errorf("%+v, %v", result, err)
		}
	})
	t.Run("no spool", func(t *testing.T) {
		t.Parallel()
		o, _ := toReceiver(t, "http://"+otlptest.Refused, exporter.ProtocolHTTP)
		o.Spool.Off = true
		if _, err := sendSpool(t, o, false); err != exporter.ErrNoSpool {
			t.Errorf("error %v", err)
		}
	})
	t.Run("set aside", func(t *testing.T) {
		t.Parallel()
		r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Status: http.StatusBadRequest})})
		o, _ := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
		run(t, o, hang, tree(1, 1))
		if result, err := sendSpool(t, o, false); err != nil || len(result.Left) != 1 || result.Left[0].State != spool.SetAside {
			t.Errorf("%+v, %v", result, err)
		}
		r.SetFault(nil)
		if result, err := sendSpool(t, o, false); err != nil || result.Spans != 0 || len(result.Left) != 1 {
			t.Errorf("sent by itself: %+v, %v", result, err)
		}
		if result, err := sendSpool(t, o, true); err != nil || result.Spans != 3 || len(result.Left) != 0 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

func ExamplePipeline_Spooled() {
	p, err := exporter.Open(exporter.Options{Exporters: []string{"otlp"}, Spool: exporter.Spool{Base: "/nowhere"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	files, err := p.Spooled()
	fmt.Println(len(files), err)
	// Output: 0 <nil>
}
