package viewer

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fake is a source of one workflow that a test changes.
type fake struct {
	mu    sync.Mutex
	stamp string
	all   []traces.Trace
	err   error
}

func (f *fake) set(stamp string, err error, all ...traces.Trace) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stamp, f.err, f.all = stamp, err, all
}

func (f *fake) Stamp() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stamp, nil
}

func (f *fake) List() (rows []traces.Summary, more bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.all {
		rows = append(rows, t.Summary())
	}
	return rows, false, f.err
}

func (f *fake) Open(key string) (traces.Trace, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, ok := find(f.all, key); ok {
		return t, nil
	}
	return traces.Trace{}, errors.Join(f.err, notFound(key))
}

func workflow(name string) traces.Trace {
	id := mapping.TraceID{1}
	return traces.Trace{ID: id, Tree: mapping.Tree{Spans: []mapping.Span{{
		Kind: mapping.WorkflowSpan, TraceID: id, SpanID: mapping.SpanID{2}, Name: "invoke_workflow " + name, Start: at, End: at.Add(time.Second),
		Attributes: []mapping.Attribute{{Key: mapping.KeyWorkflowName, Value: name}},
	}}}}
}

// serve runs a server until the test ends.
func serve(t *testing.T, source Source) (*Server, context.CancelFunc) {
	t.Helper()
	s, err := Listen(0, Options{Source: source, Poll: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s, cancel
}

// client keeps cookies and connections of its own.
func client(t *testing.T) *http.Client {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport, Timeout: 30 * time.Second}
}

func get(t *testing.T, c *http.Client, method, url string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestTokenIsGoodOnce(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, &fake{})
	home := "http://" + s.host + "/"
	token := s.Address()
	c := client(t)
	if r, body := get(t, c, "GET", home, nil); r.StatusCode != 403 || !strings.Contains(body, "Run cbc-otel view again") {
		t.Errorf("without anything: %d %s", r.StatusCode, body)
	}
	if r, _ := get(t, c, "GET", home+"?token=00", nil); r.StatusCode != 403 || len(r.Cookies()) > 0 {
		t.Errorf("a wrong token: %d", r.StatusCode)
	}
	if r, _ := get(t, c, "GET", home+"?token=", nil); r.StatusCode != 403 {
		t.Errorf("no token: %d", r.StatusCode)
	}
	if r, _ := get(t, c, "HEAD", token, nil); r.StatusCode != 403 {
		t.Errorf("looking does not use it up: %d", r.StatusCode)
	}
	r, body := get(t, c, "GET", token, nil)
	if r.StatusCode != 200 || !strings.Contains(body, `content="0;url=/"`) || len(r.Cookies()) != 1 {
		t.Fatalf("%d %s", r.StatusCode, body)
	}
	cookie := r.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Domain != "" || cookie.Name != s.cookie() || strings.Contains(token, cookie.Value) {
		t.Errorf("%+v", cookie)
	}
	if r, _ := get(t, client(t), "GET", token, nil); r.StatusCode != 403 || len(r.Cookies()) > 0 {
		t.Errorf("the second time, for somebody else: %d", r.StatusCode)
	}
	if r, _ := get(t, c, "GET", token, nil); r.StatusCode != 200 {
		t.Errorf("the second time, for the same browser: %d", r.StatusCode)
	}
	if r, body := get(t, c, "GET", home, nil); r.StatusCode != 200 || !strings.Contains(body, "<title>cbc-otel</title>") {
		t.Errorf("the page: %d", r.StatusCode)
	}
	if r, _ := get(t, client(t), "GET", home, func(r *http.Request) { r.AddCookie(&http.Cookie{Name: s.cookie(), Value: "0"}) }); r.StatusCode != 403 {
		t.Errorf("a made up cookie: %d", r.StatusCode)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, &fake{})
	c := client(t)
	get(t, c, "GET", s.Address(), nil)
	_, port, _ := strings.Cut(s.host, ":")
	site := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", value) }
	}
	host := func(value string) func(*http.Request) { return func(r *http.Request) { r.Host = value } }
	for _, q := range []struct {
		name, method, path string
		change             func(*http.Request)
		want               int
	}{
		{"the page", "GET", "/", nil, 200},
		{"its head", "HEAD", "/", nil, 200},
		{"head of events", "HEAD", "/events", nil, 200},
		{"nothing", "GET", "/favicon.ico", nil, 404},
		{"up", "GET", "/../events", nil, 404},
		{"POST", "POST", "/", nil, 405},
		{"PUT", "PUT", "/events", nil, 405},
		{"DELETE", "DELETE", "/", nil, 405},
		{"OPTIONS", "OPTIONS", "/", nil, 405},
		{"a name of others", "GET", "/", host("evil.example:" + port), 421},
		{"a name of others with our token", "GET", "/?token=1", host("evil.example"), 421},
		{"another port", "GET", "/", host("127.0.0.1:1"), 421},
		{"no port", "GET", "/", host("127.0.0.1"), 421},
		{"localhost is ours and has a cookie of its own", "GET", "/", host("localhost:" + port), 403},
		{"another page asks", "HEAD", "/events", site("same-site"), 403},
		{"a page of another site asks", "HEAD", "/events", site("cross-site"), 403},
		{"our page asks", "HEAD", "/events", site("same-origin"), 200},
	} {
		r, body := get(t, c, q.method, "http://"+s.host+q.path, q.change)
		if r.StatusCode != q.want {
			t.Errorf("%s: %d, want %d: %s", q.name, r.StatusCode, q.want, body)
		}
		if q.want == 405 && r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow %q", q.name, r.Header.Get("Allow"))
		}
		for key, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": s.policy, "Access-Control-Allow-Origin": "",
		} {
			if got := r.Header.Get(key); got != want {
				t.Errorf("%s: %s is %q", q.name, key, got)
			}
		}
		if strings.Contains(body, "evil") || strings.Contains(body, "favicon") && q.want != 200 {
			t.Errorf("%s: the answer repeats the request: %s", q.name, body)
		}
	}
	if !strings.HasPrefix(s.policy, "default-src 'none'; ") || !strings.HasPrefix(s.host, "127.0.0.1:") {
		t.Error(s.policy, s.host)
	}
}

// listen opens the events of a path and returns a function that waits for the next one.
func listen(t *testing.T, c *http.Client, url string) func() (name, data string) {
	t.Helper()
	r, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Body.Close() })
	if kind := r.Header.Get("Content-Type"); r.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("%d %s", r.StatusCode, kind)
	}
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	return func() (name, data string) {
		for lines.Scan() {
			line := lines.Text()
			switch {
			case strings.HasPrefix(line, "event: "):
				name = line[len("event: "):]
			case strings.HasPrefix(line, "data: "):
				return name, line[len("data: "):]
			}
		}
		return "", ""
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	f := &fake{}
	s, end := serve(t, f)
	c := client(t)
	get(t, c, "GET", s.Address(), nil)
	list := listen(t, c, "http://"+s.host+"/events")
	one := listen(t, c, "http://"+s.host+"/events?trace="+workflow("x").Key())
	expect := func(next func() (string, string), name string, parts ...string) {
		t.Helper()
		got, data := next()
		if got != name {
			t.Fatalf("%s %s, want %s", got, data, name)
		}
		for _, p := range parts {
			if !strings.Contains(data, p) {
				t.Errorf("%s lacks %s: %s", name, p, data)
			}
		}
	}
	expect(list, "list", `"rows":[]`)
	expect(one, "missing")
	f.set("1", nil, workflow("</script>\u2028\n\nevent: end"))
	expect(list, "list", `"name":"\u003c/script\u003e\u2028\n\nevent: end"`)
	expect(one, "trace", `"full":true`, `"name":"\u003c/script\u003e\u2028\n\nevent: end"`)
	f.set("2", nil, workflow("y"))
	expect(list, "list", `"name":"y"`)
	expect(one, "trace", `"name":"y"`)
	f.set("3", errors.New("disk is gone"))
	expect(list, "trouble", `disk is gone`)
	expect(one, "missing")
	f.set("4", nil, workflow("z"))
	expect(list, "list", `"name":"z"`)
	expect(list, "well")
	expect(one, "trace", `"name":"z"`)
	end()
	expect(list, "end")
	expect(one, "end")
}

func TestBrowser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ system, display, want string }{
		{"darwin", "", "open http://x/"}, {"windows", "", "rundll32 url.dll,FileProtocolHandler http://x/"}, {"linux", ":0", "xdg-open http://x/"}, {"linux", "", ""},
	} {
		got := ""
		if cmd := browser("http://x/", c.system, func(key string) string { return map[string]string{"DISPLAY": c.display}[key] }); cmd != nil {
			got = strings.Join(cmd.Args, " ")
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
