/** The player: the video of a chat, its captions, and the chat's other videos as tabs. */

import { file, still } from "./api.js";
import { byId, el } from "./dom.js";

export class Player extends EventTarget {
  /** Events: `video` when another one is shown, `time` when it plays or seeks. */
  #videos = [];
  #element = null;
  video = null;

  /** Offer some videos and show the first of them, unless the one that is shown is among them. */
  offer(videos) {
    this.#videos = videos;
    const tabs = videos.map((video) => el("button", { class: "tab", onclick: () => this.show(video) }, video.name));
    byId("tabs").replaceChildren(...tabs);
    byId("tabs").hidden = videos.length < 2;
    const shown = videos.find(({ id }) => id === this.video?.id);
    shown ? this.#press(shown) : this.show(videos[0] ?? null);
  }

  /** Show a video from its beginning. */
  show(video) {
    this.close();
    this.video = video;
    if (video) {
      byId("player").replaceChildren(video.playable ? this.#playing(video) : this.#stills(video));
      this.#press(video);
    }
    this.dispatchEvent(new Event("video"));
  }

  /** Go to a second, of another video of the chat where it is named, and play from there. */
  seek(seconds, { video = this.video?.id, play = false } = {}) {
    const wanted = this.#videos.find(({ id }) => id === video);
    if (!wanted) return;
    if (wanted.id !== this.video.id) this.show(wanted);
    this.time = Math.min(Math.max(0, seconds), wanted.duration);
    if (play) this.#element.play?.().catch(() => {}); // a browser may refuse to play before anybody clicked
  }

  /** Seconds from the start. */
  get time() {
    return this.#element?.currentTime ?? 0;
  }

  set time(seconds) {
    this.#element.currentTime = seconds;
  }

  /** Play, or pause. */
  toggle() {
    if (this.#element?.paused) this.#element.play().catch(() => {});
    else this.#element?.pause?.();
  }

  toggleCaptions() {
    const [track] = this.#element?.textTracks ?? [];
    if (track) track.mode = track.mode === "showing" ? "hidden" : "showing";
  }

  /** Give what is said as captions. */
  caption(items) {
    const [track] = this.#element?.textTracks ?? [];
    if (!track) return;
    for (const cue of [...(track.cues ?? [])]) track.removeCue(cue);
    for (const { start, end, text } of items) {
      // In a cue `<` and `&` begin markup.
      track.addCue(new VTTCue(start, end, text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")));
    }
  }

  /** Stop, and let go of the file. */
  close() {
    this.#element?.pause?.();
    this.#element?.removeAttribute?.("src");
    this.#element?.load?.();
    this.#element = this.video = null;
    byId("player").replaceChildren();
  }

  #playing(video) {
    const player = el("video", { controls: true, preload: "metadata", playsinline: true, "aria-label": video.name });
    if (video.width) player.poster = still(video.id, 0, 640);
    else player.className = "sound-only";
    player.src = file(video.id);
    const track = player.addTextTrack("captions", "What is said", "");
    track.mode = "hidden";
    for (const kind of ["timeupdate", "seeking"])
      player.addEventListener(kind, () => this.dispatchEvent(new Event("time")));
    return (this.#element = player);
  }

  /** A file that browsers do not play is shown picture by picture. */
  #stills(video) {
    const picture = el("img", { alt: `A picture of ${video.name}` });
    let now = 0;
    const show = (seconds) => {
      now = seconds;
      picture.src = still(video.id, now, 640);
      this.dispatchEvent(new Event("time"));
    };
    this.#element = {
      get currentTime() {
        return now;
      },
      set currentTime(seconds) {
        show(seconds);
      },
    };
    show(0);
    return el(
      "figure",
      {},
      picture,
      el("figcaption", { class: "faint" }, "Browsers do not play this file, or it is gone: stills are shown."),
    );
  }

  #press(video) {
    this.#videos.forEach(({ id }, number) =>
      byId("tabs").children[number].setAttribute("aria-pressed", id === video.id),
    );
  }
}
