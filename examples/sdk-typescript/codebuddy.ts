// CodeBuddy Agent SDK: it starts "EXECUTABLE ARGS... cli.js". cbc-otel goes in front of node.
import { query } from '@tencent-ai/agent-sdk'

for await (const message of query({
  prompt: '/release-audit',
  // @ts-expect-error its type knows the names of runtimes only
  options: { executable: 'cbc-otel', executableArgs: ['--', 'node'], permissionMode: 'bypassPermissions' },
})) {
  if (message.type === 'result') console.log(message.subtype)
}
