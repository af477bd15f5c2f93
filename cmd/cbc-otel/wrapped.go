package main

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/internal/journal"
	"cbc-otel/internal/process"
	"cbc-otel/internal/progress"
	"cbc-otel/internal/startup"
	"cbc-otel/internal/tap"
	"cbc-otel/mapping"
)

// orphanWait is how long workflows stay open when the output has ended and the command goes on.
const orphanWait = 2 * time.Second

// gcPercent trades a little time for memory: we are guests beside an agent, on machines sized for it. What the first
// workflow has the heap grow by is reserved at once, for cheaper page faults.
const (
	gcPercent = 75
	reserved  = 16 << 20
)

// wrapped is one run of a command with a look at its output.
type wrapped struct {
	host      *host
	settings  *config.Settings
	telemetry *telemetry
	tap       *tap.Tap
	journal   *journaled
	session   *sessionSpan       // nil: the command gets no span
	native    *nativeMerge       // nil: the command's own telemetry stays where it is
	progress  *progress.Progress // from the first workflow on, if it is wanted
	account   *account
	shown     shown
	digest    hash.Hash // of standard output; nil without a receipt
	sessionID atomic.Value
	orphan    *time.Timer
	recovery  *background
	lost      int                     // spans, once finished
	ready     map[string]mapping.Tree // settled and filtered, to be exported, by key
}

// newWrapped prepares a run. Nothing is opened before the first workflow starts.
func (h *host) newWrapped(s *config.Settings, executable string) (*wrapped, error) {
	w := &wrapped{host: h, settings: s, account: h.account(s.Receipt), ready: make(map[string]mapping.Tree)}
	var err error
	w.telemetry, err = h.telemetry(s, func(o *exporter.Options) {
		o.OnTree = func(r exporter.TreeResult) { w.journal.exported(r) }
		o.Kept = func() bool { return w.journal.holds() }
		o.DefaultResource = h.surroundings
	})
	if err != nil {
		return nil, err
	}
	if w.telemetry.metrics, err = h.metered(w.telemetry); err != nil {
		w.telemetry.pipeline.Close()
		return nil, err
	}
	w.journal = h.journal(w.telemetry)
	options := h.mapping(s, w.telemetry.redactor.Redact)
	if w.session, err = h.sessionSpan(w.telemetry, executable, options); err != nil {
		w.telemetry.pipeline.Close()
		return nil, err
	}
	w.session.adopt(&options)
	w.native = h.nativeMerge(w, options)
	mapper := mapping.New(options)
	w.tap = tap.New(tap.Options{
		Mapper:    mapper,
		Now:       h.now,
		OnStart:   w.onStart,
		OnSession: func(id string) { w.sessionID.Store(id) },
		OnTree: func(t mapping.Tree) {
			w.session.cover(t)
			if !w.native.hold(t) {
				w.export(t)
			}
		},
		OnChange:    func(news []tap.Change, settled []mapping.Tree) { w.onChange(mapper, news, settled) },
		ChangeEvery: journalEvery,
	})
	if s.Receipt != "" {
		w.digest = sha256.New()
	}
	return w, nil
}

// onChange tells of news of open workflows, and journals it with those that were settled, before these are exported: the
// journal knows of all of them as they were at one moment, as they would be exported.
func (w *wrapped) onChange(m *mapping.Mapper, news []tap.Change, settled []mapping.Tree) {
	var changes []journal.Change
	for _, c := range news {
		w.native.changed(m, c.TaskID)
		if w.journal == nil && w.progress == nil {
			continue
		}
		tree, ok := m.Snapshot(c.TaskID, journal.OpenEnd)
		if !ok {
			continue
		}
		key := journal.Key(tree)
		w.telemetry.rules.Apply(&tree) // what it hits is counted when the workflow is settled
		changes = append(changes, journal.Change{Key: key, At: c.At, Tree: tree})
		w.progress.Update(tree)
	}
	for _, t := range settled {
		if w.journal == nil {
			break
		}
		changes = append(changes, w.settledChange(t))
	}
	w.journal.put(changes...)
}

// settledChange is the change of a workflow that is over. What its own telemetry adds is still to come, but that is
// waited for in vain if we are killed.
func (w *wrapped) settledChange(t mapping.Tree) journal.Change {
	key := journal.Key(t)
	if w.native.waits() {
		w.telemetry.rules.Apply(&t) // what it hits is counted when it is exported
	} else {
		t = w.telemetry.filter(t)
		w.ready[key] = t
	}
	return settledChange(key, t)
}

// export passes a finished tree on, which is journaled.
func (w *wrapped) export(t mapping.Tree) {
	key := journal.Key(t)
	safe, ok := w.ready[key]
	if ok {
		delete(w.ready, key)
	} else {
		safe = w.telemetry.filter(t)
	}
	w.pass(t.Spans[0].SpanID, safe)
}

// pass passes on what the rules left of the tree with this root. One caller at a time.
func (w *wrapped) pass(root mapping.SpanID, safe mapping.Tree) {
	w.shown.add(safe)
	w.progress.Settled(root, safe)
	w.telemetry.metrics.add(safe)
	w.telemetry.pipeline.Export(safe)
}

// onStart is the first workflow's start: from here on there will be something to export.
func (w *wrapped) onStart() {
	if w.host.getenv("GOGC") == "" {
		startup.Reserve(reserved)
		debug.SetGCPercent(gcPercent) // collects garbage at once, which would delay the command's start
	}
	w.progress = w.host.progress(w.settings)
	w.telemetry.pipeline.Prepare()
	w.telemetry.metrics.prepare()
	w.journal.start()
	w.session.open(w.journal, w.host.now())
	w.recovery = w.host.startRecovery(w.settings)
}

func (w *wrapped) onBytes(p []byte, at time.Time) {
	if w.digest != nil {
		w.digest.Write(p)
	}
	w.tap.Write(p, at)
}

// onEOF ends the stream. Should the command go on without an output, its workflows do not wait for it.
func (w *wrapped) onEOF(at time.Time) {
	w.tap.EOF(at)
	w.orphan = time.AfterFunc(orphanWait, func() { w.tap.Close(mapping.End{}) })
}

// interrupt is the wind-down request for the first INT or TERM, if the user wants one.
func (w *wrapped) interrupt() *process.Interrupt {
	if w.settings.OnSignal != "interrupt" {
		return nil
	}
	return &process.Interrupt{
		Session: func() string { id, _ := w.sessionID.Load().(string); return id },
		Grace:   w.settings.Grace,
	}
}

// run runs the command, exports its workflows and accounts for them. With an error it was not started.
func (w *wrapped) run(c command, stdout *os.File) (process.Exit, error) {
	env := w.native.start(w.session.environ(c.env))
	exit, err := process.Run(process.Options{
		Path:      c.path,
		Args:      c.args,
		Env:       env,
		Stdout:    stdout,
		DrainWait: w.settings.Drain == "wait",
		OnBytes:   w.onBytes,
		OnEOF:     w.onEOF,
		Interrupt: w.interrupt(),
	})
	if err != nil {
		w.tap.Close(mapping.End{})
		w.native.stop()
		w.progress.Stop()
		w.telemetry.pipeline.Close()
		w.telemetry.metrics.close()
		return exit, err
	}
	w.finish(exit)
	return exit, nil
}

// finish settles what is open and exports it within the user's budget, or until a signal says to hurry.
func (w *wrapped) finish(exit process.Exit) {
	if exit.WriteErr != nil {
		w.host.log.Errorf("standard output: %v; what the command printed is not all there", exit.WriteErr)
	}
	if w.orphan != nil {
		w.orphan.Stop()
	}
	end := mapping.End{Known: true, Code: exit.Code}
	if exit.Signal != 0 {
		end.Code, end.Signal = 0, process.SignalName(exit.Signal)
	}
	stats := w.tap.Close(end)
	if stats.Failure != nil {
		w.host.log.Errorf("no more workflows were seen: %v", stats.Failure)
		w.account.Problems = append(w.account.Problems, stats.Failure.Error())
	}
	ctx, cancel := w.telemetry.budget(exit.Signals)
	defer cancel()
	w.native.finish(ctx, w.account)
	w.account.Spans.Sessions = w.session.close(w, exit, end.Signal)
	w.progress.Stop()
	report := w.telemetry.flush(ctx)
	w.lost = report.Lost()
	earlier := w.recovery.stop(ctx)
	w.journal.close()

	w.account.add(stats.Counts, stats.Mapping)
	w.account.Events.Skipped, w.account.Events.Dropped = stats.Skipped, stats.Dropped
	w.account.Recovered = earlier.workflows
	w.account.Exit.Code, w.account.Exit.Signal = end.Code, end.Signal
	if w.digest != nil {
		w.account.Stdout.SHA256 = hex.EncodeToString(w.digest.Sum(nil))
	}
	w.account.Metrics = w.telemetry.metrics.account()
	w.account.close(w.telemetry.hits, report, w.host.now().Sub(exit.At))
	w.host.show(&w.shown, w.settings)
}
