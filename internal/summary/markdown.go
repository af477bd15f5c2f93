package summary

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"cbc-otel/internal/readable"
)

// Markdown renders the workflows; "" if there were none. link is the template of links to traces, or "".
func (s *Summary) Markdown(link string) string {
	var b strings.Builder
	hidden := s.more
	for _, w := range s.workflows {
		if b.Len() > maxBytes {
			hidden++
			continue
		}
		w.markdown(&b, link)
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "%d more workflows are not shown.\n\n", hidden)
	}
	return b.String()
}

func (w *workflow) markdown(b *strings.Builder, link string) {
	fmt.Fprintf(b, "### Workflow %s\n\n", cell(w.name))
	fmt.Fprintf(b, "**%s**", cell(orElse(w.status, "ended")))
	if w.failed && w.description != "" && w.description != w.status {
		fmt.Fprintf(b, " (%s)", cell(w.description))
	}
	fmt.Fprintf(b, " in %s", readable.Duration(w.duration))
	if w.counts.total > 0 {
		fmt.Fprintf(b, " · %s", w.counts.words())
	}
	if w.hasTokens {
		fmt.Fprintf(b, " · %s tokens", readable.Thousands(w.tokens))
	}
	id := "`" + hex.EncodeToString(w.trace[:]) + "`"
	if link != "" {
		id = "[" + id + "](<" + address(Link(link, w.trace)) + ">)"
	}
	fmt.Fprintf(b, " · trace %s\n\n", id)
	w.findings(b)
	w.tables(b)
}

// findings say what the time went into, where there was a choice.
func (w *workflow) findings(b *strings.Builder) {
	in := &w.insight
	if in.Concurrency > 1 {
		fmt.Fprintf(b, "At most %d agents at once, %s of that used", in.Concurrency, readable.Percent(in.Efficiency))
		if part := float64(in.Queued) / float64(max(in.Queued+in.Active, 1)); part >= 0.01 {
			fmt.Fprintf(b, "; %s of their time was waiting to start", readable.Percent(part))
		}
		b.WriteString(".")
	}
	if len(w.path) > 1 {
		if in.Concurrency > 1 {
			b.WriteString(" ")
		}
		cells := make([]string, len(w.path))
		for i, name := range w.path {
			cells[i] = cell(name)
		}
		fmt.Fprintf(b, "Critical path: %s", strings.Join(cells, " → "))
		if n := len(in.Critical) - len(w.path); n > 0 {
			fmt.Fprintf(b, " → %d more", n)
		}
		b.WriteString(".")
	}
	if in.Concurrency > 1 || len(w.path) > 1 {
		b.WriteString("\n\n")
	}
}

func (w *workflow) tables(b *strings.Builder) {
	if len(w.phases) > 0 {
		b.WriteString("| Phase | Agents | Failed | Time | Tokens |\n| --- | ---: | ---: | ---: | ---: |\n")
		for _, p := range w.phases {
			fmt.Fprintf(b, "| %s | %d | %s | %s | %s |\n", cell(p.name), p.counts.total, some(p.counts.failed), readable.Duration(p.duration), tokens(p.tokens, p.hasTokens))
		}
		more(b, w.morePhases, "phases")
	}
	if len(w.slowest) > 1 {
		b.WriteString("| Slowest agents | Phase | State | Time | Tokens |\n| --- | --- | --- | ---: | ---: |\n")
		for _, a := range w.slowest {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", cell(a.name), cell(a.phase), cell(a.state), readable.Duration(a.duration), tokens(a.tokens, a.hasTokens))
		}
		b.WriteString("\n")
	}
	if len(w.failures) > 0 {
		b.WriteString("| Failed agents | Phase | State | Error |\n| --- | --- | --- | --- |\n")
		for _, a := range w.failures {
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(a.name), cell(a.phase), cell(a.state), cell(a.error))
		}
		more(b, w.moreFailed, "failed agents")
	}
}

func more(b *strings.Builder, n int, what string) {
	b.WriteString("\n")
	if n > 0 {
		fmt.Fprintf(b, "%d more %s are not shown.\n\n", n, what)
	}
}

func (c counts) words() string {
	words := readable.Count(c.total, "agent")
	for _, part := range []struct {
		n    int64
		word string
	}{{c.failed, "failed"}, {c.cached, "cached"}, {c.cancelled, "cancelled"}, {c.unfinished, "unfinished"}} {
		if part.n > 0 {
			words += fmt.Sprintf(", %d %s", part.n, part.word)
		}
	}
	return words
}

func tokens(n int64, known bool) string {
	if !known {
		return ""
	}
	return readable.Thousands(n)
}

func some(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
