package main

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"cbc-otel/filter"
	"cbc-otel/internal/journal"
	"cbc-otel/internal/native"
	"cbc-otel/internal/say"
	"cbc-otel/internal/tracectx"
	"cbc-otel/mapping"
)

const (
	// nativeWait is how long a settled workflow waits for what the command's own telemetry has to say of it, and
	// how long the end of a run waits for senders that are still connected.
	nativeWait = time.Second
	// nativeSweep is how often interactions that are over are exported.
	nativeSweep = 5 * time.Second
)

// nativeMerge takes in the command's own telemetry. A nil one, and one that could not start, does nothing.
type nativeMerge struct {
	w        *wrapped
	redactor *filter.Redactor
	store    *native.Store

	receiver *native.Receiver // nil: it did not start
	pass     *native.PassOn
	stopped  chan struct{}
	swept    sync.WaitGroup
	told     map[string]bool // workflows the store knows of; used by the tap alone

	mu   sync.Mutex // held while trees are exported
	held []heldTree // in the order they settled
}

type heldTree struct {
	tree  mapping.Tree
	timer *time.Timer
}

// nativeMerge returns what the settings ask for.
func (h *host) nativeMerge(w *wrapped, o mapping.Options) *nativeMerge {
	if w.settings.Native != "merge" || len(w.telemetry.pipeline.Exporters()) == 0 {
		return nil
	}
	m := &nativeMerge{w: w, redactor: w.telemetry.rules.Redactor(), told: map[string]bool{}, stopped: make(chan struct{})}
	options := native.StoreOptions{Redact: m.redactor.Redact, Content: o.Content, Errors: o.ErrorText != "type"}
	if w.session != nil {
		options.Session = w.session.Context()
	} else if outer, ok := tracectx.Inbound(); ok {
		options.Outer = outer.SpanID
	}
	m.store = native.NewStore(options)
	return m
}

// start begins to receive and returns the command's environment: unchanged if that is not possible, which is said
// once and no reason not to run.
func (m *nativeMerge) start(env []string) []string {
	if m == nil {
		return env
	}
	changed, err := m.tryStart(env)
	if err != nil {
		m.w.host.log.Once("native", say.Warn, "native telemetry is not merged: %v", err)
		return env
	}
	return changed
}

func (m *nativeMerge) tryStart(env []string) ([]string, error) {
	plan, err := native.NewPlan(env)
	if err != nil {
		return nil, err
	}
	if m.pass, err = native.NewPassOn(plan); err != nil {
		return nil, err
	}
	if m.receiver, err = native.Start(native.Options{Random: rand.Reader, Store: m.store, Pass: m.pass}); err != nil {
		return nil, err
	}
	m.swept.Go(m.sweep)
	return plan.Environ(m.receiver), nil
}

// sweep exports what belongs to no workflow while the command goes on.
func (m *nativeMerge) sweep() {
	tick := time.NewTicker(nativeSweep)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			m.mu.Lock()
			m.apart(false)
			m.mu.Unlock()
		case <-m.stopped:
			return
		}
	}
}

// apart exports what belongs to no workflow. m.mu is held.
func (m *nativeMerge) apart(all bool) {
	for _, t := range m.store.Apart(all) {
		key := journal.Key(t)
		t = m.w.telemetry.filter(t)
		m.w.journal.put(settledChange(key, t))
		m.w.telemetry.pipeline.Export(t)
	}
}

// changed tells the store of a workflow when it is first seen.
func (m *nativeMerge) changed(mapper *mapping.Mapper, taskID string) {
	if m == nil || m.receiver == nil || m.told[taskID] {
		return
	}
	if tree, ok := mapper.Snapshot(taskID, time.Time{}); ok {
		m.told[taskID] = true
		m.store.Known(tree)
	}
}

// waits reports whether settled workflows wait for telemetry.
func (m *nativeMerge) waits() bool { return m != nil && m.receiver != nil }

// hold keeps a settled workflow back until its telemetry has arrived; false if there is none to wait for. The journal
// has it meanwhile.
func (m *nativeMerge) hold(t mapping.Tree) bool {
	if !m.waits() {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = append(m.held, heldTree{t, time.AfterFunc(nativeWait, m.due)})
	return true
}

// due exports the workflow that was held first.
func (m *nativeMerge) due() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.held) > 0 {
		first := m.held[0]
		m.held = m.held[1:]
		m.release(first.tree)
	}
}

// release exports a workflow with what has arrived. m.mu is held.
func (m *nativeMerge) release(t mapping.Tree) {
	t = m.store.Merge(t)
	key := journal.Key(t)
	safe := m.w.telemetry.filter(t)
	m.w.journal.put(settledChange(key, safe))
	m.w.pass(t.Spans[0].SpanID, safe)
}

// finish waits for senders that are still there, exports what is left and accounts for it. No workflow settles after
// it.
func (m *nativeMerge) finish(ctx context.Context, a *account) {
	if m == nil || m.receiver == nil {
		return
	}
	wait, cancel := context.WithTimeout(ctx, nativeWait)
	m.receiver.WaitQuiet(wait)
	cancel()
	m.stop()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.held {
		h.timer.Stop()
		m.release(h.tree)
	}
	m.held = nil
	m.apart(true)
	m.w.telemetry.count(m.redactor.Hits())
	counts := m.store.Counts()
	a.Native = &counts
	a.Spans.Native = counts.Merged + counts.Late + counts.Apart + counts.Unmatched
}

// stop ends the receiver.
func (m *nativeMerge) stop() {
	if m == nil || m.receiver == nil {
		return
	}
	m.receiver.Close()
	m.pass.Close()
	close(m.stopped)
	m.swept.Wait()
}
