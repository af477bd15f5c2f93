import { byId, el } from "./dom.js";

// Keys of the trace view. What they do is with the application; here is which, and what the help says.

const KEYS = [
  ["↑ ↓, k j", "row before, row after", { ArrowUp: "up", k: "up", ArrowDown: "down", j: "down" }],
  ["← →", "fold or go to the parent, open or go inside", { ArrowLeft: "left", ArrowRight: "right" }],
  ["Home End", "first and last row", { Home: "first", End: "last" }],
  ["PgUp PgDn", "one screen of rows", { PageUp: "pageUp", PageDown: "pageDown" }],
  ["Enter", "details of the row", { Enter: "details" }],
  ["+ −", "zoom in and out", { "+": "zoomIn", "=": "zoomIn", "-": "zoomOut" }],
  ["0", "the whole time", { 0: "fit" }],
  ["a d", "earlier, later", { a: "earlier", d: "later" }],
  ["z", "zoom to the row", { z: "zoomTo" }],
  ["/", "search", { "/": "search" }],
  ["n N", "next and previous failed agent", { n: "nextFailed", N: "previousFailed" }],
  ["c", "only the critical path", { c: "critical" }],
  ["e", "fold or open all phases", { e: "foldAll" }],
  ["r", "low rows, to see twice as many", { r: "short" }],
  ["p", "show or hide the panel", { p: "panel" }],
  ["t", "light, dark, as the system", { t: "theme" }],
  ["Esc", "clear, step by step, then back to the list", { Escape: "escape" }],
  ["?", "this help", { "?": "help" }],
];

const MOUSE = [
  ["Ctrl or ⌘ + wheel", "zoom at the pointer; on the time axis the wheel alone"],
  ["Shift + wheel, drag", "move along the time"],
  ["Double click on a bar", "zoom to it"],
  ["Strip on top", "drag to choose a window, its edges to change it; double click for everything"],
];

// Keys that only mean something while the rows, or nothing, have the focus: elsewhere they scroll and press.
const ROWS_ONLY = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown", "Enter"]);

export function startKeys(run) {
  const actions = new Map();
  for (const [, , keys] of KEYS) for (const [key, action] of Object.entries(keys)) actions.set(key, action);
  byId("help-keys").append(...[...KEYS, ...MOUSE].flatMap(([keys, text]) => [el("dt", { text: keys }), el("dd", { text })]));
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || byId("help").open) return;
    const at = e.target;
    if (at instanceof HTMLInputElement || at instanceof HTMLSelectElement) {
      if (e.key === "Escape" || (e.key === "Enter" && at instanceof HTMLInputElement)) {
        e.preventDefault();
        run(e.key === "Escape" ? "leaveSearch" : "fromSearch", at);
      }
      return;
    }
    if (ROWS_ONLY.has(e.key) && at !== byId("rows") && at !== document.body) return;
    const action = actions.get(e.key);
    if (action && run(action) !== false) e.preventDefault();
  });
}
