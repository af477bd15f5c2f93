// What a consumer does that follows the protocol page and thinks no further: parse every line, keep the
// newest snapshot of each task. It reads stdin to its end and prints what it saw.
const tasks = new Map();
let rest = '';
let lines = 0;
let unparsable = 0;

function look(line) {
  if (line === '') return;
  lines++;
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    unparsable++;
    return;
  }
  if (message === null || message.type !== 'system') return;
  const id = message.task_id;
  switch (message.subtype) {
    case 'task_started':
      if (message.task_type === 'local_workflow') tasks.set(id, { status: 'running', snapshot: [] });
      break;
    case 'task_progress':
      if (tasks.has(id) && Array.isArray(message.workflow_progress)) tasks.get(id).snapshot = message.workflow_progress;
      break;
    case 'task_updated':
      if (tasks.has(id)) tasks.get(id).status = message.patch?.status ?? tasks.get(id).status;
      break;
    case 'task_notification':
      if (tasks.has(id)) tasks.get(id).status = message.status;
      break;
  }
}

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const parts = (rest + chunk).split('\n');
  rest = parts.pop();
  parts.forEach(look);
});
process.stdin.on('end', () => {
  look(rest);
  const agents = [...tasks.values()].flatMap((t) => t.snapshot).filter((e) => e.type === 'workflow_agent');
  const done = agents.filter((a) => a.state === 'done' || a.state === 'cached').length;
  console.log(JSON.stringify({ lines, unparsable, workflows: tasks.size, agents: agents.length, done }));
});
