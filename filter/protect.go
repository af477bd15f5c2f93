package filter

import (
	"strings"

	"cbc-otel/mapping"
)

// isProtected reports whether a trace could not be read without the attribute. Patterns and lists pass
// such a key by; only a rule that names it changes it.
func isProtected(key string) bool {
	switch key {
	case mapping.KeyOperation, mapping.KeyErrorType, mapping.KeyTaskID, mapping.KeyPhaseIndex,
		mapping.KeyAgentIndex, mapping.KeyAgentState, mapping.KeyWorkflowStatus:
		return true
	}
	return false
}

// names reports whether a pattern is nothing but the key: error.type, ^error\.type$.
func names(pattern, key string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	return strings.ReplaceAll(pattern, `\.`, ".") == key
}

const idBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// isPlainID reports whether a protected value is a code word, as they all should be. Anything else is
// text, and no longer exempt from blocked values.
func isPlainID(value any) bool {
	s, isText := value.(string)
	return !isText || len(s) <= 64 && strings.Trim(s, idBytes) == ""
}
