/** The stage of a chat: the player, and below it the timeline of the video shown. */

import { api } from "./api.js";
import { attempt } from "./dom.js";
import { Player } from "./player.js";
import { Timeline } from "./timeline.js";

export class Stage extends EventTarget {
  /** Event: `layers` when the layers of the video shown are read, again when more are built. */
  #filled = null; // id of the video whose lanes are shown
  #layers = 0; // how many of its layers existed when the lanes were read
  #unfinished = new Set(); // ids of videos that are still being indexed

  constructor() {
    super();
    this.player = new Player();
    this.timeline = new Timeline(this.player);
    this.player.addEventListener("video", () => this.#fill());
  }

  /** Show and play a citation. */
  play({ video, start, end }) {
    this.player.seek(start, { video, play: true });
    this.timeline.mark({ start, end });
  }

  /** The address of this page that opens the video shown at the second shown. */
  address() {
    const { video, time } = this.player;
    return `${location.origin}/#/new/${video.id}?t=${Math.floor(time)}`;
  }

  /** Whether the video shown is still being indexed. */
  get indexing() {
    return this.#unfinished.has(this.player.video?.id);
  }

  /** Reload the lanes when another layer of the video is done, or all are. */
  indexed(video, { layers, state }) {
    const over = state === "done" || state === "failed";
    over ? this.#unfinished.delete(video) : this.#unfinished.add(video);
    const built = over ? -1 : layers.filter(({ state: done }) => done === "done").length;
    if (video !== this.player.video?.id || built === this.#layers) return;
    this.#layers = built;
    this.#fill();
  }

  async #fill() {
    const { video } = this.player;
    if (video?.id !== this.#filled) this.timeline.reset();
    this.#filled = video?.id ?? null;
    this.dispatchEvent(new Event("layers"));
    if (!video) return;
    const { lanes } = (await attempt(() => api(`/api/videos/${video.id}/lanes`))) ?? { lanes: [] };
    if (video !== this.player.video) return;
    this.timeline.fill(lanes);
    this.player.caption(lanes.some(({ name, items: lines }) => name === "speech" && lines.length));
    const { chapters } = (await attempt(() => api(`/api/videos/${video.id}/chapters`))) ?? { chapters: [] };
    if (video === this.player.video) this.timeline.divide(chapters);
  }
}
