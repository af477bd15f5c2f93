package progress

import (
	"fmt"
	"strings"

	"cbc-otel/internal/readable"
	"cbc-otel/mapping"
)

// tell queues the plain lines of what is new in a tree: that it started, each agent that ended, that it is over.
func (p *Progress) tell(t mapping.Tree, first, open bool) {
	root := &t.Spans[0]
	if first && !p.told[root.SpanID] {
		p.told[root.SpanID] = true
		p.say(title(root) + ": started")
	}
	phases := map[mapping.SpanID]string{}
	for i := range t.Spans {
		s := &t.Spans[i]
		switch {
		case s.Kind == mapping.PhaseSpan:
			phases[s.SpanID] = s.Text(mapping.KeyPhaseTitle)
		case s.Kind == mapping.AgentSpan && !s.End.Equal(p.o.OpenEnd) && !p.told[s.SpanID]:
			p.told[s.SpanID] = true
			p.say(agentLine(title(root), phases[s.ParentID], s))
		}
	}
	if !open {
		p.say(ended(t))
	}
}

func agentLine(workflow, phase string, s *mapping.Span) string {
	parts := []string{workflow}
	if phase != "" {
		parts = append(parts, phase)
	}
	line := strings.Join(append(parts, name(s)), ": ")
	line += " " + stateWord(s.Text(mapping.KeyAgentState))
	if started, known := s.Value(mapping.KeyAgentStarted).(bool); started || !known {
		line += " in " + readable.Duration(s.End.Sub(s.Start))
	}
	if n, ok := s.Int(mapping.KeyAgentTokens); ok {
		line += ", " + readable.Thousands(n) + " tokens"
	}
	if m := s.Status.Description; s.Status.Error && m != "" {
		line += ": " + m
	}
	return line
}

// stateWord is a state in a sentence.
func stateWord(state string) string {
	if state == "error" {
		return "failed"
	}
	return orElse(state, "ended")
}

// ended is the line of a workflow that is over.
func ended(t mapping.Tree) string {
	root := &t.Spans[0]
	status := root.Text(mapping.KeyWorkflowStatus)
	line := title(root) + ": " + status + " in " + readable.Duration(root.End.Sub(root.Start))
	if total, ok := root.Int(mapping.PrefixWorkflowAgents + "total"); ok {
		line += ", " + readable.Count(total, "agent")
		if failed, _ := root.Int(mapping.PrefixWorkflowAgents + "error"); failed > 0 {
			line += ", " + readable.Thousands(failed) + " failed"
		}
	}
	if n, ok := root.Int(mapping.KeyUsageTokens); ok {
		line += ", " + readable.Thousands(n) + " tokens"
	}
	if m := root.Status.Description; root.Status.Error && m != "" && m != status {
		line += ": " + m
	}
	return line
}

func title(s *mapping.Span) string {
	if n := s.Text(mapping.KeyWorkflowName); n != "" {
		return "workflow " + n
	}
	return "workflow"
}

func name(s *mapping.Span) string {
	if n := s.Text(mapping.KeyAgentName); n != "" {
		return n
	}
	return s.Name
}

// maxPicture bounds the lines of the picture.
const maxPicture = 12

// picture draws the open workflows: their counts, then the phases that run with their running agents. What there is
// no room for is left out, the heads last.
func (p *Progress) picture(columns, rows int) []string {
	if columns <= 0 {
		columns = 80
	}
	room := maxPicture
	if rows > 0 {
		room = min(room, max(rows-3, 1))
	}
	var lines []string
	for i := range p.open {
		if len(lines) < room {
			lines = append(lines, p.workflow(&p.open[i], room-len(lines)-(len(p.open)-i-1))...)
		}
	}
	lines = lines[:min(len(lines), room)]
	for i := range lines {
		lines[i] = readable.Fit(lines[i], columns-1)
	}
	return lines
}

func (p *Progress) workflow(t *mapping.Tree, room int) []string {
	root := &t.Spans[0]
	now := p.o.Now()
	all := p.count(t, func(*mapping.Span) bool { return true })
	lines := []string{title(root) + " · " + readable.Duration(now.Sub(root.Start)) + " · " + all.String()}
	hidden := 0
	for i := range t.Spans {
		s := &t.Spans[i]
		line := ""
		switch {
		case s.Kind == mapping.PhaseSpan && s.End.Equal(p.o.OpenEnd):
			of := p.count(t, func(a *mapping.Span) bool { return a.ParentID == s.SpanID })
			line = "  " + orElse(s.Text(mapping.KeyPhaseTitle), s.Name) + " · " + of.String()
		case s.Kind == mapping.AgentSpan && p.runs(s):
			line = "    " + name(s) + " " + readable.Duration(now.Sub(s.Start))
			if n, ok := s.Int(mapping.KeyAgentTokens); ok {
				line += " " + readable.Thousands(n) + " tok"
			}
		default:
			continue
		}
		if len(lines) >= max(room-1, 1) {
			hidden++
			continue
		}
		lines = append(lines, line)
	}
	if hidden > 0 && len(lines) < room {
		lines = append(lines, fmt.Sprintf("    and %d more", hidden))
	}
	return lines
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// runs reports whether an agent has started and not ended.
func (p *Progress) runs(s *mapping.Span) bool {
	started, _ := s.Value(mapping.KeyAgentStarted).(bool)
	return started && s.End.Equal(p.o.OpenEnd)
}

// counts are agents as far as they are known now: nobody knows how many will come.
type counts struct {
	ended, failed, running, queued int
	tokens                         int64
}

func (p *Progress) count(t *mapping.Tree, of func(*mapping.Span) bool) (c counts) {
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind != mapping.AgentSpan || !of(s) {
			continue
		}
		switch {
		case p.runs(s):
			c.running++
		case s.End.Equal(p.o.OpenEnd):
			c.queued++
		case s.Text(mapping.KeyAgentState) == "error":
			c.failed++
		default:
			c.ended++
		}
		n, _ := s.Int(mapping.KeyAgentTokens)
		c.tokens += n
	}
	return c
}

func (c counts) String() string {
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{c.ended, "ended"}, {c.failed, "failed"}, {c.running, "running"}, {c.queued, "queued"}} {
		if part.n > 0 {
			parts = append(parts, readable.Thousands(int64(part.n))+" "+part.word)
		}
	}
	if len(parts) == 0 {
		parts = []string{"no agents yet"}
	}
	if c.tokens > 0 {
		return strings.Join(parts, ", ") + " · " + readable.Thousands(c.tokens) + " tok"
	}
	return strings.Join(parts, ", ")
}
