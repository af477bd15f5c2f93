// Times are microseconds since the epoch, durations microseconds.

export const SECOND = 1e6;

export function duration(us) {
  if (!Number.isFinite(us)) return "";
  if (us < 0) return "−" + duration(-us);
  if (us < 1000) return us === 0 ? "0 ms" : "<1 ms";
  if (us < SECOND) return Math.round(us / 1000) + " ms";
  if (us < 10 * SECOND) return (us / SECOND).toFixed(2) + " s";
  if (us < 60 * SECOND) return (us / SECOND).toFixed(1) + " s";
  const s = Math.round(us / SECOND);
  if (s < 3600) return Math.floor(s / 60) + "m " + pad(s % 60) + "s";
  if (s < 86400) return Math.floor(s / 3600) + "h " + pad(Math.floor((s % 3600) / 60)) + "m";
  return Math.floor(s / 86400) + "d " + pad(Math.floor((s % 86400) / 3600)) + "h";
}

// offset is a time on the axis; step is the distance of its ticks and decides the digits.
export function offset(us, step) {
  const sign = us < 0 ? "−" : "";
  const abs = Math.abs(us);
  if (abs < 60 * SECOND || step < SECOND) {
    if (abs === 0) return "0";
    if (step < 1000) return sign + (abs / 1000).toFixed(step < 10 ? 3 : step < 100 ? 2 : 1) + " ms";
    if (abs < SECOND && step < SECOND) return sign + Math.round(abs / 1000) + " ms";
    const digits = step >= SECOND ? 0 : step >= 100000 ? 1 : step >= 10000 ? 2 : 3;
    if (abs < 60 * SECOND) return sign + (abs / SECOND).toFixed(digits) + " s";
    const minutes = Math.floor(abs / (60 * SECOND));
    const rest = (abs - minutes * 60 * SECOND) / SECOND;
    return sign + minutes + ":" + rest.toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  }
  const s = Math.round(abs / SECOND);
  if (s < 3600) return sign + Math.floor(s / 60) + ":" + pad(s % 60);
  return sign + Math.floor(s / 3600) + ":" + pad(Math.floor((s % 3600) / 60)) + ":" + pad(s % 60);
}

export function tokens(n) {
  if (n === undefined || n === null) return "";
  if (n < 1000) return String(n);
  if (n < 10000) return (n / 1000).toFixed(1) + "k";
  if (n < 999500) return Math.round(n / 1000) + "k";
  if (n < 99.95e6) return (n / 1e6).toFixed(2) + "M";
  return Math.round(n / 1e6) + "M";
}

export function whole(n) {
  // toLocaleString loads what it knows of languages first, which takes a noticeable time.
  return n === undefined || n === null ? "" : String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function percent(part) {
  return Math.round(part * 100) + " %";
}

export function plural(n, one) {
  return whole(n) + " " + one + (n === 1 ? "" : "s");
}

function pad(n) {
  return String(n).padStart(2, "0");
}

// when says date and time as people read them, in their own time zone.
export function when(us, now) {
  const d = new Date(us / 1000);
  const time = pad(d.getHours()) + ":" + pad(d.getMinutes()) + ":" + pad(d.getSeconds());
  const today = new Date(now / 1000);
  if (d.toDateString() === today.toDateString()) return "today " + time;
  today.setDate(today.getDate() - 1);
  if (d.toDateString() === today.toDateString()) return "yesterday " + time;
  return d.getFullYear() + "-" + pad(d.getMonth() + 1) + "-" + pad(d.getDate()) + " " + time;
}

export function exact(us) {
  const d = new Date(us / 1000);
  return Number.isFinite(d.getTime()) ? d.toISOString().replace("Z", "") + "Z" : "";
}
