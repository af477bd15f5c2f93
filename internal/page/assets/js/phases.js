import { byId, el, fill } from "./dom.js";
import { duration, percent, plural, tokens, whole } from "./format.js";
import { mix } from "./head.js";

// The panel's first tab: what each phase cost, and what decided how long it took.

export function drawPhases(trace, on) {
  const list = trace.insight?.phases || [];
  const most = Math.max(1, ...list.map((p) => p.tokens));
  const sum = list.reduce((n, p) => n + p.tokens, 0);
  const box = byId("panel-phases");
  const top = box.dataset.key === trace.key ? box.scrollTop : 0;
  box.dataset.key = trace.key;
  fill(
    box,
    list.length === 0 ? el("p", { class: "muted", text: "This workflow has no phases." }) : el("p", { class: "muted", text: plural(list.length, "phase") + ", " + (sum > 0 ? whole(sum) + " tokens" : "no tokens known") }),
    ...list.map((p) => card(trace, p, most, sum, on)),
  );
  if (top > 0) box.scrollTop = top;
}

function card(trace, p, most, sum, on) {
  const span = trace.spans.get(p.id);
  const counts = new Map();
  for (const a of span ? span.children : []) if (a.kind === "agent") counts.set(a.state, (counts.get(a.state) || 0) + 1);
  const agents = [...counts.values()].reduce((n, c) => n + c, 0);
  const bar = el("i", { class: "tokens-bar" });
  bar.style.width = (100 * p.tokens) / most + "%";
  const facts = [
    ["Took", duration(p.wall)],
    ["Waited", duration(p.queued)],
    ["At once", whole(p.concurrency)],
    ["Slots used", p.efficiency > 0 ? percent(p.efficiency) : "–"],
  ];
  return el(
    "section",
    { class: "phase-card hue-" + (span && span.hue >= 0 ? span.hue : "none") },
    el("h3", {}, el("i", { class: "dot" }), el("button", { type: "button", class: "link", text: p.title || "phase", click: () => on.select(p.id) }), el("span", { class: "muted", text: plural(agents, "agent") })),
    mix(counts, agents),
    el("div", { class: "tokens-row" }, el("span", { class: "tokens-track" }, bar), el("b", { text: p.tokens > 0 ? tokens(p.tokens) : "–", title: whole(p.tokens) + " tokens" }), el("small", { text: p.tokens > 0 ? percent(p.tokens / sum) : "" })),
    el("dl", { class: "mini" }, ...facts.map(([k, v]) => el("div", {}, el("dt", { text: k }), el("dd", { text: v })))),
    named(trace, "Ended last", p.critical ? [p.critical] : [], on),
    named(trace, "Stragglers", p.stragglers || [], on),
  );
}

const SHOWN = 5;

function named(trace, title, ids, on) {
  const spans = ids.map((id) => trace.spans.get(id)).filter(Boolean);
  if (spans.length === 0) return null;
  return el(
    "p",
    { class: "named" },
    el("span", { class: "muted", text: title + " " }),
    ...spans.slice(0, SHOWN).map((s) => el("button", { type: "button", class: "link", text: s.name, title: duration(s.end - s.start), click: () => on.select(s.id) })),
    spans.length > SHOWN ? el("span", { class: "muted", text: " and " + (spans.length - SHOWN) + " more" }) : null,
  );
}
