/** Two videos side by side, each at the moments that an answer cites in it. */

import { file, still } from "./api.js";
import { byId, el } from "./dom.js";
import { cut, span } from "./format.js";

/**
 * Show the dialog.
 *
 * @param question its title
 * @param places citations in two or more videos
 * @param context `{name(id), video(id)}`; `video` is undefined for a deleted one
 */
export function compare(question, places, { name, video }) {
  const dialog = byId("compare");
  const ids = [...new Set(places.map((place) => place.video))];
  const sides = [ids[0], ids[1]].map((shown, number) => {
    const side = el("section", { class: "compared", "aria-label": ["Left", "Right"][number] });
    const choice = el("select", { name: "video", "aria-label": `Video on the ${["left", "right"][number]}` });
    choice.append(...ids.map((id) => el("option", { value: id }, name(id))));
    choice.value = shown;
    const show = () => {
      silence(side);
      const moments = places.filter((place) => place.video === choice.value);
      side.replaceChildren(choice, ...moved(video(choice.value), name(choice.value), moments));
    };
    choice.onchange = show;
    show();
    return side;
  });
  byId("compare-title").textContent = cut(question, 120);
  byId("compare-sides").replaceChildren(...sides);
  byId("compare-play").onclick = () => {
    const players = [...dialog.querySelectorAll("video")];
    const paused = players.every((player) => player.paused);
    for (const player of players) paused ? player.play().catch(() => {}) : player.pause();
  };
  byId("compare-done").onclick = () => dialog.close();
  dialog.onclose = () => {
    sides.forEach(silence);
    byId("compare-sides").replaceChildren();
  };
  document.querySelector("#player video")?.pause();
  dialog.showModal();
}

/** A player, or stills of a file that browsers can't play, and the moments that it goes to. */
function moved(video, name, moments) {
  if (!video) return [el("p", { class: "faint" }, "This video was deleted.")];
  const picture = video.playable
    ? el("video", { controls: true, preload: "metadata", playsinline: true, src: file(video.id), "aria-label": name })
    : el("img", { alt: `Still from ${name}` });
  const go = (moment, play) => {
    if (!video.playable) return (picture.src = still(video.id, moment.start, 640));
    picture.currentTime = moment.start;
    if (play) picture.play().catch(() => {});
  };
  go(moments[0], false);
  const rows = moments.map((moment) => {
    const when = span(moment.start, moment.end);
    const label = `Play ${name} ${when}`;
    const chip = el("button", { class: "chip", type: "button", "aria-label": label, onclick: () => go(moment, true) }, when);
    return el("li", {}, chip, el("q", {}, cut(moment.quote, 160)));
  });
  return [picture, el("ul", { class: "places" }, ...rows)];
}

/** Stop a player and release its file. */
function silence(side) {
  const player = side.querySelector("video");
  player?.pause();
  player?.removeAttribute("src");
  player?.load();
}
