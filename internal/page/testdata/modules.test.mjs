// Tests of the page's modules that need no browser: node --test.
import assert from "node:assert/strict";
import test from "node:test";
import { columns, edges, WAITING } from "../assets/js/concurrency.js";
import { duration, offset, tokens, whole } from "../assets/js/format.js";
import { Trace } from "../assets/js/model.js";
import { visible } from "../assets/js/rows.js";
import { Scale, step, ticks } from "../assets/js/scale.js";

const span = (i, p, k, s, e, more = {}) => ({ i, p, k, n: k + " " + i, t: i, s, e, ...more });
const doc = (spans, more = {}) => ({ full: true, row: { key: "k", root: "w" }, keys: ["key"], spans, insight: { critical: ["b"] }, ...more });
const few = () => doc([span("w", "", "workflow", 0, 100), span("p", "w", "phase", 10, 90), span("a", "p", "agent", 20, 40, { st: "done", q: 10 }), span("b", "p", "agent", 10, 90, { st: "error", x: "it broke", a: [0, "needle"] })]);
const filter = (f = {}) => ({ query: "", states: new Set(), critical: false, sort: "start", folded: new Set(), ...f });
const ids = (trace, f) => visible(trace, filter(f)).rows.map((s) => s.id).join(" ");

test("durations", () => {
  const want = [[0, "0 ms"], [400, "<1 ms"], [1500, "2 ms"], [999400, "999 ms"], [1.5e6, "1.50 s"], [59.9e6, "59.9 s"], [60e6, "1m 00s"], [3599.6e6, "1h 00m"], [90061e6, "1d 01h"], [-2e6, "−2.00 s"], [NaN, ""]];
  for (const [us, text] of want) assert.equal(duration(us), text);
});

test("offsets and tokens", () => {
  const want = [[0, 1e6, "0"], [500000, 500000, "500 ms"], [1.5e6, 500000, "1.5 s"], [75e6, 15e6, "1:15"], [3725e6, 60e6, "1:02:05"], [-1e6, 1e6, "−1 s"], [65.25e6, 50000, "1:05.25"]];
  for (const [us, by, text] of want) assert.equal(offset(us, by), text);
  for (const [n, text] of [[undefined, ""], [0, "0"], [999, "999"], [1234, "1.2k"], [12345, "12k"], [1234567, "1.23M"], [999900, "1.00M"], [123e6, "123M"]]) assert.equal(tokens(n), text);
  for (const [n, text] of [[undefined, ""], [0, "0"], [999, "999"], [1000, "1,000"], [1234567, "1,234,567"], [0.5, "0.5"]]) assert.equal(whole(n), text);
});

test("rows: order, folding, search, states, critical path", () => {
  const t = new Trace(few());
  assert.equal(ids(t), "w p a b"); // a waited since 10, and comes first in the tree
  assert.equal(ids(t, { sort: "long" }), "w p b a");
  assert.equal(ids(t, { folded: new Set(["p"]) }), "w p");
  assert.equal(ids(t, { query: "NEEDLE" }), "w p b");
  assert.equal(ids(t, { query: "broke error" }), "w p b");
  assert.equal(ids(t, { query: "nothing" }), "");
  assert.equal(ids(t, { states: new Set(["done"]) }), "w p a");
  assert.equal(ids(t, { critical: true }), "w p b");
  assert.equal(visible(t, filter({ query: "needle" })).hits, 1);
});

test("a tree of anything", () => {
  const t = new Trace(doc([span("w", "", "workflow", 0, 9), span("x", "y", "", 1, 2), span("y", "x", "", 1, 2), span("z", "z", "", 1, 2), span("o", "gone", "agent", 1, 2)]));
  assert.equal(visible(t, filter()).rows.length, 5);
  const long = [span("w", "", "workflow", 0, 9)];
  for (let i = 0; i < 5000; i++) long.push(span("s" + i, i ? "s" + (i - 1) : "w", "", 0, 9));
  assert.equal(visible(new Trace(doc(long)), filter()).rows.length, 5001);
  assert.equal(visible(new Trace(doc([])), filter()).rows.length, 0);
});

test("what changed is merged, and what is open grows", () => {
  const t = new Trace(few());
  t.merge({ row: { key: "k", root: "w", live: true }, at: 200, keys: [], spans: [{ i: "w", k: "workflow", n: "w", s: 0, o: 1 }, span("c", "p", "agent", 95, undefined, { o: 1, st: "running" })], gone: ["a"] });
  assert.equal(ids(t), "w p b c");
  assert.equal(t.to, 1000); // a thousandth of a second at least
  t.tick(5000);
  assert.equal(t.spans.get("c").end, 5000);
  assert.equal(t.spans.get("b").end, 90);
  assert.equal(t.to, 5000);
  t.merge({ row: { key: "k", root: "w" }, keys: [], spans: [span("w", "", "workflow", 0, 300), span("c", "p", "agent", 95, 250)] });
  t.tick(9000);
  assert.equal(t.spans.get("c").end, 250);
});

test("scale", () => {
  const s = new Scale();
  s.bounds(0, 10000);
  s.zoom(0.5, 0.25);
  assert.deepEqual([s.from, s.to], [1250, 6250]);
  assert.equal(s.time(s.x(3000, 700), 700), 3000);
  s.pan(10);
  assert.deepEqual([s.from, s.to], [5000, 10000]);
  s.bounds(0, 12000); // at the end, it stays there
  assert.deepEqual([s.from, s.to], [7000, 12000]);
  s.zoom(1e-9, 0.5);
  assert.ok(s.to - s.from >= 100);
  s.zoom(1e9, 0.5);
  assert.ok(s.whole);
  s.bounds(-5, 20000);
  assert.deepEqual([s.from, s.to], [-5, 20000]);
});

test("ticks are round and few", () => {
  assert.equal(step(10e6, 1000, 90), 1e6);
  assert.equal(step(3600e6, 1000, 90), 600e6);
  assert.equal(step(1000, 1000, 90), 100);
  assert.ok(step(1e15, 1000, 90) > 0);
  assert.deepEqual(ticks({ from: 500, to: 3500 }, 0, 300, 90).list, [1000, 2000, 3000]);
});

test("concurrency", () => {
  const t = new Trace(doc([span("w", "", "workflow", 0, 1000), span("p", "w", "phase", 0, 1000), ...[0, 1, 2].map((i) => span("a" + i, "p", "agent", 500 * (i > 1), 500 + 500 * (i > 1), { q: i > 1 ? 500 : 0 })), span("n", "w", "agent", 0, 1000, { w: 1, st: "queued" }), span("c", "w", "agent", 0, 1000, { w: 1, st: "cached" })]));
  const { cols, peak } = columns(edges(t.agents), 0, 1000, 2);
  assert.equal(peak, 2);
  assert.deepEqual([cols[0][0], cols[0][WAITING]], [2, 2]);
  assert.deepEqual([cols[1][0], cols[1][WAITING]], [1, 1]);
});
