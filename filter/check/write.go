package check

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"cbc-otel/filter"
)

// Style says how a report is written.
type Style struct {
	// HideRemoved writes the length of what would not leave in place of it, for logs that others read.
	HideRemoved bool
	// Changed leaves out what the rules did not change.
	Changed bool
}

// Write writes the report for people.
func (r *Report) Write(w io.Writer, style Style) error {
	p := &printer{Style: style}
	for _, t := range r.Trees {
		p.tree(t)
	}
	p.resource(r.Resource)
	p.hits(r.Hits, r.entries)
	p.canaries(r)
	_, err := io.WriteString(w, p.String())
	return err
}

type printer struct {
	strings.Builder
	Style
}

func (p *printer) linef(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *printer) tree(t TreeDiff) {
	p.linef("workflow %s", strconv.Quote(t.TaskID))
	for _, s := range t.Spans {
		in := strings.Repeat("  ", s.Depth+1)
		if s.Dropped {
			p.linef("%s%s %s: dropped", in, s.Kind, p.removed(s.Name))
			continue
		}
		lines := s.Lines
		name := s.Name
		if len(lines) > 0 && lines[0].Place == "name" {
			if name = fmt.Sprint(lines[0].After); lines[0].Same() {
				lines = lines[1:]
			}
		}
		p.linef("%s%s %s", in, s.Kind, value(name))
		p.changes(in, lines)
	}
}

func (p *printer) resource(list []Change) {
	if len(list) > 0 {
		p.linef("resource")
		p.changes("", list)
	}
}

// changes writes a line for what stays and up to two for what does not: as in a diff, - was and + would leave.
func (p *printer) changes(in string, list []Change) {
	for _, c := range list {
		if c.Same() {
			if !p.Changed {
				p.linef("%s    %s = %s", in, c.Place, value(c.After))
			}
			continue
		}
		if c.Had {
			p.linef("%s  - %s = %s", in, c.Place, p.removed(c.Before))
		}
		if c.Has {
			p.linef("%s  + %s = %s", in, c.Place, value(c.After))
		}
	}
}

// removed is a value that would not leave.
func (p *printer) removed(v any) string {
	if p.HideRemoved {
		return fmt.Sprintf("(%d characters)", len([]rune(fmt.Sprint(v))))
	}
	return value(v)
}

func value(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case []string:
		quoted := make([]string, len(x))
		for i, s := range x {
			quoted[i] = strconv.Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return fmt.Sprint(v)
}

func (p *printer) hits(h filter.Hits, entries map[string]string) {
	p.linef("rules")
	for _, r := range h.Rules {
		note := ""
		if e, ok := entries[r.Rule]; ok {
			note = "  " + strconv.Quote(e)
		}
		if r.Count == 0 {
			note += "  never matched"
		}
		p.linef("  %7d  %s%s", r.Count, r.Rule, note)
	}
	if h.Dropped > 0 {
		p.linef("  %7d  spans dropped", h.Dropped)
	}
	if h.Failed > 0 {
		p.linef("  %7d  spans dropped because a rule could not be applied", h.Failed)
	}
}

func (p *printer) canaries(r *Report) {
	p.linef("canaries")
	p.linef("  %7d  planted", r.Canaries)
	p.linef("  %7d  left where the rules forbid it", len(r.Survivors))
	for _, s := range r.Survivors {
		p.linef("  LEAK: %s", s)
	}
	for _, u := range r.Untested {
		p.linef("  not tested: %s", u)
	}
}
