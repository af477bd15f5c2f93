import { HUES } from "./states.js";

// How many agents ran, by phase, and how many waited, over time.

export const WAITING = HUES + 1; // place in a column; HUES is for agents outside any phase

// edges lists the changes: [time, place, +1 or -1], ordered by time.
export function edges(agents) {
  const list = [];
  for (const a of agents) {
    const place = a.hue < 0 ? HUES : a.hue;
    if (a.never) {
      if (a.state !== "cached") add(list, a.start, a.end, WAITING);
      continue;
    }
    if (a.queue > 0) add(list, a.start - a.queue, a.start, WAITING);
    add(list, a.start, a.end, place);
  }
  list.sort((a, b) => a[0] - b[0] || a[2] - b[2]);
  return list;
}

function add(list, from, to, place) {
  if (to > from) list.push([from, place, 1], [to, place, -1]);
}

// columns samples the edges for a drawing of width columns between from and to: of each column its busiest moment.
// It returns one array of counts by place for each column, the most that ran at once and the most with those that waited.
export function columns(list, from, to, width) {
  const now = new Array(HUES + 2).fill(0);
  const cols = [];
  let at = 0;
  let active = 0;
  let peak = 0;
  let top = 0;
  const take = () => {
    const [, place, by] = list[at++];
    now[place] += by;
    if (place !== WAITING) active += by;
    peak = Math.max(peak, active);
  };
  for (let x = 0; x < width; x++) {
    const begin = from + (x / width) * (to - from);
    const until = from + ((x + 1) / width) * (to - from);
    while (at < list.length && list[at][0] <= begin) take();
    let best = now.slice();
    let most = active + now[WAITING];
    while (at < list.length && (list[at][0] < until || x === width - 1)) {
      take();
      const settled = at === list.length || list[at][0] > list[at - 1][0];
      if (settled && active + now[WAITING] > most) {
        most = active + now[WAITING];
        best = now.slice();
      }
    }
    top = Math.max(top, most);
    cols.push(best);
  }
  return { cols, peak, top };
}
