import { byId, el, fill } from "./dom.js";
import { columns, edges, WAITING } from "./concurrency.js";
import { HUES } from "./states.js";

// The strip over the waterfall: how many agents ran at once, by phase, how many waited, and the window that is seen.

export class Overview {
  constructor(on) {
    this.on = on;
    this.lane = byId("over-lane");
    this.canvas = byId("over-canvas");
    this.brush = byId("brush");
    this.lane.addEventListener("pointerdown", (e) => this.press(e));
    this.lane.addEventListener("dblclick", () => on.fit());
    this.changed();
  }

  // changed forgets what was derived of the trace.
  changed() {
    this.edges = undefined;
    this.stale = true;
  }

  recolour() {
    const style = getComputedStyle(document.documentElement);
    this.colours = [];
    for (let i = 0; i < HUES; i++) this.colours.push(style.getPropertyValue("--hue-" + i).trim());
    this.colours.push(style.getPropertyValue("--hue-none").trim());
    this.waiting = style.getPropertyValue("--waiting").trim();
    this.text = style.getPropertyValue("--muted").trim();
    this.rule = style.getPropertyValue("--line").trim();
    this.pathColour = style.getPropertyValue("--path").trim();
    this.stale = true;
  }

  measure() {
    const width = this.lane.clientWidth;
    const height = this.lane.clientHeight;
    if (width !== this.width || height !== this.height) this.stale = true;
    this.width = width;
    this.height = height;
  }

  draw({ trace, scale }) {
    if (this.width <= 0) return;
    if (!this.colours) this.recolour();
    if (this.stale) this.paint(trace, scale);
    this.stale = false;
    const whole = { from: scale.min, to: scale.max };
    const x = (t) => ((t - whole.from) / (whole.to - whole.from)) * this.width;
    const from = x(scale.from);
    this.brush.style.transform = "translateX(" + from + "px)";
    this.brush.style.width = Math.max(4, x(scale.to) - from) + "px";
    this.brush.classList.toggle("whole", scale.whole);
  }

  paint(trace, scale) {
    const ratio = window.devicePixelRatio || 1;
    const { canvas, width, height } = this;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    if (!this.edges) this.edges = edges(trace.agents);
    const { cols, peak, top } = columns(this.edges, scale.min, scale.max, Math.max(1, Math.floor(width)));
    this.peak = peak;
    const room = height - 14;
    // What waits may be a hundred times what runs: it gets at most half of the height, so that both are seen.
    const waits = top - peak;
    const unit = peak === 0 ? 0 : waits > peak ? room / 2 / peak : room / Math.max(top, 1);
    const waitUnit = waits > peak ? room / 2 / Math.max(1, top) : unit;
    const base = height - 5;
    for (let x = 0; x < cols.length; x++) {
      let y = base;
      for (let p = 0; p <= HUES; p++) {
        const n = cols[x][p] * unit;
        if (n <= 0) continue;
        g.fillStyle = this.colours[p];
        g.fillRect(x, y - n, 1, n);
        y -= n;
      }
      const n = cols[x][WAITING] * waitUnit;
      if (n > 0) {
        g.fillStyle = this.waiting;
        g.globalAlpha = 0.4;
        g.fillRect(x, y - n, 1, n);
        g.globalAlpha = 1;
        g.fillRect(x, y - n, 1, 1);
      }
    }
    g.fillStyle = this.rule;
    g.fillRect(0, base, width, 1);
    g.fillStyle = this.pathColour;
    const zoom = width / (scale.max - scale.min);
    for (const a of trace.agents) {
      if (a.critical) g.fillRect((a.start - scale.min) * zoom, base + 2, Math.max(1.5, (a.end - a.start) * zoom - 0.5), 3);
    }
    const most = Math.max(0, ...cols.map((c) => c[WAITING]));
    fill(byId("legend"), el("span", { class: "run", text: "running, up to " + peak }), most > 0 && el("span", { class: "wait", text: "waiting, up to " + most + (waits > peak ? " (own scale)" : "") }));
  }

  // press starts a drag: of the window, of one of its edges, or of a new window.
  press(e) {
    if (e.button !== 0) return;
    e.preventDefault();
    const scale = this.on.scale();
    const box = this.lane.getBoundingClientRect();
    const at = (event) => scale.min + (Math.min(Math.max(event.clientX - box.left, 0), box.width) / box.width) * (scale.max - scale.min);
    const begin = at(e);
    const { from, to } = scale;
    const near = ((scale.max - scale.min) / box.width) * 6;
    let mode = "new";
    if (!scale.whole) {
      if (Math.abs(begin - from) < near) mode = "left";
      else if (Math.abs(begin - to) < near) mode = "right";
      else if (begin > from && begin < to) mode = "move";
    }
    const move = (event) => {
      const now = at(event);
      if (mode === "new") {
        if (Math.abs(now - begin) < near / 2) return;
        scale.set(Math.min(begin, now), Math.max(begin, now));
      } else if (mode === "left") scale.set(Math.min(now, to - 1), to);
      else if (mode === "right") scale.set(from, Math.max(now, from + 1));
      else scale.set(from + now - begin, to + now - begin);
      this.on.moved();
    };
    const up = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", up);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", up);
  }
}
