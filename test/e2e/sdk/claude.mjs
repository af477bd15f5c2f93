// Drives the Claude Agent SDK through one workflow and prints every message it yields, one JSON object a line.
//
//   node claude.mjs NODE_MODULES EXECUTABLE PROMPT
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, executable, prompt] = process.argv.slice(2)
const { query } = await import(pathToFileURL(join(modules, '@anthropic-ai/claude-agent-sdk/sdk.mjs')))

// The input stays open until the workflow and the turn after it have ended.
let finish
const finished = new Promise(resolve => { finish = resolve })
async function* input() {
  yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null }
  await finished
}

let notified = false
for await (const message of query({
  prompt: input(),
  options: {
    pathToClaudeCodeExecutable: executable,
    model: 'claude-sonnet-4-5',
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    env: process.env,
    stderr: text => process.stderr.write(text),
  },
})) {
  console.log(JSON.stringify(message))
  if (message.subtype === 'task_notification') notified = true
  if (message.type === 'result' && notified) finish()
}
