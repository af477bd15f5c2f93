package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"cbc-otel/mapping"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var at = time.Date(2026, 12, 1, 12, 0, 0, 123456789, time.UTC)

// tree is a workflow with n agents, the last of which is open.
func tree(task byte, n int) mapping.Tree {
	root := mapping.Span{
		Kind: mapping.WorkflowSpan, TraceID: mapping.TraceID{task, 1}, SpanID: mapping.SpanID{task, 2},
		ParentID: mapping.SpanID{9}, Parent: mapping.SpanContext{TraceID: mapping.TraceID{task, 1}, SpanID: mapping.SpanID{9}, Sampled: true, TraceState: "a=b"},
		Name: "invoke_workflow audit", Start: at, End: OpenEnd,
		Attributes: []mapping.Attribute{
			{Key: "s", Value: "text"}, {Key: "i", Value: int64(-7)}, {Key: "f", Value: 0.5}, {Key: "b", Value: false}, {Key: "l", Value: []string{"x", ""}},
		},
		Events: []mapping.SpanEvent{{Name: "cbc.status", Time: at, Attributes: []mapping.Attribute{{Key: "status", Value: "running"}}}},
		Links:  []mapping.Link{{Context: mapping.SpanContext{TraceID: mapping.TraceID{5}, SpanID: mapping.SpanID{6}}, Attributes: []mapping.Attribute{{Key: "k", Value: "v"}}}},
		Status: mapping.Status{Error: true, Description: "stream ended"},
	}
	t := mapping.Tree{TaskID: fmt.Sprintf("task-%d", task), Spans: []mapping.Span{root}}
	for i := range n {
		end := at.Add(time.Duration(i+1) * time.Second)
		if i == n-1 {
			end = OpenEnd
		}
		t.Spans = append(t.Spans, mapping.Span{
			Kind: mapping.AgentSpan, TraceID: root.TraceID, SpanID: mapping.SpanID{task, 3, byte(i >> 8), byte(i)}, ParentID: root.SpanID,
			Name: fmt.Sprint("invoke_agent ", i), Start: at, End: end,
		})
	}
	return t
}

func closed(t mapping.Tree, end time.Time) mapping.Tree {
	out := mapping.Tree{TaskID: t.TaskID}
	for _, s := range t.Spans {
		if s.End.Equal(OpenEnd) {
			s.End = end
		}
		out.Spans = append(out.Spans, s)
	}
	return out
}

// abandon leaves the file as a killed process does: unlocked, not closed in order.
func abandon(t *testing.T, w *Writer) {
	t.Helper()
	if err := w.lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.file.Close() })
}

func create(t *testing.T, maxBytes int64) (string, *Writer) {
	t.Helper()
	dir := t.TempDir()
	w, err := Create(dir, Header{Program: "1.0", Destination: "dest", Rules: "r", Resource: Attributes([]mapping.Attribute{{Key: "team", Value: "x"}})}, maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	return dir, w
}

// load opens and reads all journals of dead owners.
func load(dir string) ([]*Dead, error) {
	dead, err := Open(dir)
	for _, d := range dead {
		err = errors.Join(err, d.Load())
	}
	KeepNewest(dead)
	return dead, err
}

func open(t *testing.T, dir string) []*Dead {
	t.Helper()
	dead, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, d := range dead {
			_ = d.Close()
		}
	})
	return dead
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecoversTheNewestSpansOfADeadOwner(t *testing.T) {
	t.Parallel()
	dir, w := create(t, DefaultMaxBytes)
	must(t, w.Append(Changed(at, tree(1, 2))))
	must(t, w.Append(Changed(at.Add(time.Second), tree(1, 3))))
	must(t, w.Append(Changed(at, tree(2, 1))))
	if alive := open(t, dir); len(alive) != 0 {
		t.Fatal("the journal of a living owner was taken")
	}
	abandon(t, w)
	dead := open(t, dir)
	if len(dead) != 1 || len(dead[0].Trees) != 2 {
		t.Fatalf("got %+v", dead)
	}
	last := at.Add(time.Second)
	want := closed(tree(1, 3), last)
	want.Spans[0].End = at.Add(2 * time.Second) // the second agent ended after the last receive time
	if diff := cmp.Diff(want, dead[0].Trees[0].Tree); diff != "" {
		t.Errorf("tree 1 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(closed(tree(2, 1), at), dead[0].Trees[1].Tree); diff != "" {
		t.Errorf("tree 2 (-want +got):\n%s", diff)
	}
	h := dead[0].Header
	if h.Destination != "dest" || h.Rules != "r" || cmp.Diff([]mapping.Attribute{{Key: "team", Value: "x"}}, h.Attributes()) != "" {
		t.Errorf("header %+v", h)
	}
	if again := open(t, dir); len(again) != 0 {
		t.Error("two processes recover the same journal")
	}
}

func TestOnlyChangesAreWritten(t *testing.T) {
	t.Parallel()
	_, w := create(t, DefaultMaxBytes)
	defer w.Discard()
	must(t, w.Append(Changed(at, tree(1, 100))))
	first := w.size
	changed := tree(1, 100)
	changed.Spans[50].Name = "renamed"
	must(t, w.Append(Changed(at, changed)))
	if grown := w.size - first; grown > first/20 {
		t.Errorf("one changed span of 100 took %d bytes after %d", grown, first)
	}
}

// What changed together is all there or not at all, wherever a kill tears the line.
func TestChangesTogether(t *testing.T) {
	t.Parallel()
	dir, w := create(t, DefaultMaxBytes)
	must(t, w.Append(Changed(at, tree(1, 1))))
	must(t, w.Append(Changed(at, tree(2, 1))))
	whole := w.size
	gone := Change{Key: Key(tree(2, 1))}
	must(t, w.Append(Changed(at, tree(1, 4)), gone, Changed(at, tree(3, 2))))
	abandon(t, w)
	full, err := os.ReadFile(w.Path())
	must(t, err)
	for cut := whole; cut <= int64(len(full)); cut++ {
		must(t, os.WriteFile(w.Path(), full[:cut], 0o600))
		dead, err := load(dir)
		must(t, err)
		got := map[string]int{}
		for _, r := range dead[0].Trees {
			got[r.Tree.TaskID] = len(r.Tree.Spans)
		}
		want := map[string]int{"task-1": 2, "task-2": 2}
		if cut == int64(len(full)) {
			want = map[string]int{"task-1": 5, "task-3": 3}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("cut at %d (-want +got):\n%s", cut, diff)
		}
		must(t, dead[0].Close())
	}
}

func TestSpansThatLeaveTheTreeAreForgotten(t *testing.T) {
	t.Parallel()
	dir, w := create(t, DefaultMaxBytes)
	must(t, w.Append(Changed(at, tree(1, 5))))
	must(t, w.Append(Changed(at, tree(1, 2))))
	abandon(t, w)
	if got := len(open(t, dir)[0].Trees[0].Tree.Spans); got != 3 {
		t.Errorf("%d spans, want 3", got)
	}
}

func TestExportedIsNotRecoveredTwice(t *testing.T) {
	t.Parallel()
	dir, w := create(t, DefaultMaxBytes)
	must(t, w.Append(Changed(at, tree(1, 2))))
	must(t, w.Append(Changed(at, tree(2, 2))))
	must(t, w.Append(Changed(at, tree(3, 2))))
	must(t, w.Exported(Key(tree(2, 2))))
	_, err := w.file.WriteString(`{"workflow":{"key":"torn`)
	must(t, err)
	abandon(t, w)

	dead, err := load(dir)
	must(t, err)
	if len(dead[0].Trees) != 2 {
		t.Fatalf("%d trees, want 2", len(dead[0].Trees))
	}
	must(t, dead[0].Exported(dead[0].Trees[0].Key))
	must(t, dead[0].Close())

	rest := open(t, dir)
	if len(rest) != 1 || len(rest[0].Trees) != 1 || rest[0].Trees[0].Tree.TaskID != "task-3" {
		t.Fatalf("after one mark: %+v", rest)
	}
	must(t, rest[0].Remove())
	if again := open(t, dir); len(again) != 0 {
		t.Error("a removed journal came back")
	}
}

func TestATornLineLosesNoEarlierOne(t *testing.T) {
	t.Parallel()
	dir, w := create(t, DefaultMaxBytes)
	must(t, w.Append(Changed(at, tree(1, 1))))
	whole := w.size
	must(t, w.Append(Changed(at, tree(1, 3))))
	abandon(t, w)
	full, err := os.ReadFile(w.Path())
	must(t, err)
	for cut := whole; cut < int64(len(full)); cut++ {
		must(t, os.WriteFile(w.Path(), full[:cut], 0o600))
		dead, err := load(dir)
		must(t, err)
		if len(dead) != 1 || len(dead[0].Trees) != 1 || len(dead[0].Trees[0].Tree.Spans) != 2 {
			t.Fatalf("cut at %d: %+v", cut, dead)
		}
		must(t, dead[0].Close())
	}
}

func TestTheFileIsBounded(t *testing.T) {
	t.Parallel()
	dir, w := create(t, 64<<10)
	for i := range 2000 {
		grown := tree(1, 20)
		grown.Spans[1+i%20].Name = strings.Repeat("x", 500) + fmt.Sprint(i)
		must(t, w.Append(Changed(at.Add(time.Duration(i)), grown)))
		if info, err := os.Stat(w.Path()); err != nil || info.Size() > 256<<10 {
			t.Fatalf("after %d records: %v, %v", i, info, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
		t.Errorf("files left: %v", files)
	}
	abandon(t, w)
	want := tree(1, 20)
	want.Spans[1+1999%20].Name = strings.Repeat("x", 500) + "1999"
	got := open(t, dir)[0].Trees[0].Tree
	for i := range want.Spans {
		if got.Spans[i].Name != want.Spans[i].Name {
			t.Errorf("span %d is %.20q, want %.20q", i, got.Spans[i].Name, want.Spans[i].Name)
		}
	}
}

func TestARestartThatWasKilledGivesEachWorkflowOnce(t *testing.T) {
	t.Parallel()
	dir, w := create(t, DefaultMaxBytes)
	must(t, w.Append(Changed(at, tree(1, 1))))
	abandon(t, w)
	w2, err := Create(dir, w.header, DefaultMaxBytes)
	must(t, err)
	must(t, w2.Append(Changed(at.Add(time.Second), tree(1, 2))))
	abandon(t, w2)
	var trees []Recovered
	for _, d := range open(t, dir) {
		trees = append(trees, d.Trees...)
	}
	if len(trees) != 1 || len(trees[0].Tree.Spans) != 3 {
		t.Errorf("got %+v", trees)
	}
}

func TestAnOrderlyEndLeavesNothing(t *testing.T) {
	t.Parallel()
	dir, w := create(t, DefaultMaxBytes)
	must(t, w.Append(Changed(at, tree(1, 1))))
	must(t, w.Exported(Key(tree(1, 1))))
	must(t, w.Close())
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
}

func TestForeignFilesAreErrorsThatNameThem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ content, want string }{
		"garbage":     {"hello\n", "header: invalid character"},
		"new version": {`{"version":99}` + "\n", "format 99, this program reads 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "x.journal")
			must(t, os.WriteFile(path, []byte(test.content), 0o600))
			dead, err := Open(dir)
			must(t, err)
			if len(dead) != 1 || dead[0].Err == nil || !strings.Contains(dead[0].Err.Error(), path) || !strings.Contains(dead[0].Err.Error(), test.want) {
				t.Errorf("got %v", dead)
			}
		})
	}
}

func TestADamagedWorkflowCostsNoOther(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ line, want string }{
		"no root": {`{"workflow":{"key":"k","spans":[]}}`, "workflow k: damaged: has no root"},
		"bad id":  {`{"workflow":{"key":"k","spans":[{"kind":"workflow","trace":"00"}]}}`, "workflow k: damaged: id of 2 digits"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, w := create(t, DefaultMaxBytes)
			must(t, w.Append(Changed(at, tree(1, 2))))
			_, err := w.file.WriteString(test.line + "\n")
			must(t, err)
			must(t, w.Append(Changed(at, tree(2, 2))))
			abandon(t, w)
			dead, err := load(dir)
			if len(dead) != 1 || len(dead[0].Trees) != 2 || !errors.Is(err, ErrDamaged) ||
				!strings.Contains(err.Error(), w.Path()) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v", dead, err)
			}
		})
	}
}

// What some exporters lost is known to be theirs alone, also after the file was begun anew, and of whoever recovers it.
func TestLostInSome(t *testing.T) {
	t.Parallel()
	dir, w := create(t, DefaultMaxBytes)
	for i := range byte(3) {
		must(t, w.Append(Changed(at, tree(i+1, 2))))
	}
	must(t, w.Lost(Key(tree(1, 2)), []string{"file"}))
	must(t, w.Lost("unknown", []string{"file"}))
	must(t, w.restart())
	abandon(t, w)
	week := time.Now().Add(-MaxAge).Truncate(time.Second)
	must(t, os.Chtimes(w.Path(), week, week))

	dead, err := load(dir)
	must(t, err)
	must(t, dead[0].Lost(Key(tree(2, 2)), []string{"otlp"}))
	must(t, dead[0].Close())
	got := map[string]string{}
	again := open(t, dir)[0]
	for _, r := range again.Trees {
		got[r.Tree.TaskID] = strings.Join(r.LostIn, ",")
	}
	if diff := cmp.Diff(map[string]string{"task-1": "file", "task-2": "otlp", "task-3": ""}, got); diff != "" {
		t.Errorf("lost in (-want +got):\n%s", diff)
	}
	if !again.Modified.Equal(week) {
		t.Errorf("a mark made it younger: %v", again.Modified)
	}
}

func TestFoldersOfAnyName(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b]*?")
	must(t, os.Mkdir(dir, 0o700))
	w, err := Create(dir, Header{}, DefaultMaxBytes)
	must(t, err)
	must(t, w.Append(Changed(at, tree(1, 1))))
	abandon(t, w)
	if dead := open(t, dir); len(dead) != 1 {
		t.Errorf("found %d journals", len(dead))
	}
}

func TestNoDirectoryNoJournals(t *testing.T) {
	t.Parallel()
	if dead, err := Open(filepath.Join(t.TempDir(), "none")); len(dead) != 0 || err != nil {
		t.Errorf("got %v, %v", dead, err)
	}
}

func TestTheFileIsPrivate(t *testing.T) {
	t.Parallel()
	_, w := create(t, DefaultMaxBytes)
	defer w.Discard()
	info, err := os.Stat(w.Path())
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// TestCreateWhileOthersRecover: processes that look for dead owners leave journals that are just being begun, and those
// that just end, alone.
func TestCreateWhileOthersRecover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var others sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				dead, err := Open(dir)
				if err != nil {
					t.Error(err)
				}
				for _, d := range dead {
					if err := errors.Join(d.Remove(), d.Close()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 200 {
		w, err := Create(dir, Header{}, 0)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := os.Stat(w.Path()); err != nil {
			t.Error("the journal is gone:", err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	others.Wait()
}
