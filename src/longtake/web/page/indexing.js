/** Indexing progress, layer by layer. The server indexes one video at a time, so one is followed at a time. */

import { allVideos } from "./api.js";
import { attempt, byId, coded, el, fill, meter } from "./dom.js";
import { followIndexing, over } from "./events.js";
import { Plain, percent, timeLeft } from "./format.js";

const RETRY_AFTER = 2000; // milliseconds after which lost progress is requested again
const panels = new Map(); // by video: the panel of its progress, `open` until indexing is over
const listeners = new Set();
let following = null; // the video whose progress is followed

/** Call a listener with `(video, progress)` on every update. */
export function onProgress(listener) {
  listeners.add(listener);
}

/** Follow the indexing queue; call it again when a video was added. */
export async function followQueue() {
  const videos = await attempt(allVideos);
  if (!videos) {
    if (!following) setTimeout(followQueue, RETRY_AFTER);
    return;
  }
  for (const [id, { item }] of panels) if (!videos.has(id)) (panels.delete(id), item.remove());
  const changed = [...videos.values()].filter(
    ({ id, progress }) => progress && (!over(progress) || panels.get(id)?.open),
  );
  for (const video of changed) update(video, video.progress); // including those that ended unobserved
  const waiting = changed.filter(({ progress }) => !over(progress));
  const next = waiting.find(({ progress }) => progress.state === "indexing") ?? waiting[0];
  if (!next || following) return;
  following = next.id;
  const followNext = () => {
    following = null;
    followQueue();
  };
  const show = (progress) => {
    update(next, progress);
    if (over(progress)) followNext();
  };
  followIndexing(next.id, show, () => setTimeout(followNext, RETRY_AFTER));
}

function update(video, progress) {
  if (!panels.has(video.id)) panels.set(video.id, panelOf(video));
  const panel = panels.get(video.id);
  panel.open = !over(progress);
  panel.done = progress.state === "done";
  panel.show(progress);
  tidy(video.id);
  for (const listener of listeners) listener(video.id, progress);
}

/** Of what is indexed only the last one stays, while nothing else is under way: its card says so, too. */
function tidy(last) {
  const busy = [...panels.values()].some(({ open }) => open);
  for (const [id, { done, item }] of panels) if (done && (busy || id !== last)) (panels.delete(id), item.remove());
}

/** The state of indexing in a few words. */
export function inWords({ state, share, seconds_left: left }) {
  if (state === "queued") return share ? "Indexed in part, waiting for the rest" : "Waiting to be indexed";
  if (state === "done") return "Indexed";
  if (state === "failed") return "Indexing incomplete";
  return `Indexing, ${percent(share)}${left === null ? "" : `, ${timeLeft(left)}`}`;
}

function panelOf(video) {
  const words = el("span", { class: "faint" });
  const bar = meter(0, `Indexing ${video.name}`);
  const problem = el("p", { class: "problem" });
  const models = el("p", { class: "faint" });
  const layers = el("ul", { class: "layers", "aria-label": `Layers of ${video.name}` });
  const steps = el("details", { hidden: true }, el("summary", {}, "Steps"), layers);
  const reasons = el("ul", { class: "faint" });
  const lacking = el("details", { hidden: true }, el("summary", {}, "What’s missing and why"), reasons);
  const dismiss = el("button", { class: "quiet", "aria-label": `Dismiss: ${video.name}` }, "Dismiss");
  const ask = el("a", { class: "button", href: `#/new/${video.id}` }, "Ask");
  const head = el(
    "div",
    { class: "job-head" },
    el("strong", {}, video.name),
    words,
    el("div", { class: "row" }, dismiss, ask),
  );
  const item = el("li", { class: "job" }, head, bar, problem, models, steps, lacking);
  dismiss.onclick = () => (panels.delete(video.id), item.remove());
  byId("indexing").append(item);
  byId("under-way").hidden = false;
  const rows = new Map();
  const show = (progress) => {
    words.textContent = inWords(progress);
    problem.replaceChildren(...coded(progress.error ?? ""));
    dismiss.hidden = !over(progress);
    models.hidden = over(progress) || !progress.models.length;
    models.textContent = progress.models.map((text) => `${Plain(text.split(":")[0])}${text.slice(text.indexOf(":"))}`).join("; ");
    steps.hidden = progress.state === "queued";
    fill(bar, progress.share);
    const missing = progress.layers.filter(({ reason }) => reason);
    lacking.hidden = !missing.length;
    if (missing.length !== reasons.children.length)
      reasons.replaceChildren(...missing.map(lack));
    for (const layer of progress.layers) {
      if (!rows.has(layer.name)) rows.set(layer.name, layerRow(layer.name, layers));
      rows.get(layer.name)(layer);
    }
  };
  return { item, show };
}

/** What is missing by its name; why, in the words of engines and settings, is folded. */
function lack({ name, reason }) {
  return el("li", {}, el("details", {}, el("summary", {}, Plain(name)), el("p", {}, ...coded(reason))));
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
