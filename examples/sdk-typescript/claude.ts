// Claude Agent SDK: it starts the file that pathToClaudeCodeExecutable names. A link called claude that leads to
// cbc-otel runs the next claude on PATH:  ln -s "$(command -v cbc-otel)" shims/claude
import { query } from '@anthropic-ai/claude-agent-sdk'

const shim = process.env.CLAUDE_SHIM ?? './shims/claude'

for await (const message of query({
  prompt: '/release-audit',
  options: { pathToClaudeCodeExecutable: shim, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
})) {
  if (message.type === 'result') console.log(message.subtype)
}
