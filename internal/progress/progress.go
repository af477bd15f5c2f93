// Package progress shows how workflows get on while a command runs: a tree below the cursor of a terminal, or a line
// for each agent that ended.
//
// Whoever has news leaves it here and goes on; a goroutine writes it. Nobody waits for a reader that does not read.
package progress

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// Ways to show it.
const (
	None  = "none"
	TTY   = "tty"
	Plain = "plain"
)

// Mode decides how a setting of auto, tty, plain or none shows progress, by what standard error and output are. auto
// keeps out of a terminal that the command's own output goes to.
func Mode(setting string, stderrTerminal, stdoutTerminal bool) string {
	switch {
	case setting == "auto" && stderrTerminal && stdoutTerminal:
		return None
	case (setting == "auto" || setting == TTY) && stderrTerminal:
		return TTY
	case setting == "auto", setting == TTY, setting == Plain:
		return Plain
	}
	return None
}

// Options of a Progress.
type Options struct {
	Mode    string // TTY or Plain
	Log     *say.Logger
	OpenEnd time.Time                         // the end of spans that have not ended
	Size    func() (columns, lines int)       // of the terminal; 0 for unknown
	Now     func() time.Time                  // nil: time.Now
	Tick    func() (<-chan time.Time, func()) // when to write; nil: a few times a second
}

// Progress shows progress. A nil one shows nothing. Its methods may be called from any goroutine.
type Progress struct {
	o    Options
	quit chan struct{}
	done chan struct{}

	mu    sync.Mutex
	open  []mapping.Tree // in the order they started
	lines []string       // whole ones that wait to be written
	lost  int            // of those, how many there was no room for
	told  map[mapping.SpanID]bool

	screen  sync.Mutex // held while the terminal is written to
	painted bool
}

// maxWaiting bounds the plain lines that wait for a reader.
const maxWaiting = 2000

// Start begins to show progress, until Stop.
func Start(o Options) *Progress {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tick == nil {
		o.Tick = func() (<-chan time.Time, func()) {
			t := time.NewTicker(200 * time.Millisecond)
			return t.C, t.Stop
		}
	}
	p := &Progress{o: o, quit: make(chan struct{}), done: make(chan struct{}), told: map[mapping.SpanID]bool{}}
	go p.run()
	return p
}

func (p *Progress) run() {
	defer close(p.done)
	tick, stop := p.o.Tick()
	defer stop()
	for {
		select {
		case <-tick:
			p.show()
		case <-p.quit:
			return
		}
	}
}

// Update takes the newest tree of an open workflow.
func (p *Progress) Update(t mapping.Tree) { p.take(t, true) }

// Settled takes the tree of a workflow that is over, root being its root's id: the tree is empty if the rules dropped it.
// The picture makes room for what others print of it.
func (p *Progress) Settled(root mapping.SpanID, t mapping.Tree) {
	if len(t.Spans) == 0 {
		p.dropped(root)
	}
	p.take(t, false)
	if p != nil && p.screen.TryLock() {
		defer p.screen.Unlock()
		p.clear()
	}
}

func (p *Progress) clear() {
	if p.painted && p.o.Log.Status(nil) {
		p.painted = false
	}
}

func (p *Progress) take(t mapping.Tree, open bool) {
	if p == nil || len(t.Spans) == 0 || t.Spans[0].Kind != mapping.WorkflowSpan {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.find(t.Spans[0].SpanID)
	switch {
	case open && at >= 0:
		p.open[at] = t
	case open:
		p.open = append(p.open, t)
	case at >= 0:
		p.open = append(p.open[:at], p.open[at+1:]...)
	}
	if p.o.Mode == Plain {
		p.tell(t, at < 0, open)
	} else if !open {
		p.say(ended(t))
	}
}

// find returns where the open workflow with this root is, or -1.
func (p *Progress) find(root mapping.SpanID) int {
	return slices.IndexFunc(p.open, func(t mapping.Tree) bool { return t.Spans[0].SpanID == root })
}

// dropped forgets a workflow that was shown while it was open, but is not to leave as it ended.
func (p *Progress) dropped(root mapping.SpanID) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.find(root); at >= 0 {
		p.say(title(&p.open[at].Spans[0]) + ": over, dropped by a rule")
		p.open = slices.Delete(p.open, at, at+1)
	}
}

// say queues a line.
func (p *Progress) say(line string) {
	if len(p.lines) >= maxWaiting {
		p.lost++
		return
	}
	p.lines = append(p.lines, line)
}

// show writes what there is to write, if the reader reads.
func (p *Progress) show() {
	p.screen.Lock()
	defer p.screen.Unlock()
	p.mu.Lock()
	lines := p.lines
	p.lines = nil
	var picture []string
	if p.o.Mode == TTY && len(p.open) > 0 {
		columns, rows := p.o.Size()
		picture = p.picture(columns, rows)
	}
	p.mu.Unlock()

	for i, line := range lines {
		if !p.o.Log.TryPrint(line) {
			p.mu.Lock()
			p.lines = append(lines[i:], p.lines...)
			p.mu.Unlock()
			return
		}
	}
	if len(picture) == 0 {
		p.clear()
	} else if p.o.Log.Status(picture) {
		p.painted = true
	}
}

// stopFor is how long Stop waits for a terminal that does not take a picture, and on a machine so busy that the rest is
// still to be written.
const stopFor = 2 * time.Second

// Stop writes the rest and takes the picture away. It waits a moment at most.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	select {
	case <-p.quit:
		return
	default:
		close(p.quit)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		<-p.done
		p.mu.Lock()
		p.open = nil
		if p.lost > 0 {
			p.lines = append(p.lines, fmt.Sprintf("%d more lines of progress are not shown", p.lost))
		}
		p.mu.Unlock()
		p.show()
	}()
	timer := time.NewTimer(stopFor)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
	}
}
