package waterfall

import (
	"fmt"
	"strings"

	"cbc-otel/internal/insight"
	"cbc-otel/internal/readable"
)

// findings writes what the time went into, below the tree.
func (d *drawing) findings(b *strings.Builder) {
	w := &d.workflow
	if d.hidden > 0 {
		d.line(b, plain(readable.Count(int64(d.hidden), "span")+" below agents not shown"))
	}
	if len(w.Critical) > 0 {
		var names []string
		for _, id := range w.Critical {
			names = append(names, d.names[id])
		}
		d.line(b, line{{text: d.marks.critical, style: bold}, {text: " critical path: " + strings.Join(names, d.arrow)}})
	}
	if part := waiting(w); part >= worthSaying {
		d.line(b, line{{text: d.wait, style: dim}, {text: fmt.Sprintf(" waiting to start: %s of all agents' time (%s)",
			readable.Percent(part), readable.Duration(w.Queued))}})
	}
	if w.Concurrency > 0 {
		d.line(b, plain(fmt.Sprintf("  at most %d at once, %s of that used: %s of agents in %s",
			w.Concurrency, readable.Percent(w.Efficiency), readable.Duration(w.Active), readable.Duration(w.Wall))))
	}
	for i := range w.Phases {
		d.stragglers(b, &w.Phases[i])
	}
}

// worthSaying is the part of agents' time below which waiting is no finding.
const worthSaying = 0.01

// waiting is the part of agents' time that they waited for their start.
func waiting(w *insight.Workflow) float64 {
	if w.Queued <= 0 {
		return 0
	}
	return float64(w.Queued) / float64(w.Queued+w.Active)
}

// maxNamed bounds how many agents a line names.
const maxNamed = 5

func (d *drawing) stragglers(b *strings.Builder, p *insight.Phase) {
	if len(p.Stragglers) == 0 {
		return
	}
	var names []string
	for _, id := range p.Stragglers[:min(len(p.Stragglers), maxNamed)] {
		names = append(names, d.names[id])
	}
	text := strings.Join(names, ", ")
	if more := len(p.Stragglers) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	d.line(b, plain("  much slower than the others of "+d.names[p.SpanID]+": "+text))
}
