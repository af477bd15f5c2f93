package mapping

import (
	"testing"
	"time"
)

func stamped(ev Event, ms int64) Event {
	ev.Timestamp = at(ms)
	return ev
}

func withDuration(ev Event, ms int64) Event {
	ev.Usage.DurationMS = n(ms)
	return ev
}

// unread takes the receive time away, as in a replay.
func unread(events ...Event) []Event {
	for i := range events {
		events[i].Received = time.Time{}
	}
	return events
}

func TestWorkflowTimes(t *testing.T) {
	t.Parallel()
	late := done(1, 5, 20)
	late.EndedAt = at(120)
	for name, test := range map[string]struct {
		events      []Event
		end         int64 // of the stream
		start, stop int64
	}{
		"receive times":                        {[]Event{started(3), notified(91, "completed")}, 99, 3, 91},
		"the line's own stamp is its start":    {[]Event{stamped(started(3), 2), notified(91, "completed")}, 99, 2, 91},
		"but not its end":                      {[]Event{started(3), stamped(notified(91, "completed"), 90)}, 99, 3, 91},
		"an agent started earlier":             {[]Event{started(3), snapshot(5, done(1, 1, 2)), notified(91, "completed")}, 99, 1, 91},
		"an agent was queued earlier":          {[]Event{started(3), snapshot(5, queued(1, -4)), notified(91, "completed")}, 99, -4, 91},
		"an agent started later":               {[]Event{started(3), snapshot(5, done(1, 4, 5)), notified(91, "completed")}, 99, 3, 91},
		"end_time less the duration":           {[]Event{started(3), updated(90, "completed", 88), withDuration(notified(91, "completed"), 90)}, 99, -2, 88},
		"a duration that is shorter":           {[]Event{started(3), updated(90, "completed", 88), withDuration(notified(91, "completed"), 50)}, 99, 3, 88},
		"a duration, no end_time":              {[]Event{started(3), withDuration(notified(91, "completed"), 1000)}, 99, 3, 91},
		"a duration of a snapshot":             {[]Event{started(3), withDuration(snapshot(9), 1000), updated(90, "completed", 88), notified(91, "completed")}, 99, 3, 88},
		"a duration beyond all bounds":         {[]Event{started(3), updated(90, "completed", 88), withDuration(notified(91, "completed"), 1<<62)}, 99, 3, 88},
		"a negative duration":                  {[]Event{started(3), updated(90, "completed", 88), withDuration(notified(91, "completed"), -50)}, 99, 3, 88},
		"end_time":                             {[]Event{started(3), updated(90, "completed", 88), notified(91, "completed")}, 99, 3, 88},
		"end_time after the notification line": {[]Event{started(3), updated(90, "completed", 95), notified(91, "completed")}, 99, 3, 95},
		"end_time of a patch that is not one":  {[]Event{started(3), updated(90, "paused", 88), notified(91, "completed")}, 99, 3, 91},
		"a later patch":                        {[]Event{started(3), snapshot(4, running(1, 4)), notified(91, "stopped"), updated(92, "killed", 85)}, 99, 3, 85},
		"two patches":                          {[]Event{started(3), updated(80, "killed", 80), updated(90, "killed", 88), updated(91, "killed", 0)}, 99, 3, 88},
		"an agent ended later":                 {[]Event{started(3), snapshot(5, late), updated(90, "completed", 88), notified(91, "completed")}, 99, 3, 120},
		"an agent only made progress later":    {[]Event{started(3), snapshot(5, done(1, 4, 120)), updated(90, "completed", 88), notified(91, "completed")}, 99, 3, 88},
		"EOF":                                  {[]Event{started(3)}, 99, 3, 99},
		"EOF with a terminal patch":            {[]Event{started(3), updated(90, "killed", 88)}, 99, 3, 88},
		"EOF with a patch without a time":      {[]Event{started(3), updated(90, "killed", 0)}, 99, 3, 99},
		"EOF in the grace period":              {[]Event{started(3), snapshot(4, running(1, 4)), notified(91, "stopped")}, 99, 3, 91},
		"the clock stepped back":               {[]Event{started(3), notified(-3600_000, "completed")}, 99, 3, 3},
		"the clock stepped back before":        {[]Event{started(3), snapshot(5, done(1, -3600_000, 2)), notified(9, "completed")}, 99, -3600_000, 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{Grace: time.Hour}
			m := New(o)
			var trees []Tree
			for _, ev := range test.events {
				trees = append(trees, m.Observe(ev)...)
			}
			trees = append(trees, m.Close(End{At: at(test.end)})...)
			if len(trees) != 1 {
				t.Fatalf("%d trees", len(trees))
			}
			check(t, trees[0], o)
			wantTimes(t, root(trees[0]), test.start, test.stop)
		})
	}
}

func TestAgentTimes(t *testing.T) {
	t.Parallel()
	change := func(a Agent, f func(*Agent)) Agent {
		f(&a)
		return a
	}
	// The workflow is started at 0, the snapshot received at 50, the end is at 100.
	for name, test := range map[string]struct {
		agent       Agent
		start, stop int64
	}{
		"done: its last progress":         {done(1, 10, 30), 10, 30},
		"done: endedAt":                   {change(done(1, 10, 30), func(a *Agent) { a.EndedAt = at(29) }), 10, 29},
		"done: start and duration":        {change(done(1, 10, 30), func(a *Agent) { a.LastProgressAt, a.DurationMS = time.Time{}, n(15) }), 10, 25},
		"done: when it was seen":          {change(done(1, 10, 30), func(a *Agent) { a.LastProgressAt = time.Time{} }), 10, 50},
		"done: last progress, not active": {change(done(1, 10, 30), func(a *Agent) { a.DurationMS = n(5) }), 10, 30},
		"error of its own":                {errored(1, 10, 30, "x"), 10, 30},
		"error with the run":              {change(errored(1, 10, 30, "x"), func(a *Agent) { a.EndedWithRun = "stopped" }), 10, 100},
		"error with the run, endedAt":     {change(errored(1, 10, 30, "x"), func(a *Agent) { a.EndedWithRun, a.EndedAt = "stopped", at(40) }), 10, 40},
		"aborted":                         {errored(1, 10, 30, "subagent aborted: x"), 10, 100},
		"aborted, endedAt":                {change(errored(1, 10, 30, "subagent aborted: x"), func(a *Agent) { a.EndedAt = at(40) }), 10, 40},
		"cached":                          {Agent{Index: 1, State: "done", Cached: true, StartedAt: at(20), LastProgressAt: at(20)}, 20, 20},
		"cached without times":            {Agent{Index: 1, State: "cached"}, 50, 50},
		"in flight":                       {running(1, 10), 10, 100},
		"in flight, endedAt":              {change(running(1, 10), func(a *Agent) { a.EndedAt = at(40) }), 10, 40},
		"queued":                          {queued(1, 20), 20, 100},
		"no time at all":                  {Agent{Index: 1, State: "start"}, 50, 100},
		"only endedAt":                    {Agent{Index: 1, State: "done", EndedAt: at(70)}, 50, 70},
		"ends before it starts":           {done(1, 30, 10), 30, 30},
		"goes on after the end":           {done(1, 10, 300), 10, 100},
		"starts after the end":            {running(1, 300), 100, 100},
		"a start of 0":                    {change(done(1, 10, 30), func(a *Agent) { a.StartedAt, a.QueuedAt = time.UnixMilli(0), at(8) }), 8, 30},
		"a start beyond all bounds":       {change(done(1, 10, 30), func(a *Agent) { a.StartedAt = time.Unix(1<<60, 0) }), 50, 50},
		"an end beyond all bounds":        {change(done(1, 10, 30), func(a *Agent) { a.EndedAt = time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC) }), 10, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := single(t, Options{}, started(0), snapshot(50, inPhase(1, "P", test.agent)), updated(99, "killed", 100), notified(101, "stopped"))
			wantTimes(t, agentSpan(t, tr, 1), test.start, test.stop)
			wantTimes(t, phaseSpan(t, tr, 1), test.start, test.stop)
		})
	}
}

func TestPhaseSpansItsAgents(t *testing.T) {
	t.Parallel()
	tr := single(t, Options{}, started(0),
		snapshot(50, inPhase(1, "P", done(1, 10, 20)), inPhase(2, "Q", done(2, 15, 90)), inPhase(1, "P", done(3, 12, 40))),
		notified(100, "completed"))
	wantTimes(t, phaseSpan(t, tr, 1), 10, 40)
	wantTimes(t, phaseSpan(t, tr, 2), 15, 90)
}

// An agent that ended, ran again and ended keeps none of its first end.
func TestEndSeenAgain(t *testing.T) {
	t.Parallel()
	a := Agent{Index: 1, State: "done", StartedAt: at(1)}
	again := Agent{Index: 1, State: "start", StartedAt: at(1)}
	tr := single(t, Options{}, started(0), snapshot(10, a), snapshot(20, again), snapshot(30, a), snapshot(40, a), notified(50, "completed"))
	wantTimes(t, agentSpan(t, tr, 1), 1, 30)
}

func TestTimesOutOfBounds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		when time.Time
		ok   bool
	}{
		{time.Time{}, false},
		{time.UnixMilli(-5), false},
		{time.Date(2000, 12, 31, 23, 59, 59, 999, time.UTC), false},
		{time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC), true},
		{time.Date(2100, 12, 31, 23, 59, 59, 999, time.UTC), true},
		{time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC), false},
		{time.UnixMilli(1 << 62), false},
		{time.Unix(-1<<62, 0), false},
	} {
		if got := stampOf(test.when); (got != 0) != test.ok {
			t.Errorf("stampOf(%v) = %v", test.when, got)
		} else if test.ok && !got.time().Equal(test.when) {
			t.Errorf("%v became %v", test.when, got.time())
		}
	}
}

// In a replay a line was read at its own stamp, else at the latest time known in the stream, else at the origin.
func TestReplayTimes(t *testing.T) {
	t.Parallel()
	other := Event{Kind: Updated, TaskID: "other", EndTime: at(70), Status: "completed"}
	for name, test := range map[string]struct {
		events      []Event
		start, stop int64
	}{
		"nothing known":                    {[]Event{started(0)}, 5000, 5000},
		"an agent's times":                 {[]Event{started(0), snapshot(0, done(1, 10, 30)), notified(0, "completed")}, 10, 30},
		"only times before the start line": {[]Event{other, started(0), notified(0, "completed")}, 70, 70},
		"times before and after":           {[]Event{other, started(0), snapshot(0, done(1, 80, 90)), notified(0, "completed")}, 70, 90},
		"stamps":                           {[]Event{stamped(started(0), 5), stamped(snapshot(0, done(1, 10, 30)), 31), stamped(notified(0, "completed"), 40)}, 5, 40},
		"a stamp on the first line only":   {[]Event{stamped(started(0), 5), snapshot(0, done(1, 10, 30)), notified(0, "completed")}, 5, 30},
		"a stamp before an agent's time":   {[]Event{stamped(started(0), 5), snapshot(0, done(1, 10, 30)), stamped(notified(0, "completed"), 20)}, 5, 20},
		"a stamp of a line of no interest": {[]Event{stamped(started(0), 5), stamped(Event{}, 60)}, 5, 60},
		"EOF: the latest time":             {[]Event{started(0), snapshot(0, running(1, 10), running(2, 20))}, 10, 20},
		"EOF: another task's time":         {[]Event{started(0), snapshot(0, running(1, 10)), other}, 10, 70},
		"end_time and duration":            {[]Event{started(0), updated(0, "completed", 90), withDuration(notified(0, "completed"), 80)}, 10, 90},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := single(t, Options{Origin: at(5000)}, unread(test.events...)...)
			wantTimes(t, root(tr), test.start, test.stop)
		})
	}
}

// The file's mtime is no time of the stream: it does not make a workflow start before its agents did.
func TestOriginBeforeTheStream(t *testing.T) {
	t.Parallel()
	tr := single(t, Options{Origin: at(-9e9)}, unread(started(0), snapshot(0, done(1, 10, 30)), notified(0, "completed"))...)
	wantTimes(t, root(tr), 10, 30)
}

func TestNoTimeAtAll(t *testing.T) {
	t.Parallel()
	tr := single(t, Options{}, unread(started(0), snapshot(0, Agent{Index: 1}), notified(0, "completed"))...)
	if got := root(tr).Start; got.Year() != 2001 {
		t.Errorf("starts at %v", got)
	}
}

func TestReplayIsRepeatable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"06-two-concurrent", "13b-stall-retry", "32-clear-midrun"} {
		a, b := run(Options{}, capture(t, name)...), run(Options{}, capture(t, name)...)
		if !equal(a, b) {
			t.Errorf("%s: two replays differ", name)
		}
	}
}

func TestStatusEvents(t *testing.T) {
	t.Parallel()
	tr := single(t, Options{}, started(0), updated(1, "running", 0), updated(2, "paused", 2), updated(3, "", 0),
		updated(4, "re\x1b[1mvived", 0), updated(95, "completed", 90), updated(96, "completed", 97), notified(98, "completed"))
	var got []string
	for _, e := range root(tr).Events {
		got = append(got, e.Name+" "+e.Attributes[0].Value.(string)+" "+e.Time.Sub(base).String())
	}
	want := []string{"cbc.status running 1ms", "cbc.status paused 2ms", "cbc.status revived 4ms", "cbc.status completed 90ms", "cbc.status completed 97ms"}
	if !equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
