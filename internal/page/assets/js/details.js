import { byId, el, fill } from "./dom.js";
import { duration, exact, offset, whole } from "./format.js";
import { signOf } from "./states.js";

// The panel's second tab: everything that is known of one span, as text.

export function drawDetails(trace, s, on) {
  const box = byId("panel-details");
  if (!s) {
    fill(box, el("p", { class: "muted", text: "Choose a row to see everything that is known of it." }));
    box.dataset.span = "";
    return;
  }
  const top = box.dataset.span === s.id ? box.scrollTop : 0;
  box.dataset.span = s.id;
  const zero = trace.root ? trace.root.start : s.start;
  const since = (t) => offset(t - zero, 1000);
  const facts = [
    ["State", s.state],
    ["Took", s.open ? duration(s.end - s.start) + " so far" : duration(s.end - s.start)],
    ["Waited", s.queue > 0 ? duration(s.queue) : s.never ? duration(s.end - s.start) : ""],
    ["Tokens", s.tokens === undefined ? "" : whole(s.tokens)],
    ["Starts at", since(s.start)],
    ["Ends at", s.open ? "" : since(s.end)],
  ].filter(([, v]) => v);
  fill(
    box,
    el("header", { class: "span-head hue-" + (s.hue < 0 ? "none" : s.hue) + " state-" + s.state.replace(/[^a-z]/g, "") }, el("span", { class: "sign", "aria-hidden": "true", text: s.kind === "agent" ? signOf(s.state) : "" }), el("h2", { text: s.name }), el("span", { class: "tag", text: s.kind || "span" }), s.critical ? el("span", { class: "tag path", text: "critical path" }) : null, s.straggler ? el("span", { class: "tag", text: "straggler" }) : null),
    s.error ? el("p", { class: "error-text", text: s.error }) : null,
    el("dl", { class: "mini wide" }, ...facts.map(([k, v]) => el("div", {}, el("dt", { text: k }), el("dd", { text: v })))),
    s.up ? el("p", { class: "named" }, el("span", { class: "muted", text: "In " }), el("button", { type: "button", class: "link", text: s.up.name, click: () => on.select(s.up.id) })) : null,
    section("Events", s.events.length, el("ol", { class: "events" }, ...s.events.map((e) => el("li", {}, el("time", { text: since(e.time), title: exact(e.time) }), el("b", { text: e.name }), table(e.attributes))))),
    section("Attributes", s.attributes.length, table(s.attributes)),
    section("Links", s.links.length, ...s.links.map((l) => el("div", {}, table([["trace", l.trace], ["span", l.id], ...l.attributes])))),
    section("Span", 1, table([["name", s.full], ["trace id", trace.row.trace], ["span id", s.id], ["parent id", s.parent], ["start", exact(s.start)], ["end", s.open ? "" : exact(s.end)]].filter(([, v]) => v))),
    s === trace.root && trace.resource.length > 0 ? section("Resource", trace.resource.length, table(trace.resource)) : null,
  );
  if (top > 0) box.scrollTop = top;
}

function section(title, n, ...content) {
  return n > 0 ? el("section", { class: "block" }, el("h3", { text: title }), ...content) : null;
}

function table(pairs) {
  if (pairs.length === 0) return null;
  return el("table", { class: "attributes" }, el("tbody", {}, ...pairs.map(([key, value]) => el("tr", {}, el("th", { scope: "row", text: key }), el("td", { class: typeof value === "number" ? "number" : "", text: show(value) })))));
}

function show(value) {
  if (Array.isArray(value)) return value.join("\n");
  return String(value);
}
