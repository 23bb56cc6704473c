/** How far videos are indexed, layer by layer. The server works at them one by one: one is followed at a time. */

import { allVideos } from "./api.js";
import { attempt, byId, el, fill, meter } from "./dom.js";
import { followIndexing, over } from "./events.js";
import { Plain, percent, timeLeft } from "./format.js";

const AGAIN = 2000; // milliseconds after which a progress that was lost is asked for again
const panels = new Map(); // by video: what shows its progress, `open` until that is over
const listeners = new Set();
let following = null; // the video whose progress is followed

/** Be told `(video, progress)` of every step of indexing. */
export function onProgress(listener) {
  listeners.add(listener);
}

/** Follow what is under way; call it again when a video was added. */
export async function followQueue() {
  const videos = await attempt(allVideos);
  if (!videos) {
    if (!following) setTimeout(followQueue, AGAIN);
    return;
  }
  for (const [id, { item }] of panels) if (!videos.has(id)) (panels.delete(id), item.remove());
  const news = [...videos.values()].filter(({ id, progress }) => progress && (!over(progress) || panels.get(id)?.open));
  for (const video of news) tell(video, video.progress); // of what ended while nobody followed it, too
  const waiting = news.filter(({ progress }) => !over(progress));
  const next = waiting.find(({ progress }) => progress.state === "indexing") ?? waiting[0];
  if (!next || following) return;
  following = next.id;
  const goOn = () => {
    following = null;
    followQueue();
  };
  const told = (progress) => {
    tell(next, progress);
    if (over(progress)) goOn();
  };
  followIndexing(next.id, told, () => setTimeout(goOn, AGAIN));
}

function tell(video, progress) {
  if (!panels.has(video.id)) panels.set(video.id, panelOf(video));
  const panel = panels.get(video.id);
  panel.open = !over(progress);
  panel.show(progress);
  for (const listener of listeners) listener(video.id, progress);
}

/** The state of indexing in a few words. */
export function inWords({ state, share, seconds_left: left }) {
  if (state === "queued") return "Waiting to be indexed";
  if (state === "done") return "Indexed";
  if (state === "failed") return "Not indexed";
  return `Indexing, ${percent(share)}${left === null ? "" : `, ${timeLeft(left)}`}`;
}

function panelOf(video) {
  const words = el("span", { class: "faint" });
  const bar = meter(0, `Indexing of ${video.name}`);
  const problem = el("p", { class: "problem" });
  const layers = el("ul", { class: "layers", "aria-label": `Layers of ${video.name}` });
  const reasons = el("ul", { class: "faint" });
  const lacking = el("details", { hidden: true }, el("summary", {}, "What is missing, and why"), reasons);
  const dismiss = el("button", { class: "quiet", "aria-label": `Dismiss: ${video.name}` }, "Dismiss");
  const ask = el("a", { class: "button", href: `#/new/${video.id}` }, "Ask");
  const head = el(
    "div",
    { class: "job-head" },
    el("strong", {}, video.name),
    words,
    el("div", { class: "row" }, dismiss, ask),
  );
  const item = el("li", { class: "job" }, head, bar, problem, layers, lacking);
  dismiss.onclick = () => (panels.delete(video.id), item.remove());
  byId("indexing").append(item);
  byId("under-way").hidden = false;
  const rows = new Map();
  const show = (progress) => {
    words.textContent = inWords(progress);
    problem.textContent = progress.error ?? "";
    dismiss.hidden = !over(progress);
    layers.hidden = progress.state === "queued";
    fill(bar, progress.share);
    const missing = progress.layers.filter(({ reason }) => reason);
    lacking.hidden = !missing.length;
    if (missing.length !== reasons.children.length)
      reasons.replaceChildren(...missing.map(({ name, reason }) => el("li", {}, `${Plain(name)}: ${reason}`)));
    for (const layer of progress.layers) {
      if (!rows.has(layer.name)) rows.set(layer.name, layerRow(layer.name, layers));
      rows.get(layer.name)(layer);
    }
  };
  return { item, show };
}

function layerRow(name, list) {
  const words = el("span", { class: "faint" });
  const bar = meter(0, Plain(name));
  const row = el("li", {}, el("span", {}, Plain(name)), words, bar);
  list.append(row);
  return ({ state, share, seconds_left: left, reason }) => {
    row.className = state;
    const time = timeLeft(left).replace(" left", "");
    const shown = { waiting: time || "waiting", running: time || percent(share), done: "done", missing: "none" };
    words.textContent = shown[state];
    row.title = reason ?? "";
    fill(bar, state === "done" ? 1 : share);
  };
}
