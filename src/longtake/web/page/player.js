/** The player: a video of the chat with captions, and tabs for the chat's other videos. */

import { captionsOf, file, still } from "./api.js";
import { byId, el } from "./dom.js";

export class Player extends EventTarget {
  /** Events: `video` when another video is shown, `time` when it plays or seeks, `captions` when they change. */
  #videos = [];
  #element = null;
  #captioned = false;
  video = null;

  /** Offer these videos; shows the first one, unless the current one is among them. */
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
      byId("player").replaceChildren(this.#shown(video));
      this.#press(video);
    }
    this.dispatchEvent(new Event("video"));
  }

  /** Go to a second, in another video of the chat if one is named, and optionally play from there. */
  seek(seconds, { video = this.video?.id, play = false } = {}) {
    const target = this.#videos.find(({ id }) => id === video);
    if (!target) return;
    if (target.id !== this.video.id) this.show(target);
    this.time = Math.min(Math.max(0, seconds), target.duration);
    if (play) this.#element.play?.().catch(() => {}); // browsers may refuse to play before the first click
  }

  /** Seconds from the start. */
  get time() {
    return this.#element?.currentTime ?? 0;
  }

  set time(seconds) {
    this.#element.currentTime = seconds;
  }

  /** Whether nothing plays. */
  get paused() {
    return this.#element?.paused ?? true;
  }

  /** Play or pause. */
  toggle() {
    if (this.#element?.paused) this.#element.play().catch(() => {});
    else this.#element?.pause?.();
  }

  /** Whether captions are shown; null without any. */
  get captions() {
    const [track] = this.#element?.textTracks ?? [];
    return track ? track.mode === "showing" : null;
  }

  /** Show or hide the captions, also of the videos after this one. */
  toggleCaptions() {
    const [track] = this.#element?.textTracks ?? [];
    if (!track) return;
    track.mode = track.mode === "showing" ? "disabled" : "showing";
    this.#captioned = track.mode === "showing";
  }

  /** Offer what is said as captions, anew when it has changed. */
  caption(said) {
    this.#element?.querySelector?.("track")?.remove();
    if (said && this.video?.playable) {
      const track = el("track", { kind: "captions", label: "Captions", src: captionsOf(this.video.id) });
      this.#element.append(track);
      track.track.mode = this.#captioned ? "showing" : "disabled";
    }
    this.dispatchEvent(new Event("captions"));
  }

  /** Stop and release the file. */
  close() {
    this.#element?.pause?.();
    this.#element?.removeAttribute?.("src");
    this.#element?.load?.();
    this.#element = this.video = null;
    byId("player").replaceChildren();
  }

  #shown(video) {
    if (video.transcript) return this.#reading();
    return video.playable ? this.#playing(video) : this.#stills(video);
  }

  #playing(video) {
    const player = el("video", { controls: true, preload: "metadata", playsinline: true, "aria-label": video.name });
    if (video.width) player.poster = still(video.id, 0, 640);
    else player.className = "sound-only";
    player.src = file(video.id);
    player.textTracks.onchange = () => this.dispatchEvent(new Event("captions"));
    for (const kind of ["timeupdate", "seeking"])
      player.addEventListener(kind, () => this.dispatchEvent(new Event("time")));
    return (this.#element = player);
  }

  /** A transcript has nothing to play: its lines follow the time. */
  #reading() {
    this.#follow(() => {});
    return el("p", { class: "reading faint" }, "A transcript, without picture and sound. Choose a line or a quote to go to it.");
  }

  /** Keep a time that nothing plays; `show` is called with its seconds. */
  #follow(show) {
    let now = 0;
    const go = (seconds) => {
      now = seconds;
      show(now);
      this.dispatchEvent(new Event("time"));
    };
    this.#element = {
      get currentTime() {
        return now;
      },
      set currentTime(seconds) {
        go(seconds);
      },
    };
    go(0);
  }

  /** A file that browsers can't play is shown as stills. */
  #stills(video) {
    const picture = el("img", { alt: `Still from ${video.name}` });
    this.#follow((seconds) => (picture.src = still(video.id, seconds, 640)));
    return el(
      "figure",
      {},
      picture,
      el("figcaption", { class: "faint" }, "This file is missing or can’t be played in browsers; showing stills."),
    );
  }

  #press(video) {
    this.#videos.forEach(({ id }, number) =>
      byId("tabs").children[number].setAttribute("aria-pressed", id === video.id),
    );
  }
}
