import { byId, el, setClass, setText } from "./dom.js";
import { duration, exact, percent, plural, tokens, when, whole } from "./format.js";
import { attribute } from "./model.js";
import { STATES, statusClass } from "./states.js";

// The head of a trace: what it was, how it ended, its numbers.

export function drawHead(trace, now) {
  const row = trace.row;
  const root = trace.root;
  setText(byId("title"), row.name || "workflow");
  setText(byId("status"), row.live ? "running" : row.status || "unknown");
  setClass(byId("status"), "pill " + statusClass(row.live ? "running" : row.status));
  const service = trace.resource.find(([k]) => k === "service.name");
  setText(byId("subtitle"), [when(row.start, now), row.command || (service && String(service[1])), "trace " + row.trace.slice(0, 8)].filter(Boolean).join("  ·  "));
  byId("subtitle").title = exact(row.start) + "\ntrace " + row.trace + (row.path ? "\n" + row.path : "");
  byId("error").hidden = !(root && root.error);
  setText(byId("error"), (root && root.error) || "");

  const counts = trace.states();
  const insight = trace.insight || {};
  const total = trace.agents.length;
  const facts = [
    ["Duration", root ? duration(root.end - root.start) : "", ""],
    ["Agents", whole(total), [...STATES].filter((s) => counts.get(s.name) && s.name !== "done").map((s) => whole(counts.get(s.name)) + " " + (s.name === "error" ? "failed" : s.name)).join(", ") || (total ? "all done" : ""), mix(counts, total)],
    ["Tokens", row.tokens === undefined ? "–" : tokens(row.tokens), row.tokens === undefined ? "not known" : whole(row.tokens)],
    ["Agents' time", duration(insight.active || 0), insight.wall > 0 ? (insight.active / insight.wall).toFixed(1) + " at a time on average" : ""],
    ["Most at once", whole(insight.concurrency || 0), insight.efficiency ? percent(insight.efficiency) + " of these slots used" : ""],
    ["Waited", duration(insight.queued || 0), insight.queued > 0 && total > 0 ? duration(insight.queued / total) + " per agent" : "nothing queued"],
    ["Critical path", plural((insight.critical || []).length, "agent"), pathTime(trace)],
  ];
  const exit = root && attribute(root, "process.exit.code");
  if (exit !== undefined) facts.push(["Exit code", String(exit), ""]);
  const box = byId("facts");
  // Rebuilt only when something differs: this is asked for at every change of a running workflow.
  const text = JSON.stringify(facts.map((f) => f.slice(0, 3)));
  if (box.dataset.text === text) return;
  box.dataset.text = text;
  box.replaceChildren(...facts.map(([name, value, note, extra]) => el("div", {}, el("dt", { text: name }), el("dd", {}, el("b", { text: value }), extra, el("small", { text: note })))));
}

function pathTime(trace) {
  let sum = 0;
  for (const a of trace.agents) if (a.critical) sum += a.end - a.start;
  return sum > 0 ? duration(sum) + " of work" : "";
}

// mix is a bar of the agents' states.
export function mix(counts, total) {
  const bar = el("span", { class: "mix", "aria-hidden": "true" });
  for (const { name } of STATES) {
    const n = counts instanceof Map ? counts.get(name) : Object.hasOwn(counts, name) ? counts[name] : 0;
    if (!n) continue;
    const part = el("i", { class: "state-" + name });
    part.style.flexGrow = String(n / Math.max(total, 1));
    bar.append(part);
  }
  return bar;
}
