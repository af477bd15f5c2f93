// Package jaeger reads traces back from Jaeger by the API its own pages use.
package jaeger

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"cbc-otel/test/e2e/internal/tree"
)

// Client asks one Jaeger.
type Client struct {
	URL string // of the query service, without a path
}

// Trace is a trace as Jaeger returned it.
type Trace struct {
	Spans    []tree.Span
	Warnings []string // of the trace and of its spans: clock skew, missing parents, duplicates
}

// Trace reads one trace. With raw it is as stored: Jaeger otherwise leaves out spans it has twice. ok is false
// when there is no such trace.
func (c Client) Trace(ctx context.Context, id string, raw bool) (t Trace, ok bool, err error) {
	all, err := c.get(ctx, "/api/traces/"+id+"?raw="+fmt.Sprint(raw))
	if err != nil || len(all) == 0 {
		return Trace{}, false, err
	}
	return all[0], true, nil
}

// Wait reads a trace until it has n spans.
func (c Client) Wait(ctx context.Context, id string, n int) (Trace, error) {
	for {
		t, _, err := c.Trace(ctx, id, false)
		if err == nil && len(t.Spans) >= n {
			return t, nil
		}
		select {
		case <-ctx.Done():
			return t, fmt.Errorf("trace %s has %d spans, not %d: %v", id, len(t.Spans), n, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Search returns the traces of a service.
func (c Client) Search(ctx context.Context, service string, limit int) ([]Trace, error) {
	q := url.Values{"service": {service}, "limit": {fmt.Sprint(limit)}, "start": {"0"}, "end": {fmt.Sprint(time.Now().Add(time.Hour).UnixMicro())}, "raw": {"true"}}
	return c.get(ctx, "/api/traces?"+q.Encode())
}

func (c Client) get(ctx context.Context, path string) ([]Trace, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode == http.StatusNotFound {
		return nil, nil
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return nil, fmt.Errorf("%s: %s: %s", path, resp.Status, text)
	}
	var answer struct{ Data []wireTrace }
	dec := json.NewDecoder(resp.Body)
	dec.UseNumber()
	if err := dec.Decode(&answer); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []Trace
	for _, w := range answer.Data {
		out = append(out, w.trace())
	}
	return out, nil
}

type wireTrace struct {
	Spans     []wireSpan
	Processes map[string]struct{ ServiceName string }
	Warnings  []string
}

type wireSpan struct {
	TraceID, SpanID, OperationName, ProcessID string
	StartTime, Duration                       int64
	References                                []struct{ RefType, TraceID, SpanID string }
	Tags                                      []wireTag
	Logs                                      []struct {
		Timestamp int64
		Fields    []wireTag
	}
	Warnings []string
}

type wireTag struct {
	Key, Type string
	Value     any
}

func (w wireTrace) trace() Trace {
	t := Trace{Warnings: w.Warnings}
	for _, s := range w.Spans {
		t.Spans = append(t.Spans, s.span(w.Processes[s.ProcessID].ServiceName))
		for _, text := range s.Warnings {
			t.Warnings = append(t.Warnings, s.OperationName+": "+text)
		}
	}
	return t
}

// span takes out again what Jaeger makes tags of: kind, scope and status.
func (w wireSpan) span(service string) tree.Span {
	s := tree.Span{TraceID: w.TraceID, ID: w.SpanID, Service: service, Name: w.OperationName, Start: w.StartTime, Duration: w.Duration, Tags: tags(w.Tags)}
	for _, r := range w.References {
		if r.RefType == "CHILD_OF" && r.TraceID == w.TraceID && s.Parent == "" {
			s.Parent = r.SpanID
			continue
		}
		s.Links = append(s.Links, r.TraceID+"/"+r.SpanID)
	}
	slices.Sort(s.Links)
	s.Scope = s.Value("otel.scope.name")
	s.Error = s.Tags["error"] == "bool true"
	s.Description = s.Value("otel.status_description")
	for _, key := range []string{"span.kind", "otel.scope.name", "otel.scope.version", "otel.status_code", "otel.status_description", "error", "w3c.tracestate"} {
		delete(s.Tags, key)
	}
	for _, l := range w.Logs {
		e := tree.Event{At: l.Timestamp, Tags: tags(l.Fields)}
		_, e.Name, _ = strings.Cut(e.Tags["event"], " ")
		delete(e.Tags, "event")
		s.Events = append(s.Events, e)
	}
	return s
}

func tags(in []wireTag) map[string]string {
	m := map[string]string{}
	for _, t := range in {
		m[t.Key] = fmt.Sprint(t.Type, " ", t.Value)
	}
	return m
}
