package fakemodel

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Anthropic answers like the Messages API. The texts it is sent say what it does.
//
// A turn of the main loop (it has the Workflow tool) whose user says run:NAME starts the script of that name, once;
// other turns of it get a short text. A subagent gets a short text too, after what its prompt asks for:
//
//	wait=500ms   takes so long
//	tool=bash    first calls the Bash tool
//	fail=400     is refused with this HTTP status
//	busy=529x2   is refused so, twice, and may be tried again
//	limit=2      is refused once, by a usage limit that lasts so many seconds
type Anthropic struct {
	Scripts map[string]string

	mu     sync.Mutex
	used   map[string]bool
	tries  map[string]int // of prompts with busy or limit
	sent   int
	served map[string]Served
}

// Served is what was answered to one agent.
type Served struct{ Requests, Input, Output int }

// Served returns what was answered, by agent as the CLI names it in a header; "" is the main loop.
func (a *Anthropic) Served() map[string]Served {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.served)
}

// serve counts an answer and gives it a number.
func (a *Anthropic) serve(agent string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent++
	if a.served == nil {
		a.served = map[string]Served{}
	}
	s := a.served[agent]
	a.served[agent] = Served{s.Requests + 1, s.Input + inputTokens + a.sent + cachedTokens, s.Output + outputTokens}
	return a.sent
}

// What an answer costs; the first is more by its number.
const (
	inputTokens  = 1000
	cachedTokens = 200
	outputTokens = 20
)

type request struct {
	Model    string
	Stream   bool
	Messages []message
	Tools    []struct{ Name string }
}

type message struct {
	Role    string
	Content json.RawMessage // text, or a list of blocks
}

type block struct {
	Type  string         `json:"type"`
	Text  string         `json:"text,omitempty"`
	ID    string         `json:"id,omitempty"`
	Name  string         `json:"name,omitempty"`
	Input map[string]any `json:"input,omitempty"`
}

func (m message) blocks() []block {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var list []block
	_ = json.Unmarshal(m.Content, &list)
	return list
}

func (r request) tool(name string) bool {
	for _, t := range r.Tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// said is what the user wrote in a message, without results of tools.
func (r request) said(which func(i int) bool) string {
	var b strings.Builder
	i := 0
	for _, m := range r.Messages {
		if m.Role != "user" {
			continue
		}
		for _, part := range m.blocks() {
			if part.Type == "text" && which(i) {
				b.WriteString(part.Text + "\n")
			}
		}
		i++
	}
	return b.String()
}

func (r request) toolResults() (n int) {
	for _, m := range r.Messages {
		for _, part := range m.blocks() {
			if part.Type == "tool_result" {
				n++
			}
		}
	}
	return n
}

func (a *Anthropic) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req request
	switch {
	case r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/v1/messages"):
		answer(w, http.StatusOK, map[string]any{"data": []any{}})
		return
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		answer(w, http.StatusOK, map[string]any{"input_tokens": 100})
		return
	case json.NewDecoder(r.Body).Decode(&req) != nil:
		refuse(w, http.StatusBadRequest)
		return
	}
	if a.holdsBack(w, req) {
		return
	}
	content, status := a.turn(r.Context(), req)
	if status != 0 {
		refuse(w, status)
		return
	}
	if r.Context().Err() != nil {
		return // nobody waits for it any more
	}
	reply(w, req, content, a.serve(r.Header.Get("X-Claude-Code-Agent-Id")))
}

var (
	runs  = regexp.MustCompile(`\brun:([\w-]+)`)
	waits = regexp.MustCompile(`\bwait=(\S+)`)
	fails = regexp.MustCompile(`\bfail=(\d+)`)
	busy  = regexp.MustCompile(`\bbusy=(\d+)x(\d+)`)
	limit = regexp.MustCompile(`\blimit=(\d+)`)
)

// holdsBack refuses a request for the time being, if its prompt asks for that.
func (a *Anthropic) holdsBack(w http.ResponseWriter, req request) bool {
	if req.tool("Workflow") {
		return false
	}
	prompt := req.said(func(i int) bool { return i == 0 })
	if m := busy.FindStringSubmatch(prompt); m != nil {
		status, _ := strconv.Atoi(m[1])
		times, _ := strconv.Atoi(m[2])
		if a.try(prompt) <= times {
			answer(w, status, problem("overloaded_error", "busy for a moment"))
			return true
		}
	}
	if m := limit.FindStringSubmatch(prompt); m != nil && a.try(prompt) == 1 {
		seconds, _ := strconv.Atoi(m[1])
		reset := strconv.FormatInt(time.Now().Unix()+int64(seconds), 10)
		for key, value := range map[string]string{
			"x-should-retry": "false", "retry-after": m[1],
			"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": reset,
			"anthropic-ratelimit-unified-representative-claim": "five_hour",
			"anthropic-ratelimit-unified-5h-status":            "rejected", "anthropic-ratelimit-unified-5h-reset": reset,
			"anthropic-ratelimit-unified-5h-utilization": "1.0",
		} {
			w.Header().Set(key, value)
		}
		answer(w, http.StatusTooManyRequests, problem("rate_limit_error", "the limit is reached"))
		return true
	}
	return false
}

// try counts the requests of a prompt.
func (a *Anthropic) try(prompt string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tries == nil {
		a.tries = map[string]int{}
	}
	a.tries[prompt]++
	return a.tries[prompt]
}

func problem(kind, text string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": text}}
}

// turn decides the answer; a status is that of a refusal.
func (a *Anthropic) turn(ctx context.Context, req request) ([]block, int) {
	if req.tool("Workflow") {
		if calls := a.start(req.said(func(int) bool { return true })); len(calls) > 0 {
			return calls, 0
		}
		return []block{{Type: "text", Text: "All done."}}, 0
	}
	prompt := req.said(func(i int) bool { return i == 0 })
	if m := fails.FindStringSubmatch(prompt); m != nil {
		status, _ := strconv.Atoi(m[1])
		return nil, status
	}
	if strings.Contains(prompt, "tool=bash") && req.tool("Bash") && req.toolResults() == 0 {
		return []block{{Type: "tool_use", Name: "Bash", Input: map[string]any{"command": "echo checked", "description": "Check"}}}, 0
	}
	if m := waits.FindStringSubmatch(prompt); m != nil {
		d, _ := time.ParseDuration(m[1])
		select {
		case <-time.After(d):
		case <-ctx.Done(): // the CLI is gone
		}
	}
	return []block{{Type: "text", Text: "Looked at it, nothing to report."}}, 0
}

// start returns calls of the Workflow tool for the scripts that were asked for and not yet started.
func (a *Anthropic) start(said string) []block {
	a.mu.Lock()
	defer a.mu.Unlock()
	var calls []block
	for _, m := range runs.FindAllStringSubmatch(said, -1) {
		script, ok := a.Scripts[m[1]]
		if !ok || a.used[m[1]] {
			continue
		}
		if a.used == nil {
			a.used = map[string]bool{}
		}
		a.used[m[1]] = true
		calls = append(calls, block{Type: "tool_use", Name: "Workflow", Input: map[string]any{"script": script}})
	}
	return calls
}

func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("x-should-retry", "false")
	answer(w, status, problem("invalid_request_error", "refused on purpose"))
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// reply writes a message, as one object or as a stream of events.
func reply(w http.ResponseWriter, req request, content []block, n int) {
	stop := "end_turn"
	for i := range content {
		if content[i].Type == "tool_use" {
			stop = "tool_use"
			content[i].ID = fmt.Sprintf("toolu_e2e_%04d_%d", n, i)
		}
	}
	usage := map[string]any{"input_tokens": inputTokens + n, "output_tokens": outputTokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cachedTokens}
	msg := map[string]any{"id": fmt.Sprintf("msg_e2e_%04d", n), "type": "message", "role": "assistant", "model": req.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	if !req.Stream {
		msg["content"], msg["stop_reason"] = content, stop
		answer(w, http.StatusOK, msg)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(kind string, fields map[string]any) {
		fields["type"] = kind
		data, _ := json.Marshal(fields) //nolint:errchkjson // plain values
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
		w.(http.Flusher).Flush()
	}
	event("message_start", map[string]any{"message": msg})
	for i, c := range content {
		first, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": c.Text}
		if c.Type == "tool_use" {
			input, _ := json.Marshal(c.Input) //nolint:errchkjson // plain values
			first = map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		}
		event("content_block_start", map[string]any{"index": i, "content_block": first})
		event("content_block_delta", map[string]any{"index": i, "delta": delta})
		event("content_block_stop", map[string]any{"index": i})
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event("message_stop", map[string]any{})
}
