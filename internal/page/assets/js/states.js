// The states of a span in the order people ask for them, with a sign for those who do not see colours.

export const STATES = [
  { name: "running", sign: "▶" },
  { name: "queued", sign: "⋯" },
  { name: "done", sign: "✓" },
  { name: "error", sign: "✕" },
  { name: "cached", sign: "≡" },
  { name: "cancelled", sign: "⊘" },
  { name: "unfinished", sign: "–" },
];

const signs = new Map(STATES.map((s) => [s.name, s.sign]));

// failed says whether a span is one of those that people look for when something went wrong.
export function failed(s) {
  return s.kind === "agent" ? s.state === "error" : s.failed;
}

export function signOf(state) {
  return signs.get(state) || "·";
}

// statusClass is the class of a workflow's status, "other" for words this page does not know.
export function statusClass(status) {
  return ["running", "completed", "failed", "stopped", "interrupted"].includes(status) ? status : "other";
}

// HUES is how many colours phases share; see --hue-N in the style.
export const HUES = 6;
