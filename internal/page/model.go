package page

import (
	"encoding/hex"
	"math"
	"strconv"
	"time"

	"cbc-otel/internal/insight"
	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

// What the page is told. Times are microseconds since the epoch and durations microseconds: numbers that JavaScript
// holds exactly. Names are short where there is one for each span.

// Row is a workflow in the list, and the head of its trace.
type Row struct {
	Key     string         `json:"key"`
	Trace   string         `json:"trace"`
	Root    string         `json:"root"`
	Name    string         `json:"name"`
	Status  string         `json:"status"`
	Live    bool           `json:"live,omitempty"`
	Start   int64          `json:"start"`
	End     int64          `json:"end"`
	Agents  int64          `json:"agents"`
	Failed  int64          `json:"failed,omitempty"`
	Tokens  *int64         `json:"tokens,omitempty"` // nil if not known
	Command string         `json:"command,omitempty"`
	Path    string         `json:"path,omitempty"`
	States  map[string]int `json:"states,omitempty"` // agents by state; of traces that were read whole
}

// Doc is a trace, or what changed of it.
type Doc struct {
	Full     bool     `json:"full,omitempty"` // everything, not only what changed
	At       int64    `json:"at,omitempty"`   // live: when it was looked at
	Row      Row      `json:"row"`
	Keys     []string `json:"keys"` // of attributes: these are pairs of a place in here and a value
	Resource []any    `json:"resource,omitempty"`
	Spans    []Span   `json:"spans"`
	Gone     []string `json:"gone,omitempty"` // spans that are no longer there
	Insight  Insight  `json:"insight"`
}

// Span is one bar.
type Span struct {
	ID         string  `json:"i"`
	Parent     string  `json:"p,omitempty"`
	Kind       string  `json:"k,omitempty"`
	Name       string  `json:"n"`
	Title      string  `json:"t,omitempty"` // what to show, where it is not the name
	Start      int64   `json:"s"`
	End        int64   `json:"e,omitempty"` // absent of one that is open
	Open       int     `json:"o,omitempty"`
	State      string  `json:"st,omitempty"`
	Queue      int64   `json:"q,omitempty"` // waited so long before its start
	Never      int     `json:"w,omitempty"` // never started: what is between start and end is waiting
	Tokens     *int64  `json:"tk,omitempty"`
	Error      *string `json:"x,omitempty"` // description; present if it failed
	Attributes []any   `json:"a,omitempty"`
	Events     [][]any `json:"v,omitempty"` // name, time, attributes
	Links      [][]any `json:"l,omitempty"` // trace id, span id, attributes
}

// Insight is [insight.Workflow].
type Insight struct {
	Wall        int64    `json:"wall"`
	Active      int64    `json:"active"`
	Queued      int64    `json:"queued"`
	Concurrency int      `json:"concurrency"`
	Efficiency  float64  `json:"efficiency"`
	Critical    []string `json:"critical,omitempty"`
	Phases      []Phase  `json:"phases,omitempty"`
}

// Phase is [insight.Phase].
type Phase struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Wall        int64    `json:"wall"`
	Active      int64    `json:"active"`
	Queued      int64    `json:"queued"`
	Concurrency int      `json:"concurrency"`
	Efficiency  float64  `json:"efficiency"`
	Tokens      int64    `json:"tokens"`
	Critical    string   `json:"critical,omitempty"`
	Stragglers  []string `json:"stragglers,omitempty"`
}

// RowOf translates a row of a listing.
func RowOf(s traces.Summary) Row {
	r := Row{
		Key: s.Key(), Trace: hex.EncodeToString(s.Trace[:]), Root: hex.EncodeToString(s.Root[:]),
		Name: s.Workflow, Status: s.Status, Live: s.Live, Start: s.Start.UnixMicro(), End: s.Start.Add(s.Duration).UnixMicro(),
		Agents: s.Agents, Failed: s.Failed, Command: s.Command, Path: s.Path,
	}
	if s.Known {
		r.Tokens = &s.Tokens
	}
	return r
}

// DocOf translates a trace, whole.
func DocOf(t traces.Trace) Doc {
	e := encoder{places: map[string]int{}}
	d := Doc{Full: true, Row: RowOf(t.Summary()), Insight: insightOf(t.Tree), Spans: make([]Span, 0, len(t.Tree.Spans))}
	if t.Live {
		d.At = d.Row.End
	}
	d.Row.States = map[string]int{}
	d.Resource = e.attributes(t.Resource)
	for i := range t.Tree.Spans {
		s := e.span(&t.Tree.Spans[i], t.Open[t.Tree.Spans[i].SpanID])
		if s.Kind == string(mapping.AgentSpan) {
			d.Row.States[s.State]++
		}
		d.Spans = append(d.Spans, s)
	}
	d.Keys = e.keys
	return d
}

func insightOf(t mapping.Tree) Insight {
	w := insight.Of(t)
	in := Insight{
		Wall: w.Wall.Microseconds(), Active: w.Active.Microseconds(), Queued: w.Queued.Microseconds(),
		Concurrency: w.Concurrency, Efficiency: number(w.Efficiency), Critical: ids(w.Critical),
	}
	for _, p := range w.Phases {
		phase := Phase{
			ID: hex.EncodeToString(p.SpanID[:]), Title: p.Title, Wall: p.Wall.Microseconds(), Active: p.Active.Microseconds(),
			Queued: p.Queued.Microseconds(), Concurrency: p.Concurrency, Efficiency: number(p.Efficiency),
			Tokens: p.Tokens, Stragglers: ids(p.Stragglers),
		}
		if !p.Critical.IsZero() {
			phase.Critical = hex.EncodeToString(p.Critical[:])
		}
		in.Phases = append(in.Phases, phase)
	}
	return in
}

func ids(list []mapping.SpanID) []string {
	var out []string
	for _, id := range list {
		out = append(out, hex.EncodeToString(id[:]))
	}
	return out
}

// number rounds what is shown as a percentage.
func number(f float64) float64 { return math.Round(f*1000) / 1000 }

// encoder numbers the keys of attributes.
type encoder struct {
	keys   []string
	places map[string]int
}

func (e *encoder) span(s *mapping.Span, open bool) Span {
	out := Span{
		ID: hex.EncodeToString(s.SpanID[:]), Kind: string(s.Kind), Name: s.Name, Start: s.Start.UnixMicro(), End: s.End.UnixMicro(),
		Attributes: e.attributes(s.Attributes),
	}
	if title := title(s); title != s.Name {
		out.Title = title
	}
	if !s.ParentID.IsZero() {
		out.Parent = hex.EncodeToString(s.ParentID[:])
	}
	if open {
		out.Open, out.End = 1, 0
	}
	if s.Status.Error {
		out.Error = &s.Status.Description
	}
	switch s.Kind {
	case mapping.AgentSpan:
		e.agent(&out, s)
	case mapping.PhaseSpan:
		out.Tokens = tokens(s)
	case mapping.WorkflowSpan:
		out.Tokens = tokens(s)
		out.State = s.Text(mapping.KeyWorkflowStatus)
	}
	for _, v := range s.Events {
		out.Events = append(out.Events, []any{v.Name, v.Time.UnixMicro(), e.list(v.Attributes)})
	}
	for _, l := range s.Links {
		out.Links = append(out.Links, []any{hex.EncodeToString(l.Context.TraceID[:]), hex.EncodeToString(l.Context.SpanID[:]), e.list(l.Attributes)})
	}
	return out
}

// agent adds what rows show of an agent. Rules may have taken any attribute away.
func (e *encoder) agent(out *Span, s *mapping.Span) {
	out.Tokens = tokens(s)
	out.State = s.Text(mapping.KeyAgentState)
	if out.State == "" {
		out.State = "done"
		if s.Status.Error {
			out.State = "error"
		}
	}
	if started, ok := s.Value(mapping.KeyAgentStarted).(bool); ok && !started {
		out.Never = 1
	} else {
		out.Queue = insight.Wait(s).Microseconds()
	}
}

func tokens(s *mapping.Span) *int64 {
	if n, ok := mapping.Tokens(s); ok {
		return &n
	}
	return nil
}

// title is a span's name without its first word where that is the kind.
func title(s *mapping.Span) string {
	key := ""
	switch s.Kind {
	case mapping.WorkflowSpan:
		key = mapping.KeyWorkflowName
	case mapping.PhaseSpan:
		key = mapping.KeyPhaseTitle
	case mapping.AgentSpan:
		key = mapping.KeyAgentName
	}
	if name := s.Text(key); key != "" && name != "" {
		return name
	}
	return s.Name
}

func (e *encoder) attributes(list []mapping.Attribute) []any {
	var flat []any
	for _, a := range list {
		place, ok := e.places[a.Key]
		if !ok {
			place = len(e.keys)
			e.places[a.Key] = place
			e.keys = append(e.keys, a.Key)
		}
		flat = append(flat, place, value(a.Value))
	}
	return flat
}

// list is attributes where there must be a list.
func (e *encoder) list(attrs []mapping.Attribute) []any {
	if flat := e.attributes(attrs); flat != nil {
		return flat
	}
	return []any{}
}

// exactly is the largest integer that JavaScript holds exactly.
const exactly = 1<<53 - 1

// value keeps what JSON and JavaScript can hold; other numbers become text.
func value(v any) any {
	switch v := v.(type) {
	case int64:
		if v > exactly || v < -exactly {
			return strconv.FormatInt(v, 10)
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case time.Duration:
		return v.String()
	}
	return v
}
