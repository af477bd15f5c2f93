package native

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Bounds of what senders can make us hold.
const (
	maxBody     = 8 << 20 // bytes of a body, also when unpacked
	maxReaders  = 16      // bodies that are held at once; others wait
	maxDecoders = 2       // of them decoded at once: a slow sender does not keep others from it
	readTimeout = 10 * time.Second
)

// Options say how a receiver works. Only Random and Store are required.
type Options struct {
	Listen func() (net.Listener, error) // nil: a free port of 127.0.0.1
	Random io.Reader                    // for the path, which nobody may guess
	Store  *Store

	// Pass sends on what the user wanted to go elsewhere, and answers for it; nil: nothing is.
	Pass *PassOn
}

// Receiver is an OTLP/HTTP receiver for the process that we started. Close it.
type Receiver struct {
	o      Options
	server *http.Server
	base   string        // http://127.0.0.1:PORT/SECRET
	prefix string        // /SECRET/v1/
	read   chan struct{} // slots
	decode chan struct{}
	stop   context.CancelFunc
	ctx    context.Context
	done   chan struct{} // the server has ended

	mu      sync.Mutex
	conns   map[net.Conn]struct{}
	serving int
	quiet   chan struct{} // closed when neither is left; nil: nobody waits
}

// Start begins to listen.
func Start(o Options) (*Receiver, error) {
	secret := make([]byte, 16)
	if _, err := io.ReadFull(o.Random, secret); err != nil {
		return nil, fmt.Errorf("receiver of native telemetry: %w", err)
	}
	listen := o.Listen
	if listen == nil {
		listen = func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	}
	l, err := listen()
	if err != nil {
		return nil, fmt.Errorf("receiver of native telemetry: %w", err)
	}
	path := "/" + hex.EncodeToString(secret)
	r := &Receiver{
		o: o, base: "http://" + l.Addr().String() + path, prefix: path + "/v1/",
		read: make(chan struct{}, maxReaders), decode: make(chan struct{}, maxDecoders), done: make(chan struct{}), conns: map[net.Conn]struct{}{},
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	r.server = &http.Server{
		Handler:           http.HandlerFunc(r.serve),
		ErrorLog:          log.New(io.Discard, "", 0),
		ReadHeaderTimeout: readTimeout,
		ReadTimeout:       readTimeout,
		MaxHeaderBytes:    1 << 16,
		ConnState:         r.connState,
	}
	go func() {
		defer close(r.done)
		_ = r.server.Serve(l)
	}()
	return r, nil
}

// URL is where a signal is to be sent.
func (r *Receiver) URL(s Signal) string { return r.base + "/v1/" + string(s) }

// Close ends it, whatever is going on.
func (r *Receiver) Close() {
	r.stop()
	_ = r.server.Close()
	<-r.done
}

// WaitQuiet waits until no sender is connected and nothing is being passed on, or until the context ends.
func (r *Receiver) WaitQuiet(ctx context.Context) {
	r.mu.Lock()
	if len(r.conns) == 0 && r.serving == 0 {
		r.mu.Unlock()
		return
	}
	if r.quiet == nil {
		r.quiet = make(chan struct{})
	}
	quiet := r.quiet
	r.mu.Unlock()
	select {
	case <-quiet:
	case <-ctx.Done():
	}
}

func (r *Receiver) connState(c net.Conn, s http.ConnState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch s {
	case http.StateNew:
		r.conns[c] = struct{}{}
	case http.StateClosed, http.StateHijacked:
		delete(r.conns, c)
		r.tell()
	}
}

func (r *Receiver) serves(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serving += n
	r.tell()
}

func (r *Receiver) tell() {
	if r.quiet != nil && len(r.conns) == 0 && r.serving == 0 {
		close(r.quiet)
		r.quiet = nil
	}
}

func (r *Receiver) serve(w http.ResponseWriter, hr *http.Request) {
	r.serves(1)
	defer r.serves(-1)
	signal, ok := r.signal(hr)
	if !ok {
		r.o.Store.count(func(c *Counts) { c.Strangers++ })
		http.NotFound(w, hr)
		return
	}
	if hr.Method != http.MethodPost {
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	r.read <- struct{}{}
	defer func() { <-r.read }()
	body, err := io.ReadAll(io.LimitReader(hr.Body, maxBody+1))
	from, known := origin{}, false
	if err == nil && len(body) <= maxBody {
		r.decode <- struct{}{}
		from, known = r.take(signal, hr, body)
		<-r.decode
	}
	switch target := r.o.Pass.target(signal, from, known); {
	case err != nil:
		r.o.Store.count(func(c *Counts) { c.Rejected++ })
		http.Error(w, "body", http.StatusBadRequest)
	case target != nil:
		// The sender gets the answer it would have had, and does with it what it would have done.
		rest := io.Reader(bytes.NewReader(body))
		if len(body) > maxBody {
			rest = io.MultiReader(rest, hr.Body)
			r.o.Store.count(func(c *Counts) { c.Rejected++ })
		}
		err := target.send(r.ctx, w, hr, rest)
		r.o.Store.count(func(c *Counts) {
			if err != nil {
				c.PassFailed++
			} else {
				c.PassedOn++
			}
		})
	case len(body) > maxBody:
		r.o.Store.count(func(c *Counts) { c.Rejected++ })
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	case !known:
		http.Error(w, "not OTLP", http.StatusBadRequest)
	default:
		accept(w, hr)
	}
}

// signal is what the path names, if it is ours.
func (r *Receiver) signal(hr *http.Request) (Signal, bool) {
	path := hr.URL.Path
	if len(path) < len(r.prefix) || subtle.ConstantTimeCompare([]byte(path[:len(r.prefix)]), []byte(r.prefix)) != 1 {
		return "", false
	}
	s := Signal(strings.TrimSuffix(path[len(r.prefix):], "/"))
	return s, s == Traces || s == Logs || s == Metrics
}

// take puts into the store what is in a body, and says whose it is; known is false if it could not be read.
func (r *Receiver) take(signal Signal, hr *http.Request, body []byte) (from origin, known bool) {
	defer func() {
		if recover() != nil { // a fault of ours is not to be the sender's
			r.o.Store.count(func(c *Counts) { c.Rejected++ })
			from, known = origin{}, false
		}
	}()
	p, err := decode(signal, hr.Header.Get("Content-Type"), hr.Header.Get("Content-Encoding"), body)
	if err != nil {
		r.o.Store.count(func(c *Counts) { c.Rejected++ })
		return from, false
	}
	r.o.Store.add(p)
	return p.origin(), true
}

// accept answers as a receiver that took everything: an empty response of the type that was sent.
func accept(w http.ResponseWriter, hr *http.Request) {
	kind := hr.Header.Get("Content-Type")
	w.Header().Set("Content-Type", kind)
	if strings.HasPrefix(kind, "application/json") {
		_, _ = io.WriteString(w, "{}")
	}
}
