/** The page of a trace: the stage of a chat, which plays the places that the steps name. */

import { nearest, run } from "./api.js";
import { cited } from "./citations.js";
import { byId } from "./dom.js";
import { clock } from "./format.js";
import { Stage } from "./stage.js";

const stage = new Stage();
const { player, timeline } = stage;

for (const kind of ["video", "time"]) player.addEventListener(kind, caption);
// The file may be missing by now, or on another machine.
byId("player").addEventListener(
  "error",
  ({ target }) => target.tagName === "VIDEO" && player.show({ ...player.video, playable: false }),
  true,
);
document.addEventListener("click", ({ target }) => {
  const chip = target.closest("[data-video]");
  if (!chip) return;
  const { video, start, end } = chip.dataset;
  stage.play({ video, start: Number(start), end: Number(end) });
});

player.offer(run.videos);
// An engineer looks for the tools by their own names.
timeline.looked(run.calls.map((call) => ({ ...call, name: sentence(call.tool) })));

/** A name of the program, as words. */
function sentence(name) {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}

/** Show the time of a still below it. */
function caption() {
  const words = byId("player").querySelector("figcaption");
  const shown = words && nearest(player.video.id, player.time);
  if (shown) words.textContent = `The video can’t be played here; this is a still from ${clock(shown.at)}.`;
}

const names = new Map(run.videos.map(({ id, name }) => [id, name]));
const text = byId("answer");
text?.replaceChildren(
  ...cited(text.textContent, run, {
    videos: [...names.keys()],
    name: (id) => names.get(id) ?? "a missing video",
    seek: (place) => stage.play(place),
  }),
);
