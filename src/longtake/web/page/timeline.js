/** The timeline under the player: what is in the video and what the answer looked at, on the same time scale. */

import { byId, el } from "./dom.js";
import { Plain, clock, cut } from "./format.js";
import { Lane } from "./lane.js";
import { hidePreview, showPreview } from "./preview.js";

const LANES = ["chapters", "shots", "speech", "scene_text", "sounds", "moments"];
const MAX_ZOOM = 128;
const TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400]; // seconds between two labels

export class Timeline {
  #calls = [];
  #steps = [];
  #zoom = 1;
  #from = 0;

  constructor(player) {
    this.player = player;
    const zoom = (label, sign, by) =>
      el("button", { class: "quiet", "aria-label": label, title: label, onclick: () => this.zoom(by) }, sign);
    const hint = el("p", { class: "hint faint", id: "lane-hint" }, "Arrow keys: items and lanes. Enter: play.");
    const captions = el(
      "button",
      { class: "tab", "aria-pressed": false, title: "Captions (c)", onclick: () => player.toggleCaptions() },
      "Captions",
    );
    const show = () => {
      captions.hidden = player.captions === null;
      captions.setAttribute("aria-pressed", player.captions ?? false);
    };
    player.addEventListener("captions", show);
    show();
    const tools = el("div", { class: "row" }, hint, captions, zoom("Zoom out", "−", 0.5), zoom("Zoom in", "+", 2));
    this.ruler = el("div", { class: "ruler", "aria-hidden": "true" });
    this.cited = el("div", { class: "cited", hidden: true });
    this.head = el("div", { class: "playhead" });
    this.lanes = new Map(LANES.map((name) => [name, new Lane(Plain(name), name, this.#acts())]));
    this.rows = el("div", { class: "calls", role: "group", "aria-label": "What the answer looked at" });
    const over = el("div", { class: "over", "aria-hidden": "true" }, this.cited, this.head);
    this.body = el(
      "div",
      { class: "lanes" },
      this.ruler,
      ...[...this.lanes.values()].map(({ row }) => row),
      this.rows,
      over,
    );
    byId("timeline").firstElementChild.append(tools);
    byId("timeline").append(this.body);
    this.body.addEventListener("keydown", (event) => this.#between(event));
    this.body.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    player.addEventListener("time", () => this.#follow());
    new ResizeObserver(() => this.#draw()).observe(this.body);
  }

  /** Show the lanes of the player's video. */
  fill(lanes) {
    const { duration } = this.player.video;
    for (const { name, items } of lanes) {
      const lane = this.lanes.get(name);
      lane?.fill(items, duration);
      if (lane) lane.row.hidden = !items.length;
    }
    this.#draw();
  }

  /** Show the chapters of the player's video, with their titles. */
  divide(chapters) {
    const lane = this.lanes.get("chapters");
    lane.fill(
      chapters.map(({ title, ...place }) => ({ ...place, text: title })),
      this.player.video?.duration ?? 0,
    );
    lane.label();
    lane.row.hidden = !chapters.length;
    this.#draw();
  }

  /** Show the whole of another video, whose lanes come later. */
  reset() {
    this.#zoom = 1;
    this.#from = 0;
    this.mark(null);
    for (const lane of this.lanes.values()) {
      lane.fill([], this.player.video?.duration ?? 0);
      lane.row.hidden = true;
    }
    this.divide([]);
    this.looked(this.#steps);
  }

  /** Show the tool calls among the steps of an answer, each with the spans it looked at. */
  looked(steps) {
    this.#steps = steps;
    const named = Map.groupBy(
      steps.filter(({ type }) => type === "tool"),
      ({ tool, name = Plain(tool) }) => name,
    );
    this.#calls = [...named].map(([name, calls]) => this.#call(name, calls));
    this.rows.replaceChildren(...this.#calls.map(({ row }) => row));
    this.rows.scrollTop = this.rows.scrollHeight;
    this.#draw();
  }

  /** Highlight the span of a citation, or nothing. */
  mark(cited) {
    this.span = cited;
    if (cited) this.reveal(cited.start);
    this.#draw();
  }

  /** Zoom in or out around a time, by default the player's. */
  zoom(by, at = this.player.time) {
    const share = (at - this.#from) / this.#length;
    this.#zoom = Math.min(MAX_ZOOM, Math.max(1, this.#zoom * by));
    this.#from = at - Math.min(1, Math.max(0, share)) * this.#length;
    this.#draw();
  }

  /** Scroll the view to a time if it is outside. */
  reveal(seconds) {
    if (seconds < this.#from || seconds > this.#from + this.#length) {
      this.#from = seconds - this.#length * 0.1;
      this.#draw();
    }
  }

  /** The lanes that are shown, from top to bottom. */
  get #every() {
    return [...this.lanes.values(), ...this.#calls].filter(({ row }) => !row.hidden);
  }

  get #length() {
    return (this.player.video?.duration ?? 1) / this.#zoom;
  }

  #acts() {
    return {
      look: (mark, x, above) => this.player.video && showPreview(this.player.video, mark, x, above),
      leave: hidePreview,
      seek: (seconds) => this.player.seek(seconds, { play: true }),
      reveal: (seconds) => this.reveal(seconds),
    };
  }

  /** The lane of one tool, whatever it was asked. */
  #call(name, calls) {
    const told = calls.map(({ arguments: args = {}, evidence }) => {
      const asked = args.query ?? args.question ?? args.claim ?? "";
      return `${name}${asked ? `: ${cut(String(asked), 80)}` : ""}, ${evidence} found`;
    });
    const items = calls.flatMap(({ spans = [] }, number) =>
      spans
        .filter(([video]) => video === this.player.video?.id)
        .map(([, start, end]) => ({ start, end, text: told[number] })),
    );
    const lane = new Lane(name, items.length ? "call" : "call elsewhere", this.#acts(), told.join("; "));
    lane.fill(items, this.player.video?.duration ?? 0);
    return lane;
  }

  #draw() {
    const duration = this.player.video?.duration ?? 1;
    this.#from = Math.min(Math.max(0, this.#from), duration - this.#length);
    const every = this.#every;
    for (const lane of every) lane.view(this.#from, this.#from + this.#length);
    const entered = every.find(({ track }) => track.tabIndex === 0) ?? every[0];
    for (const lane of every) lane.track.tabIndex = lane === entered ? 0 : -1;
    this.#drawRuler();
    this.#place(this.cited, this.span);
    this.#place(this.head, { start: this.player.time, end: this.player.time });
  }

  #drawRuler() {
    const labels = Math.max(2, Math.floor(this.ruler.clientWidth / 80));
    const step = TICKS.find((seconds) => this.#length / seconds <= labels) ?? TICKS.at(-1);
    const ticks = [];
    for (let at = Math.ceil(this.#from / step) * step; at < this.#from + this.#length; at += step) {
      const tick = el("span", {}, clock(at));
      tick.style.left = `${((at - this.#from) / this.#length) * 100}%`;
      ticks.push(tick);
    }
    this.ruler.replaceChildren(...ticks);
  }

  #place(line, place) {
    line.hidden = !place || place.end < this.#from || place.start > this.#from + this.#length;
    if (line.hidden) return;
    line.style.left = `${Math.max(0, (place.start - this.#from) / this.#length) * 100}%`;
    line.style.width = `${((place.end - Math.max(place.start, this.#from)) / this.#length) * 100}%`;
  }

  #follow() {
    this.reveal(this.player.time);
    this.#place(this.head, { start: this.player.time, end: this.player.time });
  }

  /** Up and down move between lanes, which together are one Tab stop. */
  #between(event) {
    const every = this.#every.map(({ track }) => track);
    const at = every.indexOf(document.activeElement);
    const next = every[at + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
    if (at < 0 || !next) return;
    event.preventDefault();
    every[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.deltaX) return;
    event.preventDefault();
    if (event.ctrlKey) this.zoom(event.deltaY < 0 ? 1.5 : 1 / 1.5);
    else this.#from += (event.deltaX / this.body.clientWidth) * this.#length;
    this.#draw();
  }
}
