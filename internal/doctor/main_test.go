package doctor_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// net/http reads the proxy variables of a process once. So they are set for all tests, to a proxy that is only asked
// for names under .proxied.invalid: loopback addresses never go through one, and the other name is in NO_PROXY.
func TestMain(m *testing.M) {
	proxy := httptest.NewServer(http.HandlerFunc(serveProxy))
	for _, name := range []string{"http_proxy", "https_proxy", "no_proxy", "REQUEST_METHOD"} {
		_ = os.Unsetenv(name)
	}
	_ = os.Setenv("HTTP_PROXY", proxy.URL)
	_ = os.Setenv("HTTPS_PROXY", strings.Replace(proxy.URL, "http://", "http://user:hunter2hunter2@", 1))
	_ = os.Setenv("NO_PROXY", "no-such-host.invalid")
	goleak.VerifyTestMain(closing{m, proxy})
}

// closing closes the proxy between the tests and the look for goroutines that are left.
type closing struct {
	*testing.M
	proxy *httptest.Server
}

func (c closing) Run() int {
	defer c.proxy.Close()
	return c.M.Run()
}

// serveProxy leads pPORT.proxied.invalid to that port of this machine. Other names want a password first.
func serveProxy(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(r.URL.Hostname()+r.Host, ".proxied.invalid")
	port, ok := strings.CutPrefix(name, "p")
	if !ok {
		http.Error(w, "who are you?", http.StatusProxyAuthRequired)
		return
	}
	if r.Method == http.MethodConnect {
		tunnel(w, port)
		return
	}
	r.URL.Host, r.RequestURI = "127.0.0.1:"+port, ""
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

func tunnel(w http.ResponseWriter, port string) {
	there, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(there, here)
		_ = there.Close()
		close(done)
	}()
	_, _ = io.Copy(here, there)
	_ = here.Close()
	<-done
}
