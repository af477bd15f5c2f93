// Package otlptest is an OTLP receiver of traces and metrics for tests: real gRPC and HTTP servers on free loopback ports that
// record what arrives and misbehave when told to.
package otlptest

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
)

// TracesPath is where OTLP/HTTP has traces.
const TracesPath = "/v1/traces"

// DefaultMaxMessage is the largest message a receiver takes by default, in bytes; gRPC's own default.
const DefaultMaxMessage = 4 << 20

// Config of a [Receiver]. The zero value is a well-behaved plaintext one.
type Config struct {
	GRPCAddr, HTTPAddr string // host:port, to come back where another one was; default a free port
	TLS                *TLS   // nil: plaintext
	Path               string // of traces over HTTP; default TracesPath, other paths are not found
	MaxMessage         int    // bytes after decompression; 0: DefaultMaxMessage
	Fault              Fault  // nil: every request is taken
}

// Receiver records the requests it got. It is safe for concurrent use.
type Receiver struct {
	config Config
	conns  conns
	grpc   *grpc.Server
	http   *http.Server
	grpcLn net.Listener
	httpLn net.Listener
	served sync.WaitGroup
	quit   chan struct{} // closed by Close: requests that hang end

	mu       sync.Mutex
	fault    Fault
	requests []*Request
	arrived  chan struct{} // closed and replaced with each request
}

// Request is one export request.
type Request struct {
	Number     int    // from 1, in the order of arrival over both protocols
	Protocol   string // grpc, http/protobuf or http/json
	Path       string // HTTP path, or gRPC method
	Query      string // HTTP only
	Header     http.Header
	Encoding   string // gzip or ""
	Size       int    // of the message, bytes after decompression
	RemoteAddr string
	At         time.Time
	Data       *tracepb.TracesData
	Metrics    *metricspb.MetricsData // of a request for metrics, which has no Data
	Taken      bool                   // the receiver kept the spans or points, whatever it answered
}

// Span is a span that arrived, with the resource and scope it came under.
type Span struct {
	*tracepb.Span
	Resource map[string]string // values as text
	Scope    string            // name@version
}

// ID is the span's trace and span id in hex, as trace/span.
func (s Span) ID() string {
	return hex.EncodeToString(s.GetTraceId()) + "/" + hex.EncodeToString(s.GetSpanId())
}

// Start starts a receiver. Close it.
func Start(config Config) (*Receiver, error) {
	if config.MaxMessage == 0 {
		config.MaxMessage = DefaultMaxMessage
	}
	if config.Path == "" {
		config.Path = TracesPath
	}
	r := &Receiver{config: config, fault: config.Fault, arrived: make(chan struct{}), quit: make(chan struct{})}
	var err error
	if r.grpcLn, err = r.listen(config.GRPCAddr); err != nil {
		return nil, err
	}
	if r.httpLn, err = r.listen(config.HTTPAddr); err != nil {
		return nil, errors.Join(err, r.grpcLn.Close())
	}
	r.grpc = r.newGRPC()
	r.http = r.newHTTP()
	r.served.Go(func() { _ = r.grpc.Serve(r.grpcLn) })
	r.served.Go(func() {
		if config.TLS != nil {
			_ = r.http.Serve(tls.NewListener(r.httpLn, config.TLS.server("h2", "http/1.1")))
			return
		}
		_ = r.http.Serve(r.httpLn)
	})
	return r, nil
}

func (r *Receiver) listen(addr string) (net.Listener, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	return r.conns.track(ln), nil
}

// TB is what New needs of a testing.TB.
type TB interface {
	Helper()
	Cleanup(func())
	Fatal(args ...any)
}

// New starts a receiver that the end of the test closes.
func New(t TB, config Config) *Receiver {
	t.Helper()
	r, err := Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// Close ends the receiver and every connection at once, as a crash would. It may be called twice.
func (r *Receiver) Close() {
	r.mu.Lock()
	select {
	case <-r.quit:
	default:
		close(r.quit)
	}
	r.mu.Unlock()
	_ = r.grpcLn.Close()
	_ = r.httpLn.Close()
	r.conns.closeAll()
	r.grpc.Stop()
	_ = r.http.Close()
	r.served.Wait()
}

// GRPCAddr and HTTPAddr are host:port.
func (r *Receiver) GRPCAddr() string { return r.grpcLn.Addr().String() }
func (r *Receiver) HTTPAddr() string { return r.httpLn.Addr().String() }

// GRPCURL and HTTPURL are endpoints as OTEL_EXPORTER_OTLP_ENDPOINT has them.
func (r *Receiver) GRPCURL() string { return r.scheme() + "://" + r.GRPCAddr() }
func (r *Receiver) HTTPURL() string { return r.scheme() + "://" + r.HTTPAddr() }

// URL is GRPCURL for the protocol grpc, else HTTPURL.
func (r *Receiver) URL(protocol string) string {
	if protocol == "grpc" {
		return r.GRPCURL()
	}
	return r.HTTPURL()
}

func (r *Receiver) scheme() string {
	if r.config.TLS != nil {
		return "https"
	}
	return "http"
}

// SetFault changes how requests from now on are answered; nil: all are taken.
func (r *Receiver) SetFault(f Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fault = f
}

// Requests returns the requests so far, in the order of their arrival.
func (r *Receiver) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Request, len(r.requests))
	for i, req := range r.requests {
		all[i] = *req
	}
	return all
}

// Spans returns the spans that were taken, in the order of their arrival; a span sent twice is there twice.
func (r *Receiver) Spans() []Span {
	var all []Span
	for _, req := range r.Requests() {
		if req.Taken {
			all = append(all, Flatten(req.Data)...)
		}
	}
	return all
}

// Count returns how often each span, by [Span.ID], was taken.
func (r *Receiver) Count() map[string]int {
	count := make(map[string]int)
	for _, s := range r.Spans() {
		count[s.ID()]++
	}
	return count
}

// Wait waits until at least n spans were taken; false if ctx ended first.
func (r *Receiver) Wait(ctx context.Context, n int) bool {
	return r.wait(ctx, func() bool { return len(r.Spans()) >= n })
}

// WaitRequests waits until at least n requests have arrived, answered or not; false if ctx ended first.
func (r *Receiver) WaitRequests(ctx context.Context, n int) bool {
	return r.wait(ctx, func() bool { return len(r.Requests()) >= n })
}

func (r *Receiver) wait(ctx context.Context, done func() bool) bool {
	for {
		r.mu.Lock()
		arrived := r.arrived
		r.mu.Unlock()
		if done() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-arrived:
		}
	}
}

// receive records a request and decides its answer; it returns once the answer is due.
func (r *Receiver) receive(ctx context.Context, req *Request) Answer {
	r.mu.Lock()
	req.Number, req.At = len(r.requests)+1, time.Now()
	r.requests = append(r.requests, req)
	fault := r.fault
	r.signal()
	r.mu.Unlock()

	var a Answer
	switch {
	case req.Protocol != "grpc" && req.Metrics == nil && req.Path != r.config.Path:
		a = Answer{Status: http.StatusNotFound, Message: "404 page not found"}
	case fault != nil:
		a = fault(*req)
	}
	if a.Hang {
		a.Delay = time.Hour
	}
	if a.Delay > 0 {
		timer := time.NewTimer(a.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return Answer{Drop: true}
		case <-r.quit:
			return Answer{Drop: true}
		}
	}
	if a.Status == 0 {
		r.mu.Lock()
		req.Taken = true
		r.signal()
		r.mu.Unlock()
	}
	return a
}

// signal wakes who waits; r.mu is held.
func (r *Receiver) signal() {
	close(r.arrived)
	r.arrived = make(chan struct{})
}

// Flatten lists the spans of data.
func Flatten(data *tracepb.TracesData) []Span {
	var all []Span
	for _, rs := range data.GetResourceSpans() {
		resource := make(map[string]string)
		for _, kv := range rs.GetResource().GetAttributes() {
			resource[kv.GetKey()] = Text(kv.GetValue())
		}
		for _, ss := range rs.GetScopeSpans() {
			scope := fmt.Sprintf("%s@%s", ss.GetScope().GetName(), ss.GetScope().GetVersion())
			for _, s := range ss.GetSpans() {
				all = append(all, Span{Span: s, Resource: resource, Scope: scope})
			}
		}
	}
	return slices.Clip(all)
}
