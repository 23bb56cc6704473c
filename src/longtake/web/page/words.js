/** What is said, shown and there: searchable lines that follow the player, with downloads. */

import { api } from "./api.js";
import { announce, attempt, byId, el } from "./dom.js";
import { entityRow, wordsOf } from "./entities.js";
import { clock } from "./format.js";

const TRACKS = {
  speech: { name: "Transcript", path: "words", query: "?track=speech", none: "No speech has been found.", by: "Transcribed automatically" },
  text: { name: "On screen", path: "words", query: "?track=text", none: "No text has been found on screen.", by: "Read automatically" },
  chapters: { name: "Chapters", path: "chapters", query: "", none: "This video isn’t divided into chapters." },
  entities: { name: "People & things", path: "entities", query: "", none: "No people or things were found." },
};
const FORMATS = { words: ["srt", "vtt", "txt"], chapters: ["vtt", "txt"], entities: [] };

export class Words {
  #track = "speech";
  #lines = [];
  #now = null;

  constructor(stage) {
    const { player } = stage;
    this.stage = stage;
    this.player = player;
    this.tabs = Object.entries(TRACKS).map(([track, { name }]) =>
      el("button", { class: "tab", type: "button", onclick: () => this.#choose(track) }, name),
    );
    this.filter = el("input", { type: "search", name: "filter", "aria-label": "Filter lines", placeholder: "Filter", oninput: () => this.#sift() });
    this.downloads = el("span", { class: "row" });
    this.list = el("ol", { class: "lines", tabindex: 0 });
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
    const found = (video && (await attempt(() => api(`/api/videos/${video.id}/${path}${query}`)))) || {};
    if (video === this.player.video && track === this.#track) this.#show(found);
  }

  #show(found) {
    const { name, path, query, by } = TRACKS[this.#track];
    this.list.setAttribute("aria-label", name);
    const at = `/api/videos/${this.player.video?.id}/${path}`;
    const lines = linesOf(found);
    const [first = "", heard] = found.source?.split(" and ") ?? [];
    const written = `From ${first}${heard ? "; what they leave out was transcribed automatically" : ""}`;
    this.source.textContent = !lines.length || !first ? "" : first.startsWith("subtitles") ? written : by;
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

  #row(line) {
    const seek = (seconds) => this.player.seek(seconds, { play: true });
    if (line.spans) return entityRow(line, { seek, rename: (name, other) => this.#rename(name, other) });
    const { start, text, about, speaker, trusted } = line;
    const said = [
      speaker ? el("strong", {}, `${speaker}: `) : null,
      text,
      trusted ? null : el("em", {}, " (uncertain)"),
      about ? el("span", { class: "about faint" }, about) : null,
    ];
    const words = el("span", {}, ...said.filter(Boolean));
    const play = () => seek(start);
    return el("li", {}, el("button", { class: "line", type: "button", onclick: play }, el("time", {}, clock(start)), words));
  }

  /** Give an entity another name, or take it out; resolves to whether that was done. */
  async #rename(name, other) {
    const { video } = this.player;
    const body = { names: { [name]: other } };
    const found = await attempt(() => api(`/api/videos/${video.id}/entities`, { method: "PATCH", body }));
    if (!found) return false;
    announce(other ? `${name} is now called ${other}.` : `${name} was taken out.`);
    if (video !== this.player.video || this.#track !== "entities") return true;
    this.#show(found);
    const renamed = this.#lines.find((line) => line.name === other);
    (renamed?.row.querySelector("button") ?? this.list).focus();
    return true;
  }

  /** Show only the lines with the words of the filter. */
  #sift() {
    const wanted = this.filter.value.trim().toLowerCase();
    let found = 0;
    for (const { row, text, about, speaker } of this.#lines) {
      row.hidden = !`${speaker ?? ""} ${text} ${about ?? ""}`.toLowerCase().includes(wanted);
      found += !row.hidden;
    }
    const waiting = this.stage.indexing ? "Not read yet: the recording is still being indexed." : TRACKS[this.#track].none;
    const empty = this.player.video ? waiting : "The recording is no longer in the library.";
    this.none.textContent = found ? "" : this.#lines.length ? "No line has these words." : empty;
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

/** Whatever was found as lines with a text. */
function linesOf({ lines, chapters, entities }) {
  if (entities) return entities.map((entity) => ({ ...entity, text: wordsOf(entity) }));
  if (chapters) return chapters.map(({ title, text, ...place }) => ({ ...place, text: title, about: text, trusted: true }));
  return lines ?? [];
}
