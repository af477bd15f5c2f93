package viewer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"cbc-otel/internal/page"
	"cbc-otel/internal/traces"
)

const (
	// again is how often a running workflow is looked at although nothing was written: its wrapper may be gone.
	again = 2 * time.Second
	// between is how long a workflow may be neither among the running ones nor among the finished ones.
	between = 3 * time.Second
	// quiet is how long a page hears nothing at most.
	quiet = 15 * time.Second
)

// events streams the list, or with ?trace=KEY one workflow, and then what changes of it, until the page goes or we
// do. Nothing is looked at while no page listens.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead {
		return
	}
	out := &stream{w: w, control: http.NewResponseController(w)}
	l := &listener{source: s.source, key: r.URL.Query().Get("trace")}
	out.comment("cbc-otel view")
	tick := time.NewTicker(s.poll)
	defer tick.Stop()
	for out.err == nil {
		l.look(out, time.Now())
		select {
		case <-r.Context().Done():
			return
		case <-s.over:
			out.event("end", struct{}{})
			return
		case <-tick.C:
		}
	}
}

// listener is one page that listens.
type listener struct {
	source Source
	key    string // of the trace, "" for the list

	stamp    string
	looked   time.Time
	live     bool
	list     []byte // as it was sent
	follower page.Follower
	lost     time.Time // since when the trace is nowhere
	told     bool      // that it is
	trouble  string    // as it was sent
}

// look sends what is new.
func (l *listener) look(out *stream, now time.Time) {
	stamp, err := l.source.Stamp()
	due := now.Sub(l.looked) >= again && (l.live || !l.lost.IsZero())
	if stamp == l.stamp && !l.looked.IsZero() && !due && (l.lost.IsZero() || l.told) {
		if err != nil {
			l.tell(out, err)
		}
		out.keep(now)
		return
	}
	l.stamp, l.looked = stamp, now
	if l.key == "" {
		err = cmp.Or(err, l.sendList(out))
	} else {
		err = cmp.Or(err, l.sendTrace(out, now))
	}
	l.tell(out, err)
	out.keep(now)
}

// listMessage is the list.
type listMessage struct {
	Rows []page.Row `json:"rows"`
	More bool       `json:"more,omitempty"`
}

func (l *listener) sendList(out *stream) error {
	rows, more, err := l.source.List()
	if err != nil {
		return err
	}
	m := listMessage{Rows: make([]page.Row, 0, len(rows)), More: more}
	l.live = false
	for _, r := range rows {
		l.live = l.live || r.Live
		m.Rows = append(m.Rows, page.RowOf(r))
	}
	data, err := json.Marshal(m)
	if err != nil || bytes.Equal(data, l.list) {
		return err
	}
	l.list = data
	out.event("list", json.RawMessage(data))
	return nil
}

func (l *listener) sendTrace(out *stream, now time.Time) error {
	t, err := l.source.Open(l.key)
	if errors.Is(err, traces.ErrNotFound) {
		if l.lost.IsZero() {
			l.lost = now
		}
		if !l.told && (!l.live || now.Sub(l.lost) >= between) {
			l.told = true
			out.event("missing", struct{}{})
		}
		return nil
	}
	if err != nil {
		return err
	}
	l.lost, l.told, l.live = time.Time{}, false, t.Live
	doc, err := l.follower.Next(t)
	if doc != nil {
		out.event("trace", doc)
	}
	return err
}

// tell says what went wrong, once for each change of it, and that nothing does any more.
func (l *listener) tell(out *stream, err error) {
	trouble := ""
	if err != nil {
		trouble = err.Error()
	}
	switch {
	case trouble == l.trouble:
		return
	case trouble == "":
		out.event("well", nil)
	default:
		out.event("trouble", trouble)
	}
	l.trouble = trouble
}

// stream writes events. After an error it writes nothing more.
type stream struct {
	w       io.Writer
	control *http.ResponseController
	last    time.Time
	err     error
}

// writeTimeout is how long a page may take to read an event.
const writeTimeout = 30 * time.Second

func (o *stream) event(name string, data any) {
	line, err := json.Marshal(data) // has no line ends
	if err != nil {
		o.err = err
		return
	}
	o.write("event: " + name + "\ndata: " + string(line) + "\n\n")
}

func (o *stream) comment(text string) { o.write(": " + text + "\n\n") }

// keep says something now and then, which finds out whether anybody is there.
func (o *stream) keep(now time.Time) {
	if now.Sub(o.last) >= quiet {
		o.comment("still here")
	}
}

func (o *stream) write(text string) {
	if o.err != nil {
		return
	}
	o.last = time.Now()
	_ = o.control.SetWriteDeadline(o.last.Add(writeTimeout))
	if _, o.err = io.WriteString(o.w, text); o.err == nil {
		o.err = o.control.Flush()
	}
}
