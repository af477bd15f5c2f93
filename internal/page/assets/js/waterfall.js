import { byId, el, setClass, setText } from "./dom.js";
import { duration, offset, tokens } from "./format.js";
import { ticks } from "./scale.js";
import { failed, signOf } from "./states.js";

// The rows: only those in sight exist, and they are used again while scrolling.

// Heights of a row, as in the style.
const TALL = 28;
const SHORT = 14;
const MARGIN = 6; // rows beyond the edge
const TICK_GAP = 90;

export class Waterfall {
  // on: select(id), fold(id), zoomTo(span).
  constructor(on) {
    this.on = on;
    this.box = byId("rows");
    this.sizer = byId("sizer");
    this.axis = byId("axis");
    this.grid = byId("grid");
    this.pool = [];
    this.rows = [];
    this.row = TALL;
    this.box.addEventListener("scroll", () => on.scrolled(), { passive: true });
  }

  // measure reads the layout; call it when sizes may have changed, not while drawing.
  measure() {
    this.width = this.axis.clientWidth;
    this.height = this.box.clientHeight;
  }

  // setShort makes rows half as high, to see twice as many.
  setShort(on) {
    const middle = (this.box.scrollTop + this.height / 2) / this.row;
    this.row = on ? SHORT : TALL;
    this.box.classList.toggle("short", on);
    this.sizer.style.height = this.rows.length * this.row + "px";
    this.box.scrollTop = middle * this.row - this.height / 2;
  }

  draw(state) {
    const { trace, scale, rows, selected, folded } = state;
    this.rows = rows;
    this.selected = selected;
    const height = rows.length * this.row + "px";
    if (this.sizer.style.height !== height) this.sizer.style.height = height;
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.row) - MARGIN);
    const last = Math.min(rows.length, Math.ceil((this.box.scrollTop + this.height) / this.row) + MARGIN);
    const count = last - first;
    while (this.pool.length < count) this.pool.push(this.make());
    this.box.setAttribute("aria-rowcount", String(rows.length));
    let active = "";
    for (let i = 0; i < this.pool.length; i++) {
      // Each row keeps its element while it is in sight: its place in the pool is its number modulo the pool.
      const n = first + ((i - (first % this.pool.length) + this.pool.length) % this.pool.length);
      const r = this.pool[i];
      r.root.hidden = n >= last;
      if (n >= last) continue;
      this.fill(r, rows[n], n, scale, folded, trace);
      if (rows[n].id === selected) active = r.root.id;
    }
    if (active) this.box.setAttribute("aria-activedescendant", active);
    else this.box.removeAttribute("aria-activedescendant");
    this.drawAxis(trace, scale);
  }

  make() {
    const r = { marks: [] };
    r.twist = el("span", { class: "twist", "aria-hidden": "true" });
    r.sign = el("span", { class: "sign", "aria-hidden": "true" });
    r.label = el("span", { class: "label" });
    r.badge = el("span", { class: "badge" });
    r.name = el("div", { class: "name", role: "gridcell" }, r.twist, r.sign, r.label, r.badge);
    r.queue = el("i", { class: "queue" });
    r.bar = el("i", { class: "bar" });
    r.caption = el("span", { class: "caption" });
    r.lane = el("div", { class: "lane", role: "gridcell" }, r.queue, r.bar, r.caption);
    r.root = el("div", { class: "row", role: "row" }, r.name, r.lane);
    r.root.addEventListener("click", (e) => {
      this.box.focus({ preventScroll: true });
      if (e.target === r.twist && r.span.children.length > 0) this.on.fold(r.span.id);
      else this.on.select(r.span.id);
    });
    r.root.addEventListener("dblclick", (e) => {
      if (e.target !== r.twist) this.on.zoomTo(r.span);
    });
    r.root.addEventListener("mousemove", (e) => this.on.hover(r.span, e));
    r.root.addEventListener("mouseleave", () => this.on.hover());
    this.sizer.append(r.root);
    return r;
  }

  fill(r, s, n, scale, folded, trace) {
    r.span = s;
    const root = r.root;
    const open = s.children.length > 0 && !folded.has(s.id);
    root.style.transform = "translateY(" + n * this.row + "px)";
    root.id = "row-" + n;
    root.dataset.span = s.id;
    setClass(root, "row kind-" + (s.depth > 2 || !["workflow", "phase", "agent"].includes(s.kind) ? "deep" : s.kind) +
      " hue-" + (s.hue < 0 ? "none" : s.hue) + (s.state ? " state-" + s.state.replace(/[^a-z]/g, "") : "") +
      (failed(s) ? " failed" : "") + (s.open ? " open" : "") + (s.never ? " never" : "") + (s.critical ? " on-path" : "") + (s.id === this.selected ? " selected" : ""));
    root.setAttribute("aria-level", String(s.depth + 1));
    root.setAttribute("aria-rowindex", String(n + 1));
    root.setAttribute("aria-selected", String(s.id === this.selected));
    if (s.children.length > 0) root.setAttribute("aria-expanded", String(open));
    else root.removeAttribute("aria-expanded");

    r.name.style.paddingLeft = 8 + Math.min(s.depth, 12) * 16 + "px";
    setText(r.twist, s.children.length === 0 ? "" : open ? "▾" : "▸");
    setText(r.sign, s.kind === "agent" ? signOf(s.state) : failed(s) ? "✕" : "");
    setText(r.label, s.name);
    root.setAttribute("aria-label", describe(s));
    setText(r.badge, s.critical ? "◆" : s.straggler ? "slow" : folded.has(s.id) && s.children.length > 0 ? String(s.children.length) : "");

    const w = this.width;
    const from = clip(scale.x(s.start, w), w);
    const to = clip(scale.x(s.end, w), w);
    const wide = Math.max(to - from, 2);
    place(r.bar, from, wide);
    r.queue.hidden = s.queue <= 0;
    let left = from;
    if (s.queue > 0) {
      left = clip(scale.x(s.start - s.queue, w), w);
      place(r.queue, left, Math.max(from - left, 1));
    }
    this.fillMarks(r, s, scale);
    this.caption(r, s, left, from, from + wide);
  }

  // caption stands right of the bar, else left of it, else in it.
  caption(r, s, left, start, right) {
    const text = (s.open ? "" : duration(s.end - s.start)) + (s.tokens ? (s.open ? "" : " · ") + tokens(s.tokens) + " tok" : "");
    setText(r.caption, text);
    const need = text.length * 6.6 + 14;
    let at = "right";
    if (s.kind === "workflow") at = "none"; // the head says it
    else if (right < 0 || left > this.width) at = "none";
    else if (right + need <= this.width) r.caption.style.transform = "translateX(" + (right + 7) + "px)";
    else if (left >= need) {
      at = "left";
      r.caption.style.transform = "translateX(" + (left - need + 6) + "px)";
    } else {
      at = "in";
      r.caption.style.transform = "translateX(" + (Math.max(start, 0) + 8) + "px)";
      if (Math.min(right, this.width) - Math.max(start, 0) < need) at = "none";
    }
    setClass(r.caption, "caption at-" + at);
  }

  fillMarks(r, s, scale) {
    const list = s.kind === "workflow" ? [] : s.events;
    while (r.marks.length < Math.min(list.length, 50)) {
      const m = el("i", { class: "mark" });
      r.lane.append(m);
      r.marks.push(m);
    }
    r.marks.forEach((m, i) => {
      m.hidden = i >= list.length;
      if (m.hidden) return;
      m.style.transform = "translateX(" + clip(scale.x(list[i].time, this.width), this.width) + "px)";
    });
  }

  drawAxis(trace, scale) {
    if (!trace.root) return;
    const zero = trace.root.start;
    const { by, list } = ticks(scale, zero, this.width, TICK_GAP);
    sync(this.axis, list.length, () => el("span"));
    sync(this.grid, list.length, () => el("i"));
    list.forEach((t, i) => {
      const x = scale.x(t + zero, this.width);
      const label = this.axis.children[i];
      setText(label, offset(t, by));
      label.style.transform = "translateX(" + x + "px)";
      setClass(label, x > this.width - 40 ? "end" : "");
      this.grid.children[i].style.transform = "translateX(" + x + "px)";
    });
  }

  // reveal scrolls until the row is in sight.
  reveal(n) {
    const top = n * this.row;
    if (top < this.box.scrollTop) this.box.scrollTop = top - this.row;
    else if (top + this.row > this.box.scrollTop + this.height) this.box.scrollTop = top + 2 * this.row - this.height;
  }
}

function describe(s) {
  const parts = [s.kind || "span", s.name, s.state];
  if (s.error) parts.push(s.error);
  parts.push(duration(s.end - s.start));
  if (s.queue > 0) parts.push("waited " + duration(s.queue));
  if (s.tokens) parts.push(tokens(s.tokens) + " tokens");
  if (s.critical) parts.push("on the critical path");
  return parts.filter(Boolean).join(", ");
}

// clip keeps drawn coordinates small: browsers do not draw boxes of millions of pixels well.
function clip(x, width) {
  return Math.min(Math.max(x, -50), width + 50);
}

function place(node, x, width) {
  node.style.transform = "translateX(" + x + "px)";
  node.style.width = width + "px";
}

function sync(box, n, make) {
  while (box.children.length < n) box.append(make());
  while (box.children.length > n) box.lastChild.remove();
}
