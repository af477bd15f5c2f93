package metrics

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cbc-otel/mapping"
)

// Collector adds up workflows. It is used by one goroutine at a time.
type Collector struct {
	// WorkflowNames adds gen_ai.workflow.name to the metrics of workflows: for those whose workflows have few names.
	WorkflowNames bool

	series map[string]*series // by name of the metric
}

// series are the points of a metric, by a text of their attributes.
type series struct {
	keys   []string
	points map[string]*Point
}

// Add takes in a finished tree as it leaves, after the rules: what a rule took away is not counted.
func (c *Collector) Add(t mapping.Tree) {
	for i := range t.Spans {
		switch s := &t.Spans[i]; s.Kind {
		case mapping.WorkflowSpan:
			c.workflow(s)
		case mapping.AgentSpan:
			c.agent(s)
		}
	}
}

func (c *Collector) workflow(s *mapping.Span) {
	attrs := pick(s, mapping.KeyErrorType)
	status := pick(s, mapping.KeyWorkflowStatus)
	if c.WorkflowNames {
		name := pick(s, mapping.KeyWorkflowName)
		attrs, status = append(name, attrs...), append(slices.Clone(name), status...)
	}
	c.add(WorkflowDuration, attrs, seconds(s.End.Sub(s.Start)))
	c.add(Workflows, status, 1)
}

func (c *Collector) agent(s *mapping.Span) {
	c.add(Agents, pick(s, mapping.KeyModel, mapping.KeyAgentState), 1)
	if n, ok := s.Int(mapping.KeyAgentTokens); ok {
		c.add(Tokens, pick(s, mapping.KeyModel), float64(n))
	}
	if started, known := s.Value(mapping.KeyAgentStarted).(bool); known && !started || s.Text(mapping.KeyAgentState) == "cached" {
		return // nothing was invoked
	}
	c.add(AgentDuration, pick(s, mapping.KeyModel, mapping.KeyErrorType), seconds(s.End.Sub(s.Start)))
	if n, ok := s.Int(mapping.KeyAgentToolCalls); ok {
		c.add(AgentToolCalls, nil, float64(n))
	}
	if ms, ok := s.Int(mapping.KeyAgentQueue); ok {
		c.add(QueueTime, nil, float64(ms)/1000)
	}
}

// pick returns the attributes of these keys that the span has, as text.
func pick(s *mapping.Span, keys ...string) (attrs []mapping.Attribute) {
	for _, key := range keys {
		if v := s.Value(key); v != nil {
			attrs = append(attrs, mapping.Attribute{Key: key, Value: fmt.Sprint(v)})
		}
	}
	return attrs
}

func seconds(d time.Duration) float64 { return max(d, 0).Seconds() }

// add records a value.
func (c *Collector) add(name string, attrs []mapping.Attribute, value float64) {
	if value < 0 {
		return // no count and no duration
	}
	if c.series == nil {
		c.series = make(map[string]*series)
	}
	s := c.series[name]
	if s == nil {
		s = &series{points: make(map[string]*Point)}
		c.series[name] = s
	}
	p := s.point(attrs)
	p.record(definition(name).Bounds, value)
}

// point returns the point of these attributes, or the one for all others if there are too many.
func (s *series) point(attrs []mapping.Attribute) *Point {
	var b strings.Builder
	for _, a := range attrs {
		fmt.Fprintf(&b, "%q=%q ", a.Key, a.Value)
	}
	key := b.String()
	p := s.points[key]
	if p == nil && len(s.points) >= MaxPoints {
		key, attrs = overflowed, []mapping.Attribute{{Key: overflowed, Value: true}}
		p = s.points[key]
	}
	if p == nil {
		p = &Point{Attributes: attrs}
		s.points[key] = p
		s.keys = append(s.keys, key)
	}
	return p
}

func (p *Point) record(bounds []float64, value float64) {
	if bounds != nil && p.Buckets == nil {
		p.Buckets, p.Min, p.Max = make([]uint64, len(bounds)+1), value, value
	}
	p.Sum += value
	if bounds == nil {
		return
	}
	p.Count++
	p.Min, p.Max = min(p.Min, value), max(p.Max, value)
	at, _ := slices.BinarySearch(bounds, value) // a bound belongs to the bucket it closes
	p.Buckets[at]++
}

func definition(name string) Metric {
	return definitions[slices.IndexFunc(definitions, func(m Metric) bool { return m.Name == name })]
}

// Metrics returns what was recorded, without metrics that have no point. Points are in the order of their attributes.
func (c *Collector) Metrics() []Metric {
	var all []Metric
	for _, m := range definitions {
		s := c.series[m.Name]
		if s == nil {
			continue
		}
		for _, key := range slices.Sorted(slices.Values(s.keys)) {
			m.Points = append(m.Points, *s.points[key])
		}
		all = append(all, m)
	}
	return all
}

// Count is the number of points.
func Count(all []Metric) (n int) {
	for _, m := range all {
		n += len(m.Points)
	}
	return n
}

// Resource returns the attributes of a resource without those that name one session or conversation.
func Resource(attrs []mapping.Attribute) []mapping.Attribute {
	return slices.DeleteFunc(slices.Clone(attrs), func(a mapping.Attribute) bool {
		return a.Key == mapping.KeyConversation || a.Key == "session.id"
	})
}
