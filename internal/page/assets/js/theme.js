import { byId, setText } from "./dom.js";

// Light, dark, or as the system has it, remembered where the browser lets pages remember.

const WORDS = { auto: "Auto", light: "Light", dark: "Dark" };
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = "auto";
let changed = () => {};

export function startTheme(fn) {
  changed = fn;
  try {
    chosen = WORDS[localStorage.getItem("cbc-otel-theme")] ? localStorage.getItem("cbc-otel-theme") : "auto";
  } catch {
    // a page from a file may not remember anything
  }
  byId("theme").addEventListener("click", nextTheme);
  system.addEventListener("change", apply);
  apply();
}

export function nextTheme() {
  chosen = NEXT[chosen];
  try {
    localStorage.setItem("cbc-otel-theme", chosen);
  } catch {
    // as above
  }
  apply();
}

function apply() {
  const dark = chosen === "dark" || (chosen === "auto" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  setText(byId("theme"), WORDS[chosen]);
  changed();
}
