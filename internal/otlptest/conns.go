package otlptest

import (
	"net"
	"sync"
)

// conns knows the open connections of its listeners, to be able to cut one.
type conns struct {
	mu   sync.Mutex
	open map[string]net.Conn // by remote address
}

func (c *conns) track(ln net.Listener) net.Listener { return &trackedListener{ln, c} }

func (c *conns) close(addr string) {
	c.mu.Lock()
	conn := c.open[addr]
	c.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
	}
}

func (c *conns) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		_ = conn.Close()
	}
}

type trackedListener struct {
	net.Listener
	conns *conns
}

func (l *trackedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.conns.mu.Lock()
	defer l.conns.mu.Unlock()
	if l.conns.open == nil {
		l.conns.open = make(map[string]net.Conn)
	}
	l.conns.open[conn.RemoteAddr().String()] = conn
	return conn, nil
}

// Refused is an address on which nothing listens: port 1 (tcpmux) of loopback.
const Refused = "127.0.0.1:1"

// BlackHole listens and never answers: connections are made and what is written into them is taken, that is
// all. It returns host:port; the end of the test closes it.
func BlackHole(t TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var c conns
	tracked := c.track(ln)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, err := tracked.Accept(); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		<-done
		c.closeAll()
	})
	return ln.Addr().String()
}
