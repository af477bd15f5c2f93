import { byId } from "./dom.js";

// Wheel and drag over the waterfall and its axis.

const ZOOM = 0.0022; // per pixel of wheel

export function startGestures(on) {
  const rows = byId("rows");
  const axis = byId("axis");
  const part = (e) => {
    const box = axis.getBoundingClientRect();
    return Math.min(Math.max((e.clientX - box.left) / box.width, 0), 1);
  };
  const pixels = (e) => (e.deltaMode === 1 ? 30 : 1);
  const wheel = (e, always) => {
    const dy = e.deltaY * pixels(e);
    const dx = e.deltaX * pixels(e);
    if (e.ctrlKey || e.metaKey || (always && !e.shiftKey && Math.abs(dy) >= Math.abs(dx))) {
      e.preventDefault();
      on.zoom(Math.exp(Math.max(-400, Math.min(400, dy)) * ZOOM), part(e));
    } else if (e.shiftKey || Math.abs(dx) > Math.abs(dy)) {
      e.preventDefault();
      on.pan((dx || dy) / axis.clientWidth);
    }
  };
  rows.addEventListener("wheel", (e) => wheel(e, false), { passive: false });
  axis.addEventListener("wheel", (e) => wheel(e, true), { passive: false });
  byId("over-lane").addEventListener("wheel", (e) => wheel(e, true), { passive: false });
  axis.addEventListener("dblclick", () => on.fit());

  // Dragging on rows or axis moves the time. A click that does not move stays a click.
  const drag = (e) => {
    if (e.button !== 0 || e.pointerType === "touch") return;
    if (e.clientX < axis.getBoundingClientRect().left) return;
    let last = e.clientX;
    let moved = 0;
    const move = (event) => {
      const by = event.clientX - last;
      moved += Math.abs(by);
      if (moved < 4) return;
      document.body.classList.add("dragging");
      last = event.clientX;
      on.pan(-by / axis.clientWidth);
    };
    const up = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", up);
      if (document.body.classList.contains("dragging")) {
        // The click that follows is the end of the drag, not a choice.
        window.addEventListener("click", (c) => c.stopPropagation(), { capture: true, once: true });
        setTimeout(() => document.body.classList.remove("dragging"), 0);
      }
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", up);
  };
  rows.addEventListener("pointerdown", drag);
  axis.addEventListener("pointerdown", drag);

  // The line between names and time.
  byId("divider").addEventListener("pointerdown", (e) => {
    e.preventDefault();
    e.stopPropagation();
    const chart = byId("chart").getBoundingClientRect();
    const move = (event) => {
      const width = Math.min(Math.max(event.clientX - chart.left, 140), chart.width * 0.6);
      byId("chart").style.setProperty("--names", width + "px");
      on.resized();
    };
    const up = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
  });
}
