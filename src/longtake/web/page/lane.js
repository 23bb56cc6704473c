/** One lane of the timeline: items drawn to scale, which the arrow keys step through. */

import { el } from "./dom.js";
import { cut, span } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const READABLE = 48; // pixels; in less, only a letter or two of a label would show
const NEAR = 4; // pixels around an item at which the pointer still hits it

/** Items with the same times become one mark, `{start, end, texts}`; sorted by start. */
function marksOf(items) {
  const marks = new Map();
  for (const { start, end, text } of items) {
    const key = `${start} ${end}`;
    if (!marks.has(key)) marks.set(key, { start, end, texts: [] });
    marks.get(key).texts.push(text);
  }
  return [...marks.values()].sort((one, other) => one.start - other.start || one.end - other.end);
}

export class Lane {
  #marks = [];
  #drawn;
  #at = -1; // the mark selected by keyboard

  /**
   * @param name shown next to the lane, and read by screen readers
   * @param kind decides its colour
   * @param act `{look(mark, x, above), leave(), seek(seconds), reveal(seconds)}`
   */
  constructor(name, kind, act, title = name) {
    this.act = act;
    this.labels = el("span", { class: "labels", "aria-hidden": "true" });
    this.track = el("div", { class: "track", role: "slider", tabindex: -1, "aria-label": title, "aria-valuemin": 0 });
    this.row = el(
      "div",
      { class: `lane ${kind}` },
      el("span", { class: "name", title, "aria-hidden": "true" }, name),
      this.track,
    );
    this.#drawn = document.createElementNS(SVG, "svg");
    this.#drawn.setAttribute("preserveAspectRatio", "none");
    this.#drawn.setAttribute("aria-hidden", "true");
    this.track.append(this.#drawn, this.labels);
    this.track.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.#hover(event));
    this.track.addEventListener("pointerleave", act.leave);
    this.track.addEventListener("click", (event) => act.seek(this.#seconds(event)));
    this.track.addEventListener("keydown", (event) => this.#key(event));
    this.track.addEventListener("focus", () => this.track.matches(":focus-visible") && this.#go(Math.max(0, this.#at)));
    this.track.addEventListener("blur", act.leave);
  }

  /** Fill the lane with items of a video. */
  fill(items, duration) {
    this.#marks = marksOf(items);
    this.#at = -1;
    this.track.setAttribute("aria-valuemax", duration);
    this.#describe(null);
    // Every other mark is paler, so that adjacent ones can be told apart.
    const paths = [0, 1].map((odd) => {
      const path = document.createElementNS(SVG, "path");
      const these = this.#marks.filter((_, number) => number % 2 === odd);
      path.setAttribute("d", these.map(({ start, end }) => `M${start} 0H${end}V1H${start}Z`).join(""));
      path.setAttribute("vector-effect", "non-scaling-stroke");
      return path;
    });
    this.#drawn.replaceChildren(...paths);
  }

  /** Write the texts into the marks. */
  label() {
    this.labels.replaceChildren(...this.#marks.map(({ texts }) => el("span", {}, texts[0])));
  }

  /** Show the seconds from `start` to `end`. */
  view(start, end) {
    this.from = start;
    this.to = end;
    this.#drawn.setAttribute("viewBox", `${start} 0 ${Math.max(end - start, 0.001)} 1`);
    [...this.labels.children].forEach((label, number) => {
      const mark = this.#marks[number];
      const from = Math.max(mark.start, start);
      label.style.left = `${((from - start) / (end - start)) * 100}%`;
      const share = Math.max(0, Math.min(mark.end, end) - from) / (end - start);
      label.style.width = `${share * 100}%`;
      label.hidden = share * this.track.clientWidth < READABLE;
    });
  }

  /** Pixels from the left of the track. */
  place(seconds) {
    return ((seconds - this.from) / (this.to - this.from)) * this.track.clientWidth;
  }

  #seconds({ clientX }) {
    const box = this.track.getBoundingClientRect();
    return this.from + ((clientX - box.left) / box.width) * (this.to - this.from);
  }

  #hover(event) {
    const seconds = this.#seconds(event);
    const near = (NEAR / this.track.clientWidth) * (this.to - this.from);
    const here = this.#marks.filter(({ start, end }) => start - near <= seconds && seconds <= end + near);
    const texts = here.flatMap(({ texts: found }) => found);
    this.act.look({ start: seconds, end: seconds, texts }, event.clientX, this.track);
  }

  #key(event) {
    const last = this.#marks.length - 1;
    const steps = {
      ArrowRight: this.#at + 1,
      ArrowLeft: this.#at - 1,
      PageDown: this.#at + 10,
      PageUp: this.#at - 10,
      Home: 0,
      End: last,
    };
    if (event.key === "Enter" || event.key === " ") {
      if (this.#marks[this.#at]) this.act.seek(this.#marks[this.#at].start);
    } else if (event.key in steps) {
      this.#go(Math.min(last, Math.max(0, steps[event.key])));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #go(number) {
    const mark = this.#marks[number];
    if (!mark) return;
    this.#at = number;
    this.#describe(mark);
    this.act.reveal(mark.start);
    const box = this.track.getBoundingClientRect();
    this.act.look(
      mark,
      box.left + this.place((Math.max(mark.start, this.from) + Math.min(mark.end, this.to)) / 2),
      this.track,
    );
  }

  #describe(mark) {
    this.track.setAttribute("aria-valuenow", mark?.start ?? 0);
    const words = mark
      ? `${span(mark.start, mark.end)}: ${cut(mark.texts.join(" · "), 300)}`
      : `${this.#marks.length} items`;
    this.track.setAttribute("aria-valuetext", words);
  }
}
