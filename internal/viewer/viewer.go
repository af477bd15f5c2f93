// Package viewer serves the page of traces to the browser of the user who started it, and to nobody else.
//
// It listens on this machine's own address. Every request must name that address as its host (so that a name of
// others that resolves to it is of no use to them) and carry a cookie, which is handed out once, for the token in the
// address that the program prints. It answers GET and HEAD; there is nothing that a request could change.
package viewer

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"cbc-otel/internal/page"
	"cbc-otel/internal/traces"
)

// Source is what is shown. It is used by several goroutines.
type Source interface {
	// Stamp changes whenever List or Open may. It must be cheap.
	Stamp() (string, error)
	// List is newest first; more says that there are older ones.
	List() (rows []traces.Summary, more bool, err error)
	// Open returns one workflow by its key, or an error that is [traces.ErrNotFound].
	Open(key string) (traces.Trace, error)
}

// Options of a server. Zero fields have their defaults.
type Options struct {
	Source Source
	Poll   time.Duration // between two looks at the source while a page listens; default 300 ms
}

const defaultPoll = 300 * time.Millisecond

// Server is one view. Make it with Listen, then call Serve.
type Server struct {
	source   Source
	poll     time.Duration
	listener net.Listener
	host     string // 127.0.0.1:port
	html     []byte
	policy   string
	session  string        // value of the cookie
	over     chan struct{} // closed when listening pages should go

	mu    sync.Mutex
	token string // "" once it was used
}

// Listen takes a port of this machine's own address; 0 is any free one.
func Listen(port int, o Options) (*Server, error) {
	ln, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)))
	if err != nil {
		return nil, err
	}
	s := &Server{source: o.Source, poll: o.Poll, listener: ln, host: ln.Addr().String(), session: secret(), token: secret(), over: make(chan struct{})}
	if s.poll <= 0 {
		s.poll = defaultPoll
	}
	s.html, s.policy = page.Live()
	return s, nil
}

func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Address is what to open. It works once.
func (s *Server) Address() string { return "http://" + s.host + "/?token=" + s.token }

// Serve answers until the context is done.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	close(s.over)
	// Pages are told that it is over; who does not listen is cut off.
	patience, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if server.Shutdown(patience) != nil {
		_ = server.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// redeem says whether this is the token, which then is used up.
func (s *Server) redeem(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		return false
	}
	s.token = ""
	return true
}
