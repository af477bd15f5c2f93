import { SECOND } from "./format.js";

// Scale is the window of time that is seen: from..to within min..max. It is pure arithmetic.

const SMALLEST = 100; // microseconds

export class Scale {
  constructor() {
    this.min = this.from = 0;
    this.max = this.to = 1;
  }

  get whole() {
    return this.from <= this.min && this.to >= this.max;
  }

  // bounds sets the range. A window over everything stays one, and one that touches the end stays at it.
  bounds(min, max) {
    const whole = this.whole;
    const atEnd = this.to >= this.max;
    const span = this.to - this.from;
    this.min = min;
    this.max = Math.max(max, min + SMALLEST);
    if (whole) this.fit();
    else if (atEnd) this.set(this.max - span, this.max);
    else this.set(this.from, this.to);
  }

  fit() {
    this.from = this.min;
    this.to = this.max;
  }

  set(from, to) {
    const range = this.max - this.min;
    const span = Math.min(range, Math.max(SMALLEST, to - from));
    if (span > to - from) from = (from + to - span) / 2;
    this.from = Math.min(Math.max(from, this.min), this.max - span);
    this.to = this.from + span;
  }

  // zoom makes the window factor times as long; the point at the part 0..1 of it stays where it is.
  zoom(factor, part) {
    const span = this.to - this.from;
    const wanted = Math.min(this.max - this.min, Math.max(SMALLEST, span * factor));
    const at = this.from + span * part;
    this.set(at - wanted * part, at - wanted * part + wanted);
  }

  // pan moves the window by a part of itself.
  pan(part) {
    const by = (this.to - this.from) * part;
    this.set(this.from + by, this.to + by);
  }

  x(time, width) {
    return ((time - this.from) / (this.to - this.from)) * width;
  }

  time(x, width) {
    return this.from + (x / width) * (this.to - this.from);
  }
}

const LONG = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

// step is a round distance between ticks of at least gap pixels.
export function step(span, width, gap) {
  const least = (span * gap) / Math.max(width, 1);
  if (least <= SECOND) {
    let unit = 1;
    for (;;) {
      for (const n of [1, 2, 5]) if (n * unit >= least) return n * unit;
      unit *= 10;
    }
  }
  return (LONG.find((s) => s * SECOND >= least) || Math.ceil(least / 86400e6) * 86400) * SECOND;
}

// ticks lists the times, as distances from zero, that have a mark in the window.
export function ticks(scale, zero, width, gap) {
  const by = step(scale.to - scale.from, width, gap);
  const list = [];
  for (let n = Math.ceil((scale.from - zero) / by); n * by + zero <= scale.to; n++) list.push(n * by);
  return { by, list };
}
