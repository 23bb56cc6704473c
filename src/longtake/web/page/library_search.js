/** Search over the library: names as they are typed; with Enter also what is said, written, heard and seen. */

import { api } from "./api.js";
import { attempt, byId, el } from "./dom.js";
import { clock, cut } from "./format.js";

const ORDERS = {
  name: (one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }),
  modified: (one, other) => other.modified - one.modified,
  duration: (one, other) => other.duration - one.duration,
};
let videos = [];

/** Set up the search; `arrange` is called when other videos should be shown, or in another order. */
export function startSearch(arrange) {
  const words = byId("find-words");
  words.oninput = () => (forget(), arrange());
  byId("sort").onchange = arrange;
  byId("find").onsubmit = (event) => (event.preventDefault(), find(words.value.trim()));
  byId("ask-all").onclick = () => (location.hash = `#/new/${videos.map(({ id }) => id).join(",")}`);
  return { arranged };
}

/** The videos whose names have the words typed, all if none has, in the order chosen. */
function arranged(all) {
  videos = all;
  byId("find").hidden = all.length < 2;
  const typed = byId("find-words").value.trim().toLowerCase();
  const named = all.filter(({ name }) => name.toLowerCase().includes(typed));
  return (named.length ? named : all).sort(ORDERS[byId("sort").value]);
}

function forget() {
  byId("found").hidden = byId("found-none").hidden = true;
}

async function find(query) {
  forget();
  if (!query) return;
  const { places } = (await attempt(() => api(`/api/search?query=${encodeURIComponent(query)}`))) ?? {};
  if (!places || byId("find-words").value.trim() !== query) return;
  const names = new Map(videos.map(({ id, name }) => [id, name]));
  const sure = places.filter(({ video, weak }) => !weak && names.has(video));
  byId("found").replaceChildren(...sure.map((place) => row(place, names.get(place.video))));
  byId("found").hidden = !sure.length;
  byId("found-none").textContent = `Nothing in the library matches “${cut(query, 60)}”. Press “Ask about all” to ask instead.`;
  byId("found-none").hidden = sure.length > 0;
}

const KINDS = { speech: "said", scene_text: "on screen", audio: "heard", visual: "seen" };

function row({ video, start, text, modality }, name) {
  const href = `#/new/${video}?t=${Math.floor(start)}`;
  const words = text ? cut(text, 160) : "a picture";
  return el("li", {}, el("a", { href }, el("span", { class: "where" }, name), el("time", {}, clock(start)), el("span", { class: "faint" }, KINDS[modality] ?? modality), el("span", {}, words)));
}
