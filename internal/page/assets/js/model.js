import { HUES } from "./states.js";

// What the program sends of a trace (see model.go), made into a tree of spans.

// Span is one bar. Times are microseconds since the epoch.
function span(s, keys) {
  return {
    id: s.i,
    parent: s.p || "",
    kind: s.k || "",
    full: s.n,
    name: s.t || s.n,
    start: s.s,
    end: s.e ?? s.s,
    queue: s.q || 0,
    state: s.st || "",
    open: Boolean(s.o),
    never: Boolean(s.w),
    error: s.x,
    failed: s.x !== undefined,
    tokens: s.tk,
    attributes: pairs(s.a, keys),
    events: (s.v || []).map(([name, time, attrs]) => ({ name, time, attributes: pairs(attrs, keys) })),
    links: (s.l || []).map(([trace, id, attrs]) => ({ trace, id, attributes: pairs(attrs, keys) })),
    children: [],
    depth: 0,
    hue: -1,
    critical: false,
    straggler: false,
    words: undefined,
  };
}

function pairs(flat, keys) {
  const list = [];
  for (let i = 0; flat && i + 1 < flat.length; i += 2) list.push([keys[flat[i]], flat[i + 1]]);
  return list;
}

export class Trace {
  constructor(doc) {
    this.spans = new Map();
    this.merge(doc);
  }

  // merge takes in a whole trace or what changed of it. What changed has only the spans that are new or different.
  merge(doc) {
    if (doc.full) this.spans.clear();
    const keys = doc.keys || [];
    for (const s of doc.spans || []) this.spans.set(s.i, span(s, keys));
    for (const id of doc.gone || []) this.spans.delete(id);
    this.key = doc.row.key;
    this.row = doc.row;
    this.live = Boolean(doc.row.live);
    this.insight = doc.insight;
    this.resource = doc.resource ? pairs(doc.resource, keys) : this.resource || [];
    this.at = doc.at || 0;
    this.link();
  }

  // link makes the tree. A span whose parent is not there, or that is its own ancestor, hangs from the root.
  link() {
    const all = [...this.spans.values()];
    this.root = this.spans.get(this.row.root) || all[0];
    for (const s of all) {
      s.children = [];
      s.depth = 0;
      s.hue = -1;
      s.critical = s.straggler = false;
    }
    for (const s of all) {
      if (s === this.root) continue;
      let parent = this.spans.get(s.parent);
      if (!parent || this.above(parent, s)) parent = this.root;
      parent.children.push(s);
      s.up = parent;
    }
    if (this.root) this.root.up = undefined;
    this.phases = this.root ? this.root.children.filter((s) => s.kind === "phase") : [];
    this.phases.forEach((p, i) => (p.hue = i % HUES));
    if (this.root) deepen(this.root);
    this.agents = all.filter((s) => s.kind === "agent");
    for (const id of this.insight?.critical || []) mark(this.spans.get(id), "critical");
    for (const p of this.insight?.phases || []) for (const id of p.stragglers || []) mark(this.spans.get(id), "straggler");
    this.range();
  }

  above(node, s) {
    for (let n = node, i = 0; n && i < 64; n = this.spans.get(n.parent), i++) if (n === s) return true;
    return false;
  }

  range() {
    let from = Infinity;
    let to = -Infinity;
    for (const s of this.spans.values()) {
      from = Math.min(from, s.start - s.queue);
      to = Math.max(to, s.end);
    }
    this.from = from;
    this.to = Math.max(to, from + 1000);
    this.received = Math.max(this.at, this.to);
    for (const s of this.spans.values()) if (s.open) s.end = Math.max(s.start, this.received);
    this.to = Math.max(this.to, this.received);
  }

  // tick lets what is open grow until now: it is still running, although nothing new is known of it.
  tick(now) {
    if (!this.live) return;
    const at = Math.max(this.received, Math.min(now, this.received + 3600e6));
    for (const s of this.spans.values()) if (s.open) s.end = Math.max(s.start, at);
    this.to = Math.max(this.from + 1000, at);
  }

  // lost stops a workflow whose program is gone: nobody knows what became of it.
  lost() {
    this.live = false;
    this.row = { ...this.row, live: false, status: "wrapper gone" };
    this.range();
  }

  // bounds is the range with some air around it.
  bounds() {
    const air = (this.to - this.from) * 0.012;
    return [this.from - air, this.to + air];
  }

  states() {
    const counts = new Map();
    for (const a of this.agents) counts.set(a.state, (counts.get(a.state) || 0) + 1);
    return counts;
  }
}

function mark(s, what) {
  if (s) s[what] = true;
}

// deepen gives each span its depth and its phase's colour. It does not recurse: a file may be deep.
function deepen(root) {
  const todo = [root];
  while (todo.length > 0) {
    const s = todo.pop();
    for (const c of s.children) {
      c.depth = s.depth + 1;
      if (c.hue < 0) c.hue = s.hue;
      todo.push(c);
    }
  }
}

// words is what a search looks through.
export function words(s) {
  if (s.words === undefined) {
    const parts = [s.full, s.name, s.kind, s.state, s.error || "", s.id];
    for (const [key, value] of s.attributes) parts.push(key + "=" + value);
    for (const e of s.events) parts.push(e.name, ...e.attributes.map(([, v]) => String(v)));
    s.words = parts.join("\n").toLowerCase();
  }
  return s.words;
}

export function attribute(s, key) {
  const found = s.attributes.find(([k]) => k === key);
  return found && found[1];
}
