package native

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

func start(t *testing.T, o Options) *Receiver {
	t.Helper()
	if o.Store == nil {
		o.Store = NewStore(StoreOptions{})
	}
	o.Random = rand.Reader
	r, err := Start(o)
	check(t, err)
	t.Cleanup(r.Close)
	return r
}

// post sends one request on a connection of its own.
func post(t *testing.T, url, contentType, encoding string, body io.Reader) (status int, answer string) {
	t.Helper()
	hr, err := http.NewRequest(http.MethodPost, url, body)
	check(t, err)
	hr.Header.Set("Content-Type", contentType)
	hr.Header.Set("X-Team", "mine")
	if encoding != "" {
		hr.Header.Set("Content-Encoding", encoding)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(hr)
	check(t, err)
	defer resp.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(resp.Body)
	check(t, err)
	return resp.StatusCode, string(data)
}

const (
	asJSON     = "application/json"
	asProtobuf = "application/x-protobuf"
)

// Whatever way it is sent, it is the same.
func TestEncodings(t *testing.T) {
	t.Parallel()
	all := bodies(t, "2.1.220-success")
	for _, tt := range []struct {
		name, contentType, encoding string
		of                          func(body) []byte
	}{
		{"JSON", asJSON, "", func(b body) []byte { return b.Body }},
		{"JSON, packed", asJSON, "gzip", func(b body) []byte { return packed(b.Body) }},
		{"protobuf", asProtobuf, "", func(b body) []byte { return b.protobuf(t) }},
		{"protobuf, packed", asProtobuf, "gzip", func(b body) []byte { return packed(b.protobuf(t)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := NewStore(StoreOptions{})
			r := start(t, Options{Store: store})
			for _, b := range all {
				if status, answer := post(t, r.URL(b.Signal), tt.contentType, tt.encoding, bytes.NewReader(tt.of(b))); status != http.StatusOK || tt.contentType == asJSON && answer != "{}" {
					t.Fatalf("%d %q", status, answer)
				}
			}
			if c := store.Counts(); c.Spans != 18 || c.Costs != 9 || c.Rejected+c.Foreign+c.Dropped+c.Duplicates > 0 {
				t.Errorf("%+v", c)
			}
			// A sender that had no answer sends again.
			post(t, r.URL(Traces), tt.contentType, tt.encoding, bytes.NewReader(tt.of(all[1])))
			if c := store.Counts(); c.Duplicates == 0 {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestWhatIsNotForUs(t *testing.T) {
	t.Parallel()
	store := NewStore(StoreOptions{})
	r := start(t, Options{Store: store})
	foreign := `{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"my-tests"},"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"x"}]}]}]}`
	root := strings.TrimSuffix(r.URL(Traces), "/v1/traces")
	host := root[:strings.LastIndexByte(root, '/')]
	for _, tt := range []struct {
		name, url, contentType, encoding, body string
		status                                 int
	}{
		{"another program's", r.URL(Traces), asJSON, "", foreign, 200},
		{"metrics", r.URL(Metrics), asProtobuf, "", "whatever", 200},
		{"no secret", host + "/v1/traces", asJSON, "", foreign, 404},
		{"a wrong secret", host + "/" + strings.Repeat("0", 32) + "/v1/traces", asJSON, "", foreign, 404},
		{"another signal", root + "/v1/profiles", asJSON, "", foreign, 404},
		{"garbage", r.URL(Traces), asJSON, "", "{", 400},
		{"garbage as protobuf", r.URL(Traces), asProtobuf, "", "\xff\xff\xff", 400},
		{"another type", r.URL(Traces), "text/plain", "", foreign, 400},
		{"not packed", r.URL(Traces), asJSON, "gzip", foreign, 400},
		{"another packing", r.URL(Traces), asJSON, "br", foreign, 400},
		{"too large", r.URL(Traces), asJSON, "", strings.Repeat(" ", maxBody+1), 413},
		{"too large when unpacked", r.URL(Traces), asJSON, "gzip", string(packed(bytes.Repeat([]byte(" "), maxBody+1))), 400},
	} {
		if status, _ := post(t, tt.url, tt.contentType, tt.encoding, strings.NewReader(tt.body)); status != tt.status {
			t.Errorf("%s: %d, want %d", tt.name, status, tt.status)
		}
	}
	if c := store.Counts(); c.Spans != 0 || c.Foreign != 1 || c.Strangers != 3 || c.Rejected != 7 {
		t.Errorf("%+v", c)
	}
	resp, err := http.Get(r.URL(Traces)) //nolint:noctx // a test
	check(t, err)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", resp.StatusCode)
	}
}

// elsewhere is the user's own destination.
type elsewhere struct {
	*httptest.Server
	mu   sync.Mutex
	got  []string // path, header and body
	wait chan struct{}
}

func newElsewhere(t *testing.T, status int, answer string) *elsewhere {
	e := &elsewhere{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		data, _ := io.ReadAll(hr.Body)
		e.mu.Lock()
		e.got = append(e.got, hr.URL.Path+" "+hr.Header.Get("Content-Type")+" "+hr.Header.Get("X-Team")+" "+string(data))
		e.mu.Unlock()
		if e.wait != nil {
			<-e.wait
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(e.Close)
	return e
}

func passTo(t *testing.T, e *elsewhere, env ...string) *PassOn {
	t.Helper()
	plan, err := NewPlan(append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + e.URL, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"}, env...))
	check(t, err)
	p, err := NewPassOn(plan)
	check(t, err)
	t.Cleanup(p.Close)
	return p
}

// What the user wanted elsewhere gets there unchanged, and the sender has that place's answer.
func TestPassOn(t *testing.T) {
	t.Parallel()
	all := bodies(t, "2.1.220-success")
	traces := all[1].protobuf(t)
	if all[1].Signal != Traces {
		t.Fatal("the recording is another one")
	}
	on := []string{"CLAUDE_CODE_ENABLE_TELEMETRY=1", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1", "OTEL_TRACES_EXPORTER=otlp"}
	for _, tt := range []struct {
		name   string
		env    []string
		body   string
		status int // of the user's place
		got    int // what the sender is answered
		passed bool
		spans  int
	}{
		{"wanted", on, string(traces), 200, 200, true, 8},
		{"refused", on, string(traces), 429, 429, true, 8},
		{"not wanted there", nil, string(traces), 200, 200, false, 8},
		{"what cannot be read", on, "garbage", 200, 200, true, 0},
		{"what is too large", on, strings.Repeat(" ", maxBody+10), 200, 200, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newElsewhere(t, tt.status, "answer")
			store := NewStore(StoreOptions{})
			r := start(t, Options{Store: store, Pass: passTo(t, e, tt.env...)})
			status, answer := post(t, r.URL(Traces), asProtobuf, "", strings.NewReader(tt.body))
			if status != tt.got || tt.passed && answer != "answer" {
				t.Errorf("answered %d %q", status, answer)
			}
			want := "/v1/traces application/x-protobuf mine " + tt.body
			if tt.passed != (len(e.got) == 1 && e.got[0] == want) {
				t.Errorf("%d requests were passed on", len(e.got))
			}
			if c := store.Counts(); c.Spans != tt.spans || c.PassedOn+c.PassFailed != len(e.got) || (c.PassFailed > 0) != (tt.status != 200) {
				t.Errorf("%+v", c)
			}
		})
	}
}

// Nobody is there: the sender hears that it may try again, and what it sent is merged all the same.
func TestPassOnToNobody(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t, 200, "")
	store := NewStore(StoreOptions{})
	r := start(t, Options{Store: store, Pass: passTo(t, e, "CLAUDE_CODE_ENABLE_TELEMETRY=1", "OTEL_LOGS_EXPORTER=otlp")})
	e.Close()
	b := bodies(t, "2.1.220-success")[0]
	if status, _ := post(t, r.URL(Logs), asJSON, "", bytes.NewReader(b.Body)); status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
	if c := store.Counts(); c.PassFailed != 1 || c.Costs == 0 {
		t.Errorf("%+v", c)
	}
}

func TestWaitQuiet(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t, 200, "")
	e.wait = make(chan struct{})
	r := start(t, Options{Pass: passTo(t, e)})
	r.WaitQuiet(context.Background()) // nobody is there
	done := make(chan struct{})
	go func() {
		defer close(done)
		post(t, r.URL(Traces), asProtobuf, "", strings.NewReader("x"))
	}()
	for { // until it hangs
		e.mu.Lock()
		n := len(e.got)
		e.mu.Unlock()
		if n == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.WaitQuiet(ctx) // does not wait longer than it may
	close(e.wait)
	r.WaitQuiet(context.Background())
	<-done
}

// A user's place that hangs does not keep the end from coming.
func TestCloseWhilePassingOn(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t, 200, "")
	e.wait = make(chan struct{})
	defer close(e.wait)
	r := start(t, Options{Pass: passTo(t, e)})
	conn, err := net.Dial("tcp", strings.Split(strings.TrimPrefix(r.URL(Traces), "http://"), "/")[0])
	check(t, err)
	defer conn.Close() //nolint:errcheck // it is over
	_, err = io.WriteString(conn, "POST "+r.prefix+"traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\nContent-Length: 1\r\n\r\nx")
	check(t, err)
	for {
		e.mu.Lock()
		n := len(e.got)
		e.mu.Unlock()
		if n == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	r.Close()
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	taken := func() (net.Listener, error) { return nil, errors.New("address in use") }
	for _, o := range []Options{{Random: rand.Reader, Listen: taken}, {Random: iotest.ErrReader(errors.New("no randomness"))}} {
		if r, err := Start(o); err == nil || !strings.HasPrefix(err.Error(), "receiver of native telemetry: ") {
			t.Errorf("%v, %v", r, err)
		}
	}
}

// Slow senders do not keep others from being heard.
func TestSlowSenders(t *testing.T) {
	t.Parallel()
	store := NewStore(StoreOptions{})
	r := start(t, Options{Store: store})
	host := strings.Split(strings.TrimPrefix(r.URL(Traces), "http://"), "/")[0]
	for range maxReaders / 2 {
		conn, err := net.Dial("tcp", host)
		check(t, err)
		defer conn.Close() //nolint:errcheck // it is over
		_, err = io.WriteString(conn, "POST "+r.prefix+"traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		check(t, err)
	}
	all := bodies(t, "2.1.220-success")
	if status, _ := post(t, r.URL(all[1].Signal), asJSON, "", bytes.NewReader(all[1].Body)); status != http.StatusOK || store.Counts().Spans == 0 {
		t.Errorf("status %d, %+v", status, store.Counts())
	}
}
