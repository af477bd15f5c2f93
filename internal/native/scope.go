package native

import "strings"

// isCLI reports whether an instrumentation scope is one of the CLIs' own. Whatever the CLI starts inherits its
// environment and may send as well: tests, servers, other tools.
func isCLI(scope string) bool { return isClaude(scope) || isCodeBuddy(scope) }

func isClaude(scope string) bool { return strings.HasPrefix(scope, "com.anthropic.claude_code") }

func isCodeBuddy(scope string) bool {
	return strings.HasPrefix(scope, "@tencent-ai/codebuddy") || strings.HasPrefix(scope, "workbuddy.") ||
		strings.HasPrefix(scope, "com.tencent.codebuddy")
}
