// Drives the CodeBuddy Agent SDK through one turn and prints every message it yields, one JSON object a line.
//
//   node codebuddy.mjs NODE_MODULES PROMPT EXECUTABLE [ARG...]
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [modules, prompt, executable, ...executableArgs] = process.argv.slice(2)
const { query } = createRequire(join(modules, 'x.js'))('@tencent-ai/agent-sdk')

for await (const message of query({
  prompt,
  options: { executable, executableArgs, permissionMode: 'bypassPermissions', env: process.env, stderr: text => process.stderr.write(text) },
})) {
  console.log(JSON.stringify(message))
}
