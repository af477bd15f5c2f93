import { byId, el, setText } from "./dom.js";
import { duration, exact, plural, tokens, when, whole } from "./format.js";
import { mix } from "./head.js";
import { statusClass } from "./states.js";

// The list of workflows, newest first.

export class List {
  constructor() {
    this.rows = [];
    this.query = "";
    this.statuses = new Set();
    byId("list-search").addEventListener("input", (e) => {
      this.query = e.target.value;
      this.draw();
    });
  }

  set(rows, more) {
    this.rows = rows;
    this.more = more;
  }

  draw() {
    const now = Date.now() * 1000;
    const terms = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    const counts = new Map();
    for (const r of this.rows) counts.set(statusOf(r), (counts.get(statusOf(r)) || 0) + 1);
    chips(byId("list-states"), [...counts.keys()].map((name) => ({ name, count: counts.get(name), class: "status-" + statusClass(name) })), this.statuses, () => this.draw());
    const shown = this.rows.filter((r) => (this.statuses.size === 0 || this.statuses.has(statusOf(r))) && terms.every((t) => text(r).includes(t)));
    setText(byId("list-count"), shown.length === this.rows.length ? whole(this.rows.length) + (this.more ? " newest" : "") : shown.length + " of " + whole(this.rows.length));
    byId("list-rows").replaceChildren(...shown.map((r) => line(r, now)));
    byId("list-empty").hidden = shown.length > 0;
    setText(byId("list-empty"), this.rows.length > 0 ? "Nothing matches." : "No workflow yet. Run one: cbc-otel demo, or cbc-otel -- your agent CLI. It appears here as it starts.");
  }
}

function statusOf(r) {
  return r.live ? "running" : r.status || "unknown";
}

function text(r) {
  return [r.name, r.status, r.command, r.trace, r.path].join("\n").toLowerCase();
}

function line(r, now) {
  const took = (r.live ? Math.max(r.end, Math.min(now, r.end + 3600e6)) : r.end) - r.start;
  return el(
    "tr",
    { "data-key": r.key },
    el("td", {}, el("a", { href: "#" + r.key, text: r.name || "workflow" })),
    el("td", {}, el("span", { class: "pill " + statusClass(statusOf(r)), text: statusOf(r) })),
    el("td", { class: "muted", text: when(r.start, now), title: exact(r.start) }),
    el("td", { class: "num", text: duration(took) }),
    el("td", { class: "agents", title: (r.failed ? whole(r.failed) + " of " + whole(r.agents) : "none") + " failed" }, el("span", { class: "num", text: whole(r.agents || 0) }), mix(r.states || parts(r), r.agents || 1)),
    el("td", { class: r.failed ? "num bad" : "num muted", text: r.failed ? whole(r.failed) : "–" }),
    el("td", { class: "num", text: r.tokens === undefined ? "–" : tokens(r.tokens), title: r.tokens === undefined ? undefined : plural(r.tokens, "token") }),
    el("td", { class: "command muted", text: r.command || "", title: r.path || undefined }),
  );
}

// parts is what a row without states says of them: which failed, and the rest.
function parts(r) {
  return { [r.live ? "running" : "done"]: (r.agents || 0) - (r.failed || 0), error: r.failed };
}

// chips are switches with a count. What is chosen that is no longer there is no longer chosen. Those that stay keep
// their elements, so that a click that has begun ends on the same one.
export function chips(box, list, chosen, changed) {
  for (const name of chosen) if (!list.some((c) => c.name === name)) chosen.delete(name);
  const known = new Map([...box.children].map((b) => [b.dataset.name, b]));
  list.forEach((c, i) => {
    const b = known.get(c.name) || chip(c, chosen, changed);
    known.delete(c.name);
    if (box.children[i] !== b) box.insertBefore(b, box.children[i] || null);
    setText(b.lastChild, whole(c.count));
    b.setAttribute("aria-pressed", String(chosen.has(c.name)));
  });
  for (const b of known.values()) b.remove();
}

function chip(c, chosen, changed) {
  const toggle = () => {
    if (!chosen.delete(c.name)) chosen.add(c.name);
    changed();
  };
  return el("button", { type: "button", class: "chip " + c.class, "data-name": c.name, click: toggle }, el("i"), c.name + " ", el("b"));
}
