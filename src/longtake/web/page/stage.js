/** The stage of a chat: the player, and under it the timeline of the video that it shows. */

import { api } from "./api.js";
import { attempt } from "./dom.js";
import { Player } from "./player.js";
import { Timeline } from "./timeline.js";

export class Stage {
  #filled = null; // the video whose lanes are shown
  #layers = 0; // of it, that were built when they were read

  constructor() {
    this.player = new Player();
    this.timeline = new Timeline(this.player);
    this.player.addEventListener("video", () => this.#fill());
  }

  /** Show what is cited, and play it. */
  play({ video, start, end }) {
    this.player.seek(start, { video, play: true });
    this.timeline.mark({ start, end });
  }

  /** Read the lanes again when another layer of the video is built. */
  indexed(video, { layers }) {
    const built = layers.filter(({ state }) => state === "done").length;
    if (video !== this.player.video?.id || built === this.#layers) return;
    this.#layers = built;
    this.#fill();
  }

  async #fill() {
    const { video } = this.player;
    if (video?.id !== this.#filled) this.timeline.reset();
    this.#filled = video?.id ?? null;
    if (!video) return;
    const { lanes } = (await attempt(() => api(`/api/videos/${video.id}/lanes`))) ?? { lanes: [] };
    if (video !== this.player.video) return;
    this.timeline.fill(lanes);
    this.player.caption(lanes.find(({ name }) => name === "speech")?.items ?? []);
  }
}
