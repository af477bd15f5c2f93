package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// OpenAI answers like the chat completions API, always with Greeting.
type OpenAI struct{}

// Greeting is all that OpenAI says.
const Greeting = "Hello from the fake model."

// pause is between the parts of an answer. Of one that is there at once, cbc at times leaves out the assistant's
// message and has only the result.
const pause = time.Second

func (OpenAI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		answer(w, http.StatusOK, map[string]any{"data": []any{}})
		return
	}
	var req struct {
		Model  string
		Stream bool
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		answer(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": err.Error()}})
		return
	}
	usage := map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	object := func(kind string, choice map[string]any) map[string]any {
		choice["index"] = 0
		return map[string]any{"id": "chatcmpl-e2e", "object": kind, "created": 1767225600, "model": req.Model, "choices": []any{choice}}
	}
	if !req.Stream {
		o := object("chat.completion", map[string]any{"message": map[string]any{"role": "assistant", "content": Greeting}, "finish_reason": "stop"})
		o["usage"] = usage
		answer(w, http.StatusOK, o)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(choice map[string]any, usage any) {
		o := object("chat.completion.chunk", choice)
		if usage != nil {
			o["usage"] = usage
		}
		data, _ := json.Marshal(o) //nolint:errchkjson // plain values
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
		w.(http.Flusher).Flush()
	}
	send(map[string]any{"delta": map[string]any{"role": "assistant", "content": Greeting}, "finish_reason": nil}, nil)
	time.Sleep(pause)
	send(map[string]any{"delta": map[string]any{}, "finish_reason": "stop"}, usage)
	time.Sleep(pause)
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}
