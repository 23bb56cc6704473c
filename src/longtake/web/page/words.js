/** What is said, and the text on screen: searchable lines that follow the player, with downloads. */

import { api } from "./api.js";
import { attempt, byId, el } from "./dom.js";
import { clock } from "./format.js";

const TRACKS = {
  speech: { name: "Transcript", path: "words", query: "?track=speech", none: "No speech has been found." },
  text: { name: "On screen", path: "words", query: "?track=text", none: "No text has been found on screen." },
  chapters: { name: "Chapters", path: "chapters", query: "", none: "This video isn’t divided into chapters." },
};
const FORMATS = { words: ["srt", "vtt", "txt"], chapters: ["vtt", "txt"] };

export class Words {
  #track = "speech";
  #lines = [];
  #now = null;

  constructor(stage) {
    const { player } = stage;
    this.player = player;
    this.tabs = Object.entries(TRACKS).map(([track, { name }]) =>
      el("button", { class: "tab", type: "button", onclick: () => this.#choose(track) }, name),
    );
    this.filter = el("input", { type: "search", name: "filter", "aria-label": "Filter lines", placeholder: "Filter", oninput: () => this.#sift() });
    this.downloads = el("span", { class: "row" });
    this.list = el("ol", { class: "lines", tabindex: 0, "aria-label": "Lines" });
    this.none = el("p", { class: "faint", role: "status" });
    this.source = el("p", { class: "faint" });
    byId("words").replaceChildren(
      el("div", { class: "head" }, el("div", { class: "row", role: "group", "aria-label": "Words" }, ...this.tabs), this.downloads),
      this.filter,
      this.source,
      this.none,
      this.list,
    );
    stage.addEventListener("layers", () => this.#fill());
    player.addEventListener("time", () => this.#follow());
  }

  /** Show the lines of the player's video. */
  async #fill() {
    const { video } = this.player;
    this.tabs.forEach((tab, number) => tab.setAttribute("aria-pressed", Object.keys(TRACKS)[number] === this.#track));
    const track = this.#track;
    const { path, query } = TRACKS[track];
    const at = `/api/videos/${video?.id}/${path}`;
    const found = (video && (await attempt(() => api(at + query)))) || {};
    if (video !== this.player.video || track !== this.#track) return;
    const lines = found.lines ?? (found.chapters ?? []).map(({ title, ...place }) => ({ ...place, text: title, trusted: true }));
    this.source.textContent = lines.length && found.source ? `From ${found.source}` : "";
    this.source.hidden = !this.source.textContent;
    this.#now = null;
    this.#lines = lines.map((line) => ({ ...line, row: this.#row(line) }));
    this.list.replaceChildren(...this.#lines.map(({ row }) => row));
    const link = (form) =>
      el("a", { class: "quiet", href: `${at}.${form}${query}`, download: true }, form.toUpperCase());
    this.downloads.replaceChildren(...(lines.length ? FORMATS[path].map(link) : []));
    this.#sift();
    this.#follow();
  }

  #choose(track) {
    this.#track = track;
    this.#fill();
  }

  #row({ start, text, speaker, trusted }) {
    const seek = () => this.player.seek(start, { play: true });
    const said = [speaker ? el("strong", {}, `${speaker}: `) : null, text, trusted ? null : el("em", {}, " (uncertain)")];
    const words = el("span", {}, ...said.filter(Boolean));
    return el("li", {}, el("button", { class: "line", type: "button", onclick: seek }, el("time", {}, clock(start)), words));
  }

  /** Show only the lines with the words of the filter. */
  #sift() {
    const wanted = this.filter.value.trim().toLowerCase();
    let found = 0;
    for (const { row, text, speaker } of this.#lines) {
      row.hidden = !`${speaker ?? ""} ${text}`.toLowerCase().includes(wanted);
      found += !row.hidden;
    }
    this.none.textContent = found ? "" : this.#lines.length ? "No line has these words." : TRACKS[this.#track].none;
    this.none.hidden = found > 0;
  }

  /** Mark the line at the player's time, and keep it in view. */
  #follow() {
    const at = this.player.time;
    const now = this.#lines.findLast(({ start, end }) => start <= at && at < end)?.row ?? null;
    if (now === this.#now) return;
    this.#now?.removeAttribute("aria-current");
    this.#now = now;
    if (!now) return;
    now.setAttribute("aria-current", "true");
    // `scrollIntoView` would scroll the page too.
    const room = Math.max(0, this.list.clientHeight - now.offsetHeight); // a slide may have more words than fit
    if (!this.list.matches(":hover, :focus-within"))
      this.list.scrollTop = now.offsetTop - this.list.offsetTop - room / 3;
  }
}
