package exporter_test

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/exporter/spool"
	"cbc-otel/internal/otlptest"
)

// dead makes the receiver refuse everything, in a way that is not tried again and leaves nothing in flight.
func dead(r *otlptest.Receiver) {
	r.SetFault(otlptest.Always(otlptest.Answer{Status: http.StatusForbidden}))
}

// spoolFiles lists the files of a spool.
func spoolFiles(t *testing.T, base string) []spool.Entry {
	t.Helper()
	entries, err := spool.New(spool.Options{Base: base}).List()
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func inSpool(t *testing.T, base string) (spans int) {
	t.Helper()
	for _, e := range spoolFiles(t, base) {
		spans += e.Spans
	}
	return spans
}

// up makes the receiver work, and the destination count as up: five minutes are over.
func up(t *testing.T, r *otlptest.Receiver, base string) {
	t.Helper()
	r.SetFault(nil)
	downs, err := filepath.Glob(filepath.Join(base, "spool", "*.down"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range downs {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// short is a budget that will be used up.
const short = 700 * time.Millisecond

// What one run could not deliver, the next one does, beside its own.
func TestNextRunSends(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{})
		o, out := toReceiver(t, r.URL(protocol), protocol)
		o.OTLP.Headers = map[string]string{"authorization": "Bearer canary"}
		dead(r)
		first, second := tree(1, 600), tree(2, 1)
		if e := one(t, run(t, o, hang, first)); e.Spooled != 602 || e.Reason != exporter.Unauthorized {
			t.Errorf("first run: %+v", e)
		}
		if n := inSpool(t, o.Spool.Base); n != 602 {
			t.Errorf("%d spans in the spool", n)
		}
		contains(t, "stderr", out.String(), "602 spans kept for later")
		noSecrets(t, o.Spool.Base, "canary")

		up(t, r, o.Spool.Base)
		if e := one(t, run(t, o, hang, second)); e.Exported != 3 || e.Resent != 602 || e.Spooled != 0 {
			t.Errorf("second run: %+v", e)
		}
		arrived(t, r, first, second)
		if files := spoolFiles(t, o.Spool.Base); len(files) != 0 {
			t.Errorf("left: %+v", files)
		}
	})
}

// noSecrets looks for a text in every file below a folder.
func noSecrets(t *testing.T, dir string, secrets ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, s := range secrets {
			if strings.Contains(string(content), s) {
				t.Errorf("%s holds %s", path, s)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// One project's traces never go where another's go.
func TestOtherDestinations(t *testing.T) {
	t.Parallel()
	r, other := otlptest.New(t, otlptest.Config{}), otlptest.New(t, otlptest.Config{})
	base := filepath.Join(t.TempDir(), "cbc-otel")
	with := func(url, protocol, token string) exporter.Options {
		o, _ := toReceiver(t, url, protocol)
		o.Spool.Base = base
		o.OTLP.Headers = map[string]string{"authorization": token}
		return o
	}
	dead(r)
	mine := tree(1, 1)
	run(t, with(r.HTTPURL(), exporter.ProtocolHTTP, "a"), hang, mine)
	up(t, r, base)
	for i, o := range []exporter.Options{
		with(other.HTTPURL(), exporter.ProtocolHTTP, "a"),       // endpoint
		with(r.GRPCURL(), exporter.ProtocolGRPC, "a"),           // protocol
		with(r.HTTPURL(), exporter.ProtocolHTTP, "b"),           // headers
		with(r.HTTPURL()+"/?key=x", exporter.ProtocolHTTP, "a"), // query
	} {
		if e := one(t, run(t, o, hang, tree(10+i, 1))); e.Resent != 0 || e.Exported != 3 {
			t.Errorf("%d: %+v", i, e)
		}
	}
	if n := inSpool(t, base); n != 3 {
		t.Fatalf("%d spans in the spool", n)
	}
	if e := one(t, run(t, with(r.HTTPURL(), exporter.ProtocolHTTP, "a"), hang, tree(20, 1))); e.Resent != 3 {
		t.Errorf("its own destination: %+v", e)
	}
}

// A destination that failed is not waited for again within five minutes: what it is owed goes to the spool at once,
// and it is tried in the background.
func TestDownDestination(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		hole := otlptest.BlackHole(t)
		o, _ := toReceiver(t, "http://"+hole, protocol)
		o.Spool.Grace = short
		if e := one(t, run(t, o, short, tree(1, 1))); e.Spooled != 3 {
			t.Errorf("first run: %+v", e)
		}
		start := time.Now()
		e := one(t, run(t, o, 10*hang, tree(2, 1)))
		if e.Spooled != 3 || time.Since(start) > hang {
			t.Errorf("second run: %+v in %v", e, time.Since(start))
		}
	})
	t.Run("works again by the time of a short run", func(t *testing.T) {
		t.Parallel()
		r := otlptest.New(t, otlptest.Config{})
		o, _ := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
		dead(r)
		first, second := tree(1, 1), tree(2, 1)
		run(t, o, hang, first)
		r.SetFault(nil) // still marked as down
		if e := one(t, run(t, o, hang, second)); e.Exported != 3 || e.Resent != 3 || e.Spooled != 0 {
			t.Errorf("report %+v", e)
		}
		arrived(t, r, first, second)
	})
	t.Run("works again", func(t *testing.T) {
		t.Parallel()
		r := otlptest.New(t, otlptest.Config{})
		o, _ := toReceiver(t, r.GRPCURL(), exporter.ProtocolGRPC)
		dead(r)
		first, second := tree(1, 1), tree(2, 1)
		run(t, o, hang, first)
		r.SetFault(nil) // still marked as down
		p := open(t, o)
		p.Prepare()
		if !waitFor(func() bool { return len(r.Spans()) == 3 }) {
			t.Fatal("not tried in the background")
		}
		p.Export(second)
		if e := one(t, flush(t, p, hang)); e.Exported != 3 || e.Resent != 3 || e.Spooled != 0 {
			t.Errorf("report %+v", e)
		}
		arrived(t, r, first, second)
		if downs, _ := filepath.Glob(filepath.Join(o.Spool.Base, "spool", "*.down")); len(downs) != 0 {
			t.Errorf("still down: %v", downs)
		}
	})
}

// In a long run a receiver that comes back gets what was spooled meanwhile, and the account follows.
func TestBackInTheSameRun(t *testing.T) {
	t.Parallel()
	gone := otlptest.New(t, otlptest.Config{})
	gone.Close()
	o, _ := toReceiver(t, gone.HTTPURL(), exporter.ProtocolHTTP)
	p := open(t, o)
	first, second := tree(1, 1), tree(2, 1)
	p.Export(first)
	if !waitFor(func() bool { return inSpool(t, o.Spool.Base) == 3 }) {
		t.Fatal("not spooled")
	}
	p.Export(second) // spooled at once
	if !waitFor(func() bool { return inSpool(t, o.Spool.Base) == 6 }) {
		t.Fatal("not spooled")
	}
	r := otlptest.New(t, otlptest.Config{HTTPAddr: gone.HTTPAddr()})
	if e := one(t, flush(t, p, hang)); e.Exported != 6 || e.Spooled != 0 || e.Resent != 0 {
		t.Errorf("report %+v", e)
	}
	arrived(t, r, first, second)
}

// A key that was refused is refused a moment later: it is not tried again in the same run, but in the next.
func TestRefusedOnce(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{})
		dead(r)
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		p := open(t, o)
		p.Export(tree(1, 1))
		if !waitFor(func() bool { return inSpool(t, o.Spool.Base) == 3 }) {
			t.Fatal("not spooled")
		}
		p.Export(tree(2, 1))
		if e := one(t, flush(t, p, hang)); e.Spooled != 6 || len(r.Requests()) != 1 {
			t.Errorf("%d requests, report %+v", len(r.Requests()), e)
		}
		if run(t, o, hang, tree(3, 1)); len(r.Requests()) != 2 {
			t.Errorf("%d requests after the next run", len(r.Requests()))
		}
	})
}

// Without a spool what failed is held and tried again at the end.
func TestNoSpool(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*exporter.Options){
		"off":        func(o *exporter.Options) { o.Spool.Off = true },
		"no home":    func(o *exporter.Options) { o.Spool.Base = "" },
		"not usable": func(o *exporter.Options) { o.Spool.Base = filepath.Join(file, "x") },
		"not usable, with headers": func(o *exporter.Options) {
			o.Spool.Base = filepath.Join(file, "x")
			o.OTLP.Headers = map[string]string{"a": "b"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := otlptest.New(t, otlptest.Config{Fault: otlptest.First(1, otlptest.Answer{Status: http.StatusUnauthorized})})
			o, out := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
			change(&o)
			p := open(t, o)
			first, second := tree(1, 1), tree(2, 1)
			p.Export(first)
			if !waitFor(func() bool { return len(r.Requests()) == 1 }) {
				t.Fatal("not tried")
			}
			p.Export(second)
			if e := one(t, flush(t, p, hang)); e.Exported != 6 {
				t.Errorf("report %+v", e)
			}
			arrived(t, r, first, second)

			r.SetFault(otlptest.Always(otlptest.Answer{Status: http.StatusForbidden}))
			if e := one(t, run(t, o, hang, tree(3, 1))); e.Lost[exporter.Unauthorized] != 3 || e.Spooled != 0 {
				t.Errorf("report %+v", e)
			}
			contains(t, "stderr", out.String(), "3 spans lost (not authorized): 403 Forbidden")
			if n := strings.Count(out.String(), "kept"); strings.HasPrefix(name, "not usable") != (n == 1) && n > 1 {
				t.Errorf("the spool is spoken of %d times: %s", n, out)
			}
		})
	}
}

func TestSpoolBounds(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	dead(r)
	o, out := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
	o.Spool.MaxBytes, o.MaxSpans = 60_000, 60 // about three trees, one in a batch
	first := one(t, run(t, o, hang, tree(1, 50)))
	if first.Spooled != 52 {
		t.Fatalf("report %+v", first)
	}
	trees := numbered(6, 50)
	e := one(t, run(t, o, hang, trees...)) // marked as down: spooled at once
	if e.Spooled+e.Lost[exporter.SpoolFull] != 6*52 || e.Lost[exporter.SpoolFull] == 0 || e.SpoolRemoved != 52 {
		t.Errorf("report %+v", e)
	}
	if n := inSpool(t, o.Spool.Base); n != e.Spooled {
		t.Errorf("%d spans in the spool, report %+v", n, e)
	}
	contains(t, "stderr", out.String(), "52 spans of earlier runs removed from the full spool", "spool full")
}

// A tree whose spans were spooled is dealt with, even if the bounds remove them later: they are lost to the account, and
// not to another tree.
func TestEvictedInTheSameRun(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	dead(r)
	o, _ := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
	o.Spool.MaxBytes, o.MaxSpans = 40_000, 60 // about two trees, one in a batch
	o.Kept = func() bool { return true }
	var mu sync.Mutex
	lost := 0
	o.OnTree = func(result exporter.TreeResult) {
		mu.Lock()
		defer mu.Unlock()
		lost += result.Lost
	}
	p := open(t, o)
	for i, tr := range numbered(6, 50) {
		p.Export(tr)
		if i == 0 && !waitFor(func() bool { return inSpool(t, o.Spool.Base) == 52 }) {
			t.Fatal("not spooled")
		}
	}
	e := one(t, flush(t, p, hang))
	left := inSpool(t, o.Spool.Base)
	if e.Spooled != left || left == 0 || e.Lost[exporter.SpoolFull] != 6*52-left || lost != 0 {
		t.Errorf("report %+v, in the spool %d, in trees told lost %d", e, left, lost)
	}
}

// A file that is not what was written is set aside, once; the others are sent.
func TestDamagedSpoolFile(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	dead(r)
	o, out := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
	trees := numbered(3, 1)
	for _, tr := range trees {
		run(t, o, hang, tr)
	}
	files := spoolFiles(t, o.Spool.Base)
	if len(files) != 3 {
		t.Fatalf("files %+v", files)
	}
	if err := os.Truncate(files[1].Path, files[1].Bytes-1); err != nil {
		t.Fatal(err)
	}
	up(t, r, o.Spool.Base)
	if e := one(t, run(t, o, hang, tree(9, 1))); e.Resent != 6 || e.Exported != 3 {
		t.Errorf("report %+v", e)
	}
	arrived(t, r, trees[0], trees[2], tree(9, 1))
	contains(t, "stderr", out.String(), "corrupt spool file", "set aside")
	if left := spoolFiles(t, o.Spool.Base); len(left) != 1 || left[0].State != spool.Corrupt {
		t.Errorf("left %+v", left)
	}
}

// A batch that a receiver refuses for what is in it does not keep the others from being sent, nor is it sent for ever.
func TestPoisonedSpoolFile(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	dead(r)
	o, _ := toReceiver(t, r.GRPCURL(), exporter.ProtocolGRPC)
	trees := numbered(3, 1)
	for _, tr := range trees {
		run(t, o, hang, tr)
	}
	up(t, r, o.Spool.Base)
	r.SetFault(func(req otlptest.Request) otlptest.Answer {
		if otlptest.Flatten(req.Data)[0].ID() == ids(trees[0])[0] {
			return otlptest.Answer{Status: http.StatusBadRequest, Message: "poison"}
		}
		return otlptest.Answer{}
	})
	if e := one(t, run(t, o, hang, tree(9, 1))); e.Resent != 6 || e.Exported != 3 {
		t.Errorf("report %+v", e)
	}
	before := len(r.Requests())
	run(t, o, hang, tree(10, 1))
	if n := len(r.Requests()); n != before+1 {
		t.Errorf("sent again: %d requests", n-before)
	}
	if left := spoolFiles(t, o.Spool.Base); len(left) != 1 || left[0].State != spool.SetAside {
		t.Errorf("left %+v", left)
	}
}

// Spans of a run may be many and the spool's folder read-only or gone: one warning.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("modes do not bind this user")
	}
	home := t.TempDir()
	if err := os.Chmod(home, 0o500); err != nil {
		t.Fatal(err)
	}
	o, out := toReceiver(t, "http://"+otlptest.Refused, exporter.ProtocolHTTP)
	o.Spool.Base = filepath.Join(home, "cbc-otel")
	e := one(t, run(t, o, hang, numbered(5, 600)...))
	if e.LostTotal() != 5*602 {
		t.Errorf("report %+v", e)
	}
	if n := strings.Count(out.String(), "cannot be kept"); n != 1 {
		t.Errorf("%d warnings about the spool: %s", n, out)
	}
}
