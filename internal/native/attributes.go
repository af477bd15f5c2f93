package native

import (
	"math"
	"slices"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	"strings"

	"cbc-otel/mapping"
)

// texts are the keys whose text may leave: names, ids and words of the CLI. docs/native.md lists them. Numbers and
// booleans may leave under any key; every other text only with content.
var texts = map[string]bool{
	"span.type": true, "session.id": true, "conversation.id": true, "conversation.agent": true,
	"model": true, "model.id": true, "fallback_model": true, "speed": true, "effort": true,
	"gen_ai.system": true, "gen_ai.provider.name": true, "gen_ai.operation.name": true, "gen_ai.conversation.id": true,
	"gen_ai.request.model": true, "gen_ai.response.model": true, "gen_ai.response.id": true,
	"gen_ai.response.finish_reasons": true, "gen_ai.tool.name": true, "gen_ai.tool.call.id": true, "gen_ai.agent.id": true,
	"llm_request.context": true, "request_id": true, "request.id": true, "stop_reason": true, "query_source_safe": true,
	"agent_id": true, "parent_agent_id": true, "agent_type": true, "agent.type": true, "agent.name": true, "team_name": true,
	"workflow.run_id": true, "workflow.name": true,
	"tool_name": true, "tool_name_safe": true, "tool_use_id": true, "tool.call_id": true, "tool_source": true,
	"bash_command_class": true, "decision": true, "source": true, "hook_event": true,
	"error_class": true, "error.type": true, "status_code": true, "parent.source": true,
	"http.method": true, "http.status_code": true,
	"compact.type": true, "compact.strategy": true,
	"mcp.server": true, "mcp.tool": true, "mcp_server.name": true, "mcp_tool.name": true,
}

// errorTexts are the keys that hold the text of an error.
var errorTexts = map[string]bool{"error_message": true, "error.message": true, "exception.message": true}

// accountKeys name people and the accounts they pay with. They are no content, so content does not let them leave.
func isAccount(key string) bool {
	for _, prefix := range []string{"user.", "user_id", "organization.", "account", "enduser."} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"uid", "userId", "userNickname", "enterpriseId", "enterprise_id", "email"}, key)
}

// maxAttributes bounds what is kept of one span, event or link.
const maxAttributes = 64

// attributes returns what may leave of a list, clean, in the types of a tree.
func (c *converter) attributes(list []*commonpb.KeyValue) []mapping.Attribute {
	var out []mapping.Attribute
	for _, kv := range list {
		if len(out) == maxAttributes {
			break
		}
		if value := c.value(kv.GetKey(), kv.GetValue()); value != nil {
			out = append(out, mapping.Attribute{Key: c.clean.Name(kv.GetKey()), Value: value})
		}
	}
	return out
}

// value is nil for what may not leave, and for types that a span cannot have.
func (c *converter) value(key string, v *commonpb.AnyValue) any {
	if key == "" || isAccount(key) {
		return nil
	}
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_IntValue:
		return v.IntValue
	case *commonpb.AnyValue_BoolValue:
		return v.BoolValue
	case *commonpb.AnyValue_DoubleValue:
		if math.IsNaN(v.DoubleValue) || math.IsInf(v.DoubleValue, 0) {
			return nil
		}
		return v.DoubleValue
	case *commonpb.AnyValue_StringValue:
		return c.text(key, v.StringValue)
	case *commonpb.AnyValue_ArrayValue:
		if !texts[key] && !c.content {
			return nil
		}
		var all []string
		for _, one := range v.ArrayValue.GetValues() {
			if s, ok := one.GetValue().(*commonpb.AnyValue_StringValue); ok && len(all) < maxAttributes {
				all = append(all, c.clean.Name(s.StringValue))
			}
		}
		if len(all) == 0 {
			return nil
		}
		return all
	}
	return nil
}

func (c *converter) text(key, s string) any {
	switch {
	case s == "":
		return nil
	case key == "error":
		return nil // the status says it, and backends have a meaning of their own for this key
	case errorTexts[key]:
		if !c.errors {
			return nil
		}
		return c.clean.FirstLine(s)
	case texts[key]:
		return c.clean.Name(s)
	case c.content:
		return c.clean.Content(s)
	}
	return nil
}

// find returns the value of the first of the keys that is there.
func find(list []*commonpb.KeyValue, keys ...string) *commonpb.AnyValue {
	for _, key := range keys {
		for _, kv := range list {
			if kv.GetKey() == key {
				return kv.GetValue()
			}
		}
	}
	return nil
}

func findText(list []*commonpb.KeyValue, keys ...string) string {
	return find(list, keys...).GetStringValue()
}

// maxTokens is more than any request has.
const maxTokens = 1 << 40

// findCount returns a count, false if there is none that makes sense.
func findCount(list []*commonpb.KeyValue, keys ...string) (int64, bool) {
	switch v := find(list, keys...).GetValue().(type) {
	case *commonpb.AnyValue_IntValue:
		return v.IntValue, v.IntValue >= 0 && v.IntValue < maxTokens
	case *commonpb.AnyValue_DoubleValue:
		return int64(v.DoubleValue), v.DoubleValue >= 0 && v.DoubleValue < maxTokens
	}
	return 0, false
}
