package traces_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

// moved is a tree that ran so much later, as another trace.
func moved(t mapping.Tree, by time.Duration, trace byte) mapping.Tree {
	out := mapping.Tree{TaskID: t.TaskID}
	for _, s := range t.Spans {
		s.Start, s.End, s.TraceID[0], s.TraceID[1], s.Events = s.Start.Add(by), s.End.Add(by), trace, trace, nil
		out.Spans = append(out.Spans, s)
	}
	return out
}

// stored makes a store of a run each hour: traces 0 to n-1 in the order of time.
func stored(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	good, bad := workflows(t, "01-success")[0], workflows(t, "02-interrupt")[0]
	bad.Spans[0].Start = good.Spans[0].Start
	bad.Spans[0].End = bad.Spans[0].Start.Add(time.Second)
	for i := range n {
		tree := good
		if i%3 == 2 {
			tree = bad
		}
		before, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		export(t, "", dir, 0, moved(tree, time.Duration(i)*time.Hour, byte(i)))
		after, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		written := good.Spans[0].Start.Add(time.Duration(i)*time.Hour + time.Minute)
		for _, path := range after {
			if !contains(before, path) {
				must(t, os.Chtimes(path, written, written))
			}
		}
	}
	return dir
}

func contains(list []string, s string) bool {
	return strings.Contains("\n"+strings.Join(list, "\n")+"\n", "\n"+s+"\n")
}

// which lists the traces by the byte that tells them apart.
func which(rows []traces.Summary) (list []byte) {
	for _, r := range rows {
		list = append(list, r.Trace[0])
	}
	return list
}

func TestList(t *testing.T) {
	t.Parallel()
	dir := stored(t, 7)
	first := workflows(t, "01-success")[0].Spans[0].Start
	for _, c := range []struct {
		name   string
		filter traces.Filter
		want   string
	}{
		{"all", traces.Filter{}, "06050403020100"},
		{"the newest", traces.Filter{Limit: 2}, "0605"},
		{"status", traces.Filter{Status: "stopped"}, "0502"},
		{"status and limit", traces.Filter{Status: "stopped", Limit: 1}, "05"},
		{"workflow", traces.Filter{Workflow: "REPO"}, "0604030100"},
		{"another workflow", traces.Filter{Workflow: "no such"}, ""},
		{"since", traces.Filter{Since: first.Add(5 * time.Hour)}, "0605"},
		{"since, later than all", traces.Filter{Since: first.Add(7 * time.Hour)}, ""},
	} {
		o, told := reading()
		s := traces.Store(dir, o)
		for range 2 { // the second time from memory
			rows, err := s.List(c.filter)
			must(t, err)
			if got := hex.EncodeToString(which(rows)); got != c.want || len(*told) > 0 {
				t.Errorf("%s: %s, want %s; told %q", c.name, got, c.want, *told)
			}
		}
	}
}

// With a limit only as many files are read as are needed.
func TestListReadsNoMoreThanItMust(t *testing.T) {
	t.Parallel()
	dir := stored(t, 5)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	must(t, err)
	for _, path := range files {
		info, err := os.Stat(path)
		must(t, err)
		data, err := os.ReadFile(path)
		must(t, err)
		if strings.Contains(string(data), `"traceId":"0000`) || strings.Contains(string(data), `"traceId":"0101`) {
			must(t, os.WriteFile(path, []byte("{\"resourceSpans\":7}\n"), 0o600))
			must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
		}
	}
	o, told := reading()
	rows, err := traces.Store(dir, o).List(traces.Filter{Limit: 2})
	must(t, err)
	if hex.EncodeToString(which(rows)) != "0403" || len(*told) > 0 {
		t.Errorf("%x, told %q", which(rows), *told)
	}
	if rows, err = traces.Store(dir, o).List(traces.Filter{}); err != nil || hex.EncodeToString(which(rows)) != "040302" || len(*told) != 2 {
		t.Errorf("%x, told %q, %v", which(rows), *told, err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := workflows(t, "01-success")[0]
	sibling := moved(good, time.Hour, 1)
	for i := range sibling.Spans { // another workflow of the same trace
		sibling.Spans[i].SpanID[0] ^= 0xff
		sibling.Spans[i].ParentID[0] ^= 0xff
	}
	sibling.Spans[0].ParentID = mapping.SpanID{}
	export(t, "", dir, 0, moved(good, 0, 1))
	export(t, "", dir, 0, sibling, moved(good, 2*time.Hour, 2))
	s := traces.Store(dir, traces.Options{})
	for _, c := range []struct {
		prefix string
		want   int
		err    string
	}{
		{"0101", 2, ""},
		{"02", 1, ""},
		{strings.ToUpper(hex.EncodeToString(sibling.Spans[0].TraceID[:])), 2, ""},
		{hex.EncodeToString(sibling.Spans[0].TraceID[:]) + "/" + hex.EncodeToString(sibling.Spans[0].SpanID[:4]), 1, ""},
		{"0", 0, "0 is the start of several trace ids, 0202"},
		{"ffff", 0, "ffff: no such trace"},
		{"", 0, `"" is no trace id: no such trace`},
		{"audit", 0, `"audit" is no trace id: no such trace`},
	} {
		got, err := s.Open(c.prefix)
		if len(got) != c.want || c.err == "" && err != nil || c.err != "" && (err == nil || !strings.HasPrefix(err.Error(), c.err)) {
			t.Errorf("%q: %d, %v", c.prefix, len(got), err)
		}
		if c.want == 0 && !strings.Contains(c.err, "several") && !errors.Is(err, traces.ErrNotFound) {
			t.Errorf("%q: %v", c.prefix, err)
		}
	}
	if got, _ := s.Open("01"); len(got) == 2 && got[0].Tree.Spans[0].SpanID != sibling.Spans[0].SpanID {
		t.Error("the newest is not the first")
	}
}

func TestNoStore(t *testing.T) {
	t.Parallel()
	s := traces.Store(filepath.Join(t.TempDir(), "no"), traces.Options{})
	if rows, err := s.List(traces.Filter{}); err != nil || len(rows) != 0 {
		t.Errorf("%v %v", rows, err)
	}
	if _, err := s.Open("00"); !errors.Is(err, traces.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestStampChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := traces.Store(dir, traces.Options{})
	seen := map[string]bool{}
	for i := range 3 {
		for range 2 {
			stamp, err := s.Stamp()
			must(t, err)
			seen[stamp] = true
		}
		export(t, "", dir, 0, moved(workflows(t, "01-success")[0], 0, byte(i)))
	}
	if len(seen) != 3 {
		t.Errorf("%d stamps", len(seen))
	}
}

func TestSummaryJSON(t *testing.T) {
	t.Parallel()
	tree := workflows(t, "01-success")[0]
	row, err := json.Marshal(traces.Trace{ID: tree.Spans[0].TraceID, Tree: tree, Path: "p"}.Summary())
	must(t, err)
	for _, part := range []string{`"workflow":"repo-audit"`, `"status":"completed"`, `"duration_ms":2319`, `"agents":6`, `"failed":1`, `"tokens":`, `"path":"p"`} {
		if !strings.Contains(string(row), part) {
			t.Errorf("no %s in %s", part, row)
		}
	}
	// What rules took away is counted again, and what nobody knows is left out.
	for i := range tree.Spans {
		var kept []mapping.Attribute
		for _, a := range tree.Spans[i].Attributes {
			if !strings.HasPrefix(a.Key, mapping.PrefixWorkflowAgents) && a.Key != mapping.KeyUsageTokens && a.Key != mapping.KeyAgentTokens && a.Key != mapping.KeyWorkflowStatus {
				kept = append(kept, a)
			}
		}
		tree.Spans[i].Attributes = kept
	}
	s := traces.Trace{ID: tree.Spans[0].TraceID, Tree: tree}.Summary()
	if s.Agents != 6 || s.Failed != 1 || s.Known || s.Status != "ended" {
		t.Errorf("%+v", s)
	}
}
