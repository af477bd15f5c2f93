import { words } from "./model.js";

// Which spans have a row, in what order.

const orders = {
  start: (a, b) => a.start - a.queue - (b.start - b.queue),
  long: (a, b) => b.end - b.start - (a.end - a.start),
  tokens: (a, b) => (b.tokens || 0) - (a.tokens || 0),
  queue: (a, b) => b.queue - a.queue,
};

// filtering says whether anything but folding hides rows.
export function filtering(f) {
  return f.query !== "" || f.states.size > 0 || f.critical;
}

function matches(s, f, terms) {
  if (f.critical && !s.critical) return false;
  if (f.states.size > 0 && !(s.kind === "agent" && f.states.has(s.state))) return false;
  return terms.every((t) => words(s).includes(t));
}

// visible lists the rows. Ancestors of what matches are shown too; matches are counted without them.
export function visible(trace, f) {
  if (!trace.root) return { rows: [], hits: 0 };
  const terms = f.query.toLowerCase().split(/\s+/).filter(Boolean);
  const order = orders[f.sort] || orders.start;
  const all = !filtering(f);
  let hits = 0;
  const keep = new Set();
  if (!all) {
    for (const s of trace.spans.values()) {
      if (!matches(s, f, terms)) continue;
      hits++;
      for (let n = s; n && !keep.has(n); n = n.up) keep.add(n);
    }
  }
  const rows = [];
  const todo = keep.size > 0 || all ? [trace.root] : [];
  while (todo.length > 0) {
    const s = todo.pop();
    rows.push(s);
    if (f.folded.has(s.id)) continue;
    const children = all ? [...s.children] : s.children.filter((c) => keep.has(c));
    // Phases keep their own order: it is the workflow's.
    children.sort((a, b) => rank(a) - rank(b) || (a.kind === "phase" ? 0 : order(a, b)));
    for (let i = children.length - 1; i >= 0; i--) todo.push(children[i]);
  }
  return { rows, hits: all ? rows.length : hits };
}

function rank(s) {
  return s.kind === "phase" ? 0 : 1;
}
