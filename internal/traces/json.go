package traces

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"cbc-otel/internal/insight"
	"cbc-otel/mapping"
)

// MarshalJSON writes the summary, what its time went into, the resource and all spans. Times are in UTC, durations in
// milliseconds, ids in hexadecimal digits.
func (t Trace) MarshalJSON() ([]byte, error) {
	summary, err := json.Marshal(t.Summary())
	if err != nil {
		return nil, err
	}
	type event struct {
		Name       string         `json:"name"`
		Time       time.Time      `json:"time"`
		Attributes map[string]any `json:"attributes,omitempty"`
	}
	type span struct {
		Kind       string         `json:"kind,omitempty"`
		ID         string         `json:"span_id"`
		Parent     string         `json:"parent_id,omitempty"`
		Name       string         `json:"name"`
		Start      time.Time      `json:"start"`
		Duration   float64        `json:"duration_ms"`
		Error      *string        `json:"error,omitempty"`
		Open       bool           `json:"open,omitempty"`
		Attributes map[string]any `json:"attributes,omitempty"`
		Events     []event        `json:"events,omitempty"`
	}
	spans := make([]span, 0, len(t.Tree.Spans))
	for i := range t.Tree.Spans {
		s := &t.Tree.Spans[i]
		out := span{
			Kind: string(s.Kind), ID: hex.EncodeToString(s.SpanID[:]), Name: s.Name, Start: s.Start.UTC(), Duration: ms(s.End.Sub(s.Start)),
			Open: t.Open[s.SpanID], Attributes: object(s.Attributes),
		}
		if !s.ParentID.IsZero() {
			out.Parent = hex.EncodeToString(s.ParentID[:])
		}
		if s.Status.Error {
			out.Error = &s.Status.Description
		}
		for _, e := range s.Events {
			out.Events = append(out.Events, event{e.Name, e.Time.UTC(), object(e.Attributes)})
		}
		spans = append(spans, out)
	}
	return json.Marshal(struct {
		Summary  json.RawMessage `json:"summary"`
		Insight  any             `json:"insight"`
		Resource map[string]any  `json:"resource,omitempty"`
		Spans    []span          `json:"spans"`
	}{summary, insights(insight.Of(t.Tree)), object(t.Resource), spans})
}

func insights(w insight.Workflow) any {
	type figures struct {
		Wall        float64 `json:"wall_ms"`
		Active      float64 `json:"active_ms"`
		Queued      float64 `json:"queued_ms"`
		Concurrency int     `json:"concurrency"`
		Efficiency  float64 `json:"efficiency"`
	}
	type phase struct {
		ID    string `json:"span_id"`
		Title string `json:"title"`
		figures
		Critical   string   `json:"critical_agent,omitempty"`
		Stragglers []string `json:"stragglers,omitempty"`
	}
	phases := make([]phase, 0, len(w.Phases))
	for _, p := range w.Phases {
		out := phase{hex.EncodeToString(p.SpanID[:]), p.Title, figures{ms(p.Wall), ms(p.Active), ms(p.Queued), p.Concurrency, p.Efficiency}, "", ids(p.Stragglers)}
		if !p.Critical.IsZero() {
			out.Critical = hex.EncodeToString(p.Critical[:])
		}
		phases = append(phases, out)
	}
	return struct {
		figures
		Critical []string `json:"critical_path"`
		Phases   []phase  `json:"phases"`
	}{figures{ms(w.Wall), ms(w.Active), ms(w.Queued), w.Concurrency, w.Efficiency}, ids(w.Critical), phases}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func ids(list []mapping.SpanID) []string {
	out := make([]string, 0, len(list))
	for _, id := range list {
		out = append(out, hex.EncodeToString(id[:]))
	}
	return out
}

func object(attrs []mapping.Attribute) map[string]any {
	out := make(map[string]any, len(attrs))
	for _, a := range attrs {
		out[a.Key] = a.Value
	}
	return out
}
