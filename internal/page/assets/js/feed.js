import { byId, setText } from "./dom.js";

// Where the traces come from: the page itself (a report) or the program that serves it.

export function embedded() {
  const node = byId("data");
  return node ? JSON.parse(node.textContent) : undefined;
}

// Feed listens to the program for the list and one trace. It listens only while the page is seen: nothing is read
// for pages in the background.
export class Feed {
  constructor(on) {
    this.on = on;
    this.key = "";
    this.over = false;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.listen(this.key)));
    window.addEventListener("pagehide", () => this.stop());
  }

  listen(key) {
    this.key = key;
    this.stop();
    if (this.over || document.hidden) return;
    const source = new EventSource("events" + (key ? "?trace=" + encodeURIComponent(key) : ""));
    this.source = source;
    source.addEventListener("open", () => this.say("connected", "on"));
    source.addEventListener("well", () => this.say("connected", "on"));
    source.addEventListener("list", (e) => this.on.list(JSON.parse(e.data)));
    source.addEventListener("trace", (e) => this.on.trace(JSON.parse(e.data)));
    source.addEventListener("missing", () => this.on.missing(key));
    source.addEventListener("trouble", (e) => this.say(JSON.parse(e.data), "bad"));
    source.addEventListener("end", () => {
      this.over = true;
      this.stop();
      this.say("cbc-otel view has ended; this is what it last knew", "off");
    });
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) this.say("connecting again", "off");
      else this.say("no connection; run cbc-otel view again", "bad");
    });
  }

  stop() {
    if (this.source) this.source.close();
    this.source = undefined;
  }

  say(text, state) {
    const node = byId("feed");
    setText(node, text);
    node.dataset.state = state;
  }
}
