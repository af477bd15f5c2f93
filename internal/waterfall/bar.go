package waterfall

import (
	"strings"
	"time"

	"cbc-otel/internal/insight"
	"cbc-otel/internal/readable"
	"cbc-otel/mapping"
)

// bar marks a span's part of the workflow's time, at least a sliver, and with insights how long it waited before.
func (d *drawing) bar(s *mapping.Span, style string) line {
	n := d.barWidth
	if !d.root.End.After(d.root.Start) {
		return line{{text: strings.Repeat(" ", n)}}
	}
	from := d.column(s.Start)
	queued, to := from, max(d.column(s.End), from)
	if d.Insights && s.Kind == mapping.AgentSpan {
		if wait := insight.Wait(s); wait > 0 && wait >= s.End.Sub(s.Start) && neverStarted(s) {
			from = to // it waited all the time
		} else if wait > 0 {
			queued = min(d.column(s.Start.Add(-wait)), from)
		}
	}
	run := strings.Repeat(d.full, to-from)
	if from == to && queued == from {
		queued = min(from, n-1)
		from, to, run = queued, queued+1, d.sliver
	}
	return line{
		{text: strings.Repeat(" ", queued)},
		{text: strings.Repeat(d.wait, from-queued), style: dim},
		{text: run, style: style},
		{text: strings.Repeat(" ", n-to)},
	}
}

func neverStarted(s *mapping.Span) bool {
	started, known := s.Value(mapping.KeyAgentStarted).(bool)
	return known && !started
}

// column is where a time is on the axis.
func (d *drawing) column(t time.Time) int {
	part := float64(t.Sub(d.root.Start)) / float64(d.root.End.Sub(d.root.Start))
	return min(max(int(part*float64(d.barWidth)+0.5), 0), d.barWidth)
}

// steps are the distances between two marks of a time axis.
var steps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second,
	15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// axis writes the times at even distances above the bars.
func (d *drawing) axis(b *strings.Builder) {
	wall := d.root.End.Sub(d.root.Start)
	if wall <= 0 || len(d.rows) == 0 {
		return
	}
	text := ""
	for _, step := range steps {
		if ticks, ok := d.ticks(wall, step); ok {
			text = ticks
			break
		}
	}
	d.line(b, line{{text: strings.Repeat(" ", d.nameWidth+3) + text, style: dim}})
}

// ticks writes an axis with this step, if the times do not run into each other.
func (d *drawing) ticks(wall, step time.Duration) (text string, ok bool) {
	if wall/step > time.Duration(d.barWidth) {
		return "", false
	}
	for at := time.Duration(0); at <= wall; at += step {
		column := d.column(d.root.Start.Add(at))
		label := tick(at)
		if column+len(label) > d.barWidth {
			break
		}
		if at > 0 && column < len(text)+2 {
			return "", false
		}
		text = readable.Pad(text, column) + label
	}
	return text, true
}

// tick is a duration without its zeros: 500ms, 1m30s, 2h.
func tick(d time.Duration) string {
	text := d.String()
	if d >= time.Minute && d%time.Minute == 0 {
		text = strings.TrimSuffix(text, "0s")
	}
	if d >= time.Hour && d%time.Hour == 0 {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
