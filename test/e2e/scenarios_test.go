package e2e

import (
	"fmt"
	"syscall"
	"time"

	"cbc-otel/test/e2e/internal/realcli"
	"cbc-otel/test/e2e/internal/stream"
)

// scenario is a thing to do with a real CLI: what the fake model runs, and what is said and done meanwhile.
type scenario struct {
	name    string
	scripts map[string]string
	prompt  string // given as an argument, instead of over standard input
	drive   func(*realcli.Session)
	lost    bool // the wrapper is killed: what it could not send is recovered afterwards
	races   bool // how far the agents get is chance
}

const audit = `export const meta = { name: 'module-audit', description: 'Read three modules, review them, write a report', phases: [{title:'Read'},{title:'Review'},{title:'Report'}] }
phase('Read')
const notes = await parallel(['parser','mapper','exporter'].map(m => () => agent('wait=300ms read module ' + m, {label: 'read:' + m})))
phase('Review')
const review = await agent('tool=bash review the notes', {label: 'review'})
let risky = null
try { risky = await agent('fail=400 look for risks', {label: 'risks'}) } catch (e) { log('no risks: ' + e) }
phase('Report')
return await agent('wait=100ms write the report', {label: 'report'})
`

const slow = `export const meta = { name: 'slow-audit', description: 'An audit that is cut short', phases: [{title:'Read'},{title:'Report'}] }
phase('Read')
await agent('a quick look', {label: 'quick'})
await parallel([1,2,3,4].map(n => () => agent('wait=%s read part ' + n, {label: 'part:' + n})))
phase('Report')
return await agent('write the report', {label: 'report'})
`

const held = `export const meta = { name: 'held-up', description: 'The model is busy, then over its limit', phases: [{title:'Read'}] }
phase('Read')
const asked = { busy: 'busy=529x2', limited: 'limit=2', free: '' }
return await parallel(Object.keys(asked).map(k => () => agent(asked[k] + ' read module ' + k, {label: 'read:' + k})))
`

const throws = `export const meta = { name: 'thrower', description: 'Throws half way', phases: [{title:'First'},{title:'Second'}] }
phase('First')
await agent('the first look', {label: 'first'})
throw new Error('boom on purpose\nsecond line')
`

const wide = `export const meta = { name: 'wide', description: 'Many agents at once', phases: [{title:'Fan'},{title:'Join'}] }
phase('Fan')
const all = await parallel(Array.from({length: 150}, (_, i) => () => agent('wait=50ms look at item ' + i, {label: 'item:' + i})))
phase('Join')
return await agent('join ' + all.length + ' answers', {label: 'join'})
`

func pair(name, wait string) string {
	return fmt.Sprintf(`export const meta = { name: '%s', description: 'One of two', phases: [{title:'Read'},{title:'Report'}] }
phase('Read')
await parallel([1,2,3].map(n => () => agent('wait=%s read %s ' + n, {label: 'part:' + n})))
phase('Report')
return await agent('write %s', {label: 'report'})
`, name, wait, name, name)
}

// scenarios are those that are run with Claude Code.
func scenarios() []scenario {
	long := map[string]string{"it": fmt.Sprintf(slow, "10m")}
	return []scenario{
		{name: "success", scripts: map[string]string{"it": audit}, drive: toTheEnd(1, "it")},
		{name: "text", scripts: map[string]string{"it": audit}, prompt: "please run:it"},
		{name: "throws", scripts: map[string]string{"it": throws}, drive: toTheEnd(1, "it")},
		{name: "held up", scripts: map[string]string{"it": held}, drive: toTheEnd(1, "it")},
		{name: "two at once", scripts: map[string]string{"one": pair("wf-one", "500ms"), "two": pair("wf-two", "800ms")}, drive: toTheEnd(2, "one", "two")},
		{name: "150 agents", scripts: map[string]string{"it": wide}, drive: toTheEnd(1, "it")},
		{name: "interrupt", scripts: long, drive: cut(func(s *realcli.Session, _ *stream.Task) {
			s.Control("stop-1", map[string]any{"subtype": "interrupt"})
		})},
		{name: "stop task", scripts: long, drive: cut(func(s *realcli.Session, t *stream.Task) {
			s.Control("stop-1", map[string]any{"subtype": "stop_task", "task_id": t.ID})
		})},
		{name: "SIGTERM", scripts: long, drive: kill(syscall.SIGTERM), races: true},
		{name: "SIGINT", scripts: long, drive: kill(syscall.SIGINT), races: true},
		{name: "SIGKILL", scripts: long, drive: kill(syscall.SIGKILL), lost: true, races: true},
		{name: "stdin EOF", scripts: map[string]string{"it": fmt.Sprintf(slow, "4s")}, drive: func(s *realcli.Session) {
			begin(s, "it")
			busy(s)
			s.CloseStdin()
		}},
	}
}

const patience = 2 * time.Minute

func begin(s *realcli.Session, names ...string) {
	s.Control("init", map[string]any{"subtype": "initialize", "hooks": map[string]any{}, "capabilities": map[string]any{}, "hasPrompt": true})
	text := "please"
	for _, n := range names {
		text += " run:" + n
	}
	s.User(text)
}

// toTheEnd waits for n workflows to end and for the turn after that.
func toTheEnd(n int, names ...string) func(*realcli.Session) {
	return func(s *realcli.Session) {
		begin(s, names...)
		s.Wait(patience, func(lines []stream.Line) bool {
			ended, last, result := 0, 0, 0
			for i, l := range lines {
				switch {
				case l.Subtype == "task_notification":
					ended++
					last = i
				case l.Type == "result":
					result = i
				}
			}
			return ended >= n && result > last
		})
	}
}

// busy waits until the slow agents are at work and the turn that started them is over.
func busy(s *realcli.Session) (task *stream.Task) {
	s.Wait(patience, func(lines []stream.Line) bool {
		results := 0
		for _, l := range lines {
			if l.Type == "result" {
				results++
			}
		}
		tasks := stream.Tasks(lines)
		if len(tasks) == 0 || results == 0 {
			return false
		}
		task = tasks[0]
		return task.InFlight() > 1
	})
	return task
}

func cut(stop func(*realcli.Session, *stream.Task)) func(*realcli.Session) {
	return func(s *realcli.Session) {
		begin(s, "it")
		if task := busy(s); task != nil {
			stop(s, task)
		}
		s.Wait(patience, func(lines []stream.Line) bool {
			for _, l := range lines {
				if l.Subtype == "task_notification" {
					return true
				}
			}
			return false
		})
	}
}

func kill(sig syscall.Signal) func(*realcli.Session) {
	return func(s *realcli.Session) {
		begin(s, "it")
		busy(s)
		time.Sleep(time.Second) // the journal may be a quarter of a second behind
		s.Signal(sig)
		s.Wait(patience, func([]stream.Line) bool { return false })
	}
}
