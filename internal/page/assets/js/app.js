import { byId, frame, setText } from "./dom.js";
import { duration, offset, plural, tokens } from "./format.js";
import { STATES, failed } from "./states.js";
import { Trace } from "./model.js";
import { filtering, visible } from "./rows.js";
import { Scale } from "./scale.js";
import { Waterfall } from "./waterfall.js";
import { Overview } from "./overview.js";
import { drawHead } from "./head.js";
import { drawPhases } from "./phases.js";
import { drawDetails } from "./details.js";
import { List, chips } from "./list.js";
import { nextTheme, startTheme } from "./theme.js";
import { embedded, Feed } from "./feed.js";
import { startKeys } from "./keys.js";
import { startGestures } from "./gestures.js";

// The application: what is chosen, and what has to be drawn again when something changes.

const bundle = embedded();
const scale = new Scale();
const list = new List();
const filter = { query: "", states: new Set(), critical: false, sort: "start", folded: new Set() };
const ui = { trace: undefined, rows: [], hits: 0, selected: "", tab: "phases" };
const dirty = { head: true, rows: true, panel: true };

const waterfall = new Waterfall({ select, fold, zoomTo, hover, scrolled: () => paint() });
const overview = new Overview({ scale: () => scale, moved: () => paint(), fit: () => (scale.fit(), paint()) });
const paint = frame(draw);

function change(...what) {
  for (const w of what) dirty[w] = true;
  paint();
}

function draw() {
  const { trace } = ui;
  if (!trace || byId("trace").hidden) return;
  const now = Date.now() * 1000;
  if (trace.live) {
    trace.tick(now);
    scale.bounds(...trace.bounds());
    dirty.head = true;
    overview.changed();
  }
  if (dirty.head) drawHead(trace, now);
  fresh();
  if (dirty.panel || (trace.live && ui.tab === "details")) drawPanel();
  dirty.head = dirty.panel = false;
  overview.draw({ trace, scale });
  waterfall.draw({ trace, scale, rows: ui.rows, selected: ui.selected, folded: filter.folded });
  // The key of what is seen, not of what will be with the next frame.
  byId("trace").dataset.key = trace.key;
}

// fresh makes the rows those of now, also for a key that comes before the next frame.
function fresh() {
  if (dirty.rows) arrange();
  dirty.rows = false;
}

// arrange decides which rows there are.
function arrange() {
  const { trace } = ui;
  const counts = trace.states();
  chips(byId("states"), STATES.filter((s) => counts.get(s.name)).map((s) => ({ name: s.name, count: counts.get(s.name), class: "state-" + s.name })), filter.states, () => change("rows"));
  byId("critical").setAttribute("aria-pressed", String(filter.critical));
  byId("critical").hidden = !trace.insight?.critical?.length;
  const { rows, hits } = visible(trace, filter);
  ui.rows = rows;
  const on = filtering(filter);
  setText(byId("hits"), on ? hits + " found" : "");
  setText(byId("row-count"), plural(trace.agents.length, "agent") + (trace.phases.length ? " in " + plural(trace.phases.length, "phase") : ""));
  byId("rows-empty").hidden = rows.length > 0;
  setText(byId("fold"), trace.phases.some((p) => filter.folded.has(p.id)) ? "Open all" : "Fold");
}

function drawPanel() {
  const details = ui.tab === "details";
  for (const name of ["phases", "details"]) {
    byId("tab-" + name).setAttribute("aria-selected", String(ui.tab === name));
    byId("tab-" + name).tabIndex = ui.tab === name ? 0 : -1;
    byId("panel-" + name).hidden = ui.tab !== name;
  }
  if (details) drawDetails(ui.trace, ui.trace.spans.get(ui.selected), { select });
  else drawPhases(ui.trace, { select });
}

function measure() {
  if (byId("trace").hidden) return;
  waterfall.measure();
  overview.measure();
}

function resized() {
  measure();
  paint();
}

// select chooses a span, opens what hides it, and shows its details.
function select(id) {
  const s = ui.trace.spans.get(id);
  if (!s) return;
  for (let n = s.up; n; n = n.up) if (filter.folded.delete(n.id)) dirty.rows = true;
  ui.selected = id;
  ui.tab = "details";
  fresh();
  let n = ui.rows.findIndex((r) => r.id === id);
  if (n < 0) {
    clearFilters();
    fresh();
    n = ui.rows.findIndex((r) => r.id === id);
  }
  waterfall.reveal(n);
  bringIntoView(s);
  change("panel");
}

// bringIntoView moves the window of time to a span that is outside of it.
function bringIntoView(s) {
  const span = scale.to - scale.from;
  if (s.end >= scale.from && s.start <= scale.to) return;
  const middle = (s.start + s.end) / 2;
  scale.set(middle - span / 2, middle + span / 2);
}

function fold(id) {
  if (!filter.folded.delete(id)) filter.folded.add(id);
  change("rows");
}

function zoomTo(s) {
  const from = s.start - s.queue;
  const room = Math.max((s.end - from) * 0.08, 500);
  scale.set(from - room, s.end + room);
  paint();
}

function clearFilters() {
  filter.query = "";
  filter.states.clear();
  filter.critical = false;
  byId("search").value = "";
  change("rows");
}

// hover says what a row is, next to the pointer.
function hover(s, e) {
  const tip = byId("tip");
  tip.hidden = !s || document.body.classList.contains("dragging");
  const cursor = byId("cursor");
  cursor.hidden = !s;
  if (!s) return;
  const lane = byId("axis").getBoundingClientRect();
  const x = e.clientX - lane.left;
  cursor.hidden = x < 0;
  if (x >= 0 && ui.trace.root) {
    cursor.style.transform = "translateX(" + x + "px)";
    setText(cursor.firstChild, offset(scale.time(x, lane.width) - ui.trace.root.start, ((scale.to - scale.from) / lane.width) * 2));
  }
  const lines = [s.name, [s.state, duration(s.end - s.start), s.queue > 0 ? "waited " + duration(s.queue) : "", s.tokens ? tokens(s.tokens) + " tok" : ""].filter(Boolean).join(" · ")];
  if (s.error) lines.push(s.error.slice(0, 200));
  setText(tip, lines.join("\n"));
  if (tip.hidden) return;
  const left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const top = e.clientY + 18 + tip.offsetHeight > innerHeight ? e.clientY - tip.offsetHeight - 10 : e.clientY + 18;
  tip.style.transform = "translate(" + left + "px," + top + "px)";
}

// --- what is shown: the list or one trace, by the address

let feed;

// fragment is what stands behind the # of the address. People type there.
function fragment() {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function route() {
  const key = fragment();
  hover();
  if (bundle) {
    const only = bundle.traces.length === 1 ? bundle.traces[0] : undefined;
    show(bundle.traces.find((t) => t.row.key === key) || only);
  } else {
    byId("list").hidden = key !== "";
    byId("trace").hidden = true;
    ui.trace = undefined;
    setText(byId("crumb-here"), "");
    document.title = "cbc-otel";
    list.draw();
    feed.listen(key);
  }
}

function show(doc) {
  byId("list").hidden = Boolean(doc);
  byId("trace").hidden = !doc;
  if (doc) return open(doc);
  ui.trace = undefined;
  document.title = "cbc-otel";
  setText(byId("crumb-here"), "");
  list.draw();
}

// open shows a whole trace from its beginning.
function open(doc) {
  const again = ui.trace && ui.trace.key === doc.row.key;
  ui.trace = new Trace({ ...doc, full: true });
  byId("list").hidden = true;
  byId("trace").hidden = false;
  setText(byId("crumb-here"), doc.row.name || "workflow");
  document.title = (doc.row.name || "workflow") + " · cbc-otel";
  if (!again) {
    clearFilters();
    filter.folded.clear();
    for (const a of ui.trace.agents) if (a.children.length > 0) filter.folded.add(a.id);
    ui.selected = "";
    ui.tab = "phases";
    waterfall.box.scrollTop = 0;
    scale.fit();
  }
  scale.bounds(...ui.trace.bounds());
  overview.changed();
  measure();
  change("head", "rows", "panel");
}

function update(doc) {
  if (doc.full || !ui.trace || ui.trace.key !== doc.row.key) return open(doc);
  ui.trace.merge(doc);
  scale.bounds(...ui.trace.bounds());
  overview.changed();
  change("head", "rows", "panel");
}

// --- keys

const actions = {
  up: () => step(-1),
  down: () => step(1),
  first: () => goTo(0),
  last: () => goTo(ui.rows.length - 1),
  pageUp: () => step(-Math.floor(waterfall.height / waterfall.row)),
  pageDown: () => step(Math.floor(waterfall.height / waterfall.row)),
  left: () => {
    const s = current();
    if (s && s.children.length > 0 && !filter.folded.has(s.id)) fold(s.id);
    else if (s && s.up) choose(s.up);
  },
  right: () => {
    const s = current();
    if (s && filter.folded.has(s.id)) fold(s.id);
    else if (s && s.children.length > 0) step(1);
  },
  details: () => {
    if (!current()) return false;
    ui.tab = "details";
    panel(true);
  },
  zoomIn: () => (scale.zoom(0.7, focusPart()), paint()),
  zoomOut: () => (scale.zoom(1 / 0.7, focusPart()), paint()),
  fit: () => (scale.fit(), paint()),
  earlier: () => (scale.pan(-0.15), paint()),
  later: () => (scale.pan(0.15), paint()),
  zoomTo: () => current() && zoomTo(current()),
  search: () => {
    byId("search").focus();
    byId("search").select();
  },
  nextFailed: () => toFailed(1),
  previousFailed: () => toFailed(-1),
  critical: () => {
    filter.critical = !filter.critical;
    change("rows");
  },
  foldAll: () => {
    const folded = ui.trace.phases.some((p) => filter.folded.has(p.id));
    for (const p of ui.trace.phases) folded ? filter.folded.delete(p.id) : filter.folded.add(p.id);
    change("rows");
  },
  short: () => {
    const on = byId("short").getAttribute("aria-pressed") !== "true";
    byId("short").setAttribute("aria-pressed", String(on));
    waterfall.setShort(on);
    paint();
  },
  panel: () => panel(byId("panel").hidden),
  escape: () => {
    if (!byId("panel").hidden && ui.tab === "details") ui.tab = "phases";
    else if (filtering(filter)) return clearFilters();
    else if (!scale.whole) scale.fit();
    else if (ui.selected) ui.selected = "";
    else return byId("crumb-all").hidden ? false : void (location.hash = "");
    change("panel", "rows");
  },
  fromSearch: () => {
    byId("rows").focus();
    const hit = ui.rows.find((s) => s.children.length === 0) || ui.rows[0];
    if (hit) choose(hit);
  },
  leaveSearch: (at) => {
    if (at === byId("search") && at.value) return clearFilters();
    byId("rows").focus();
  },
};

function run(action, at) {
  if (ui.trace) fresh();
  if (action === "theme") return nextTheme();
  if (action === "help") return void byId("help").showModal();
  if (at === byId("list-search")) return void at.blur();
  if (!byId("list").hidden) return action === "search" ? byId("list-search").focus() : false;
  return ui.trace ? actions[action](at) : false;
}

function current() {
  return ui.rows.find((s) => s.id === ui.selected);
}

// focusPart is where in the window the keys zoom: at the chosen bar, else in the middle.
function focusPart() {
  const s = current();
  const part = s ? ((s.start + s.end) / 2 - scale.from) / (scale.to - scale.from) : 0.5;
  return part >= 0 && part <= 1 ? part : 0.5;
}

function step(by) {
  const n = ui.rows.findIndex((s) => s.id === ui.selected);
  goTo(n < 0 ? 0 : n + by);
}

function goTo(n) {
  n = Math.min(Math.max(n, 0), ui.rows.length - 1);
  if (ui.rows[n]) choose(ui.rows[n], n);
}

// choose moves the choice without changing what the panel is about.
function choose(s, n = ui.rows.indexOf(s)) {
  ui.selected = s.id;
  waterfall.reveal(n);
  bringIntoView(s);
  change("panel");
}

function toFailed(by) {
  const all = ui.rows.filter((s) => s.kind === "agent" && failed(s));
  if (all.length === 0) return;
  const at = all.findIndex((s) => s.id === ui.selected);
  choose(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length]);
}

function panel(on) {
  byId("panel").hidden = !on;
  byId("panel-toggle").setAttribute("aria-pressed", String(on));
  measure();
  change("panel");
}

function tab(name) {
  ui.tab = name;
  change("panel");
}

// --- start

byId("search").addEventListener("input", (e) => {
  filter.query = e.target.value;
  waterfall.box.scrollTop = 0;
  change("rows");
});
byId("sort").addEventListener("change", (e) => {
  filter.sort = e.target.value;
  change("rows");
});
byId("clear").addEventListener("click", clearFilters);
byId("critical").addEventListener("click", () => run("critical"));
byId("fold").addEventListener("click", () => run("foldAll"));
byId("zoom-in").addEventListener("click", () => run("zoomIn"));
byId("zoom-out").addEventListener("click", () => run("zoomOut"));
byId("zoom-fit").addEventListener("click", () => run("fit"));
byId("short").addEventListener("click", () => run("short"));
byId("panel-toggle").addEventListener("click", () => run("panel"));
byId("panel-close").addEventListener("click", () => panel(false));
byId("tab-phases").addEventListener("click", () => tab("phases"));
byId("tab-details").addEventListener("click", () => tab("details"));
byId("help-open").addEventListener("click", () => run("help"));
startTheme(() => (overview.recolour(), paint()));
startKeys(run);
startGestures({
  zoom: (factor, part) => (scale.zoom(factor, part), paint()),
  pan: (part) => (scale.pan(part), paint()),
  fit: () => run("fit"),
  resized,
});
new ResizeObserver(resized).observe(byId("chart"));
window.addEventListener("hashchange", route);
if (matchMedia("(max-width: 900px)").matches) panel(false);

if (bundle) {
  list.set(bundle.traces.map((t) => t.row));
  byId("crumb-all").hidden = bundle.traces.length === 1;
  setText(byId("feed"), "report of " + bundle.made);
} else {
  feed = new Feed({
    list: (m) => {
      list.set(m.rows, m.more);
      if (!byId("list").hidden) list.draw();
    },
    trace: update,
    missing: (key) => {
      if (!ui.trace || ui.trace.key !== key) return setText(byId("crumb-here"), "this workflow is not there");
      if (ui.trace.live) ui.trace.lost();
      change("head", "rows", "panel");
    },
  });
  // What runs goes on running between two pieces of news.
  setInterval(() => {
    if (document.hidden) return;
    if (!byId("list").hidden && list.rows.some((r) => r.live)) list.draw();
    else if (ui.trace && ui.trace.live) paint();
  }, 500);
}
route();
