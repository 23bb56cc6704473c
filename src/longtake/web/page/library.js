/** The library: every video with its picture, length, layers and size. */

import { allVideos, api, post, remove } from "./api.js";
import { choose } from "./chooser.js";
import { attempt, byId, coded, confirmed, el, notice } from "./dom.js";
import { over } from "./events.js";
import { Plain, bytes, clock, day, many, percent, plain } from "./format.js";
import { followQueue, inWords, onProgress } from "./indexing.js";
import { startLinks } from "./links.js";
import { startSearch } from "./library_search.js";
import { noteSame, watchFiles } from "./uploads.js";

const cards = new Map(); // by video
const chosen = new Set();
let search;

/** Set up the library view; call once. */
export function startLibrary() {
  watchFiles(changed);
  onProgress((video, progress) => {
    cards.get(video)?.progress(progress);
    if (over(progress)) showLibrary();
  });
  byId("from-folder").onclick = addFromFolder;
  byId("demo").onclick = addDemo;
  startLinks(changed);
  search = startSearch(arrange);
  byId("ask-chosen").onclick = () => (location.hash = `#/new/${[...chosen].join(",")}`);
  followQueue();
}

/** Show the videos in the library now. */
export async function showLibrary() {
  const videos = await attempt(allVideos);
  if (!videos) return;
  const list = byId("videos");
  for (const [id, card] of cards) {
    if (!videos.has(id)) (card.item.remove(), cards.delete(id), choosing(id, false));
  }
  for (const video of videos.values()) {
    const before = cards.get(video.id);
    const facts = JSON.stringify(video);
    if (before?.facts === facts) continue; // unchanged cards keep their open details
    const card = { ...cardOf(video), facts, video };
    before?.item.remove();
    list.append(card.item);
    cards.set(video.id, card);
  }
  arrange();
  byId("no-videos").hidden = videos.size > 0;
  const { files } = (await attempt(() => api("/api/folders"))) ?? { files: [] };
  byId("from-folder").hidden = files.length === 0;
}

/** Show the cards that the search allows, in the order chosen. */
function arrange() {
  const shown = search.arranged([...cards.values()].map(({ video }) => video));
  const list = byId("videos");
  for (const { item } of cards.values()) item.hidden = true;
  shown.forEach(({ id }, place) => {
    const { item } = cards.get(id);
    item.hidden = false;
    if (list.children[place] !== item) list.insertBefore(item, list.children[place]); // a move takes the focus away
  });
}

async function changed() {
  await showLibrary();
  followQueue();
}

async function addFromFolder() {
  const { files, cut } = (await attempt(() => api("/api/folders"))) ?? { files: [] };
  const items = files.map(({ path, name, folder, bytes: size, changed: when, video, problem }) => ({
    id: path,
    name,
    folder,
    detail: `${bytes(size)} · ${day(when)}`,
    picture: problem ? null : `/api/folders/thumbnail?path=${encodeURIComponent(path)}`,
    taken: problem ?? (video ? "in the library" : null),
  }));
  const title = cut ? `Add from a folder (first ${files.length} files)` : "Add from a folder";
  for (const path of (await choose(title, items)) ?? []) {
    const video = await attempt(() => post("/api/videos", { path }));
    if (video) noteSame(items.find(({ id }) => id === path).name, video);
  }
  changed();
}

async function addDemo({ target: button }) {
  const label = button.textContent;
  button.disabled = true;
  button.textContent = "Making the demo video …";
  await attempt(() => post("/api/demo"));
  button.disabled = false;
  button.textContent = label;
  changed();
}

/** Let the user choose a subtitle file for a video. */
function addSubtitles({ id, name }) {
  const picker = byId("subtitles");
  picker.onchange = async () => {
    const [file] = picker.files;
    const path = `/api/videos/${id}/subtitles?name=${encodeURIComponent(file.name)}`;
    const sent = await attempt(() => api(path, { method: "PUT", body: file }));
    picker.value = "";
    if (!sent) return;
    notice(`Subtitles added to ${name}.`);
    changed();
  };
  picker.click();
}

function cardOf(video) {
  const status = el("span", {}, inWords(stateOf(video)));
  const ask = `#/new/${video.id}`;
  const box = el("input", {
    type: "checkbox",
    name: "select",
    "aria-label": `Select ${video.name}`,
    onchange: () => choosing(video.id, box.checked),
  });
  box.checked = chosen.has(video.id);
  const item = el(
    "li",
    { class: "card" },
    el(
      "a",
      { class: "thumb", href: ask, tabindex: -1, "aria-hidden": "true" },
      picture(video),
      el("span", { class: "length" }, clock(video.duration)),
    ),
    el("h2", {}, el("a", { href: ask }, video.name)),
    el(
      "p",
      { class: "faint" },
      el("span", { class: "unseen" }, `${clock(video.duration)} · `),
      `${video.width ? `${video.width} × ${video.height}` : video.transcript ? "transcript" : "audio only"} · ${bytes(video.bytes)}`,
    ),
    detailsOf(video, status),
    el(
      "div",
      { class: "row" },
      el("a", { class: "button", href: ask, "aria-label": `Ask about ${video.name}` }, "Ask"),
      el("label", { class: "check" }, box, "Select"),
      el(
        "button",
        {
          class: "quiet",
          "aria-label": `Index again: ${video.name}`,
          title: "Uses the engines and models available now. Up-to-date layers are kept.",
          onclick: () => indexAgain(video),
        },
        "Index again",
      ),
      el(
        "button",
        { class: "quiet last", "aria-label": `Delete ${video.name}`, onclick: () => deleteVideo(video) },
        "Delete",
      ),
    ),
  );
  return { item, progress: (progress) => (status.textContent = inWords(stateOf({ progress }))) };
}

/** The progress without the time left, which the panel above shows. */
function stateOf({ progress, complete }) {
  return progress ? { ...progress, seconds_left: null } : { state: complete ? "done" : "failed" };
}

function picture(video) {
  if (!video.width) return el("span", { class: "no-picture" }, video.transcript ? "¶" : "♪");
  const image = el("img", {
    src: `/api/videos/${video.id}/thumbnail`,
    alt: "",
    loading: "lazy",
    width: 320,
    height: 180,
  });
  image.onerror = () => image.replaceWith(el("span", { class: "no-picture" }, "▷"));
  return image;
}

function detailsOf(video, status) {
  const { layers, problems, progress } = video;
  const rows = layers.map((layer) =>
    el("li", {}, Plain(layer.name), el("span", { class: "faint" }, percent(layer.share))),
  );
  for (const [layer, reason] of Object.entries(problems))
    rows.push(el("li", { class: "faint" }, ...coded(`No ${plain(layer)}: ${reason}`)));
  for (const { name, about, outcome } of video.contents)
    rows.push(el("li", {}, Plain(name), el("span", { class: "faint" }, [about, outcome].filter(Boolean).join(": "))));
  for (const sentence of video.left_out) rows.push(el("li", { class: "faint" }, sentence));
  const indexed = layers.length && (!progress || over(progress));
  const built = new Set(layers.map(({ name }) => name));
  const deaf = indexed && built.has("sounds") && !built.has("speech") && !built.has("subtitles");
  if (deaf && !problems.speech)
    rows.push(el("li", { class: "faint" }, "No speech was detected, and there are no subtitles."));
  return el(
    "details",
    {},
    el("summary", {}, status, deaf ? " · no speech" : ""),
    el("ul", {}, ...rows),
    video.transcript
      ? null
      : el(
          "button",
          { class: "quiet", "aria-label": `Add subtitles to ${video.name}`, onclick: () => addSubtitles(video) },
          "Add subtitles",
        ),
  );
}

function choosing(id, checked) {
  checked ? chosen.add(id) : chosen.delete(id);
  byId("chosen").hidden = chosen.size === 0;
  byId("chosen-count").textContent = `${many(chosen.size, "video")} selected`;
}

async function indexAgain({ id }) {
  if (await attempt(() => post(`/api/videos/${id}/index`))) await changed();
}

async function deleteVideo({ id, name, bytes: size, stored }) {
  const { threads } = (await attempt(() => api("/api/threads"))) ?? { threads: [] };
  const about = threads.filter(({ title, videos }) => title && videos.includes(id)).length;
  const index = "Its index: everything that was read, heard and seen in it";
  const file = stored ? "" : "The file itself, where it is on this machine. ";
  const chats = about ? `${many(about, "chat")} about it, with answers and quotes; what they cite no longer plays.` : "";
  const facts = { Deleted: stored ? `${index}, and its uploaded file (${bytes(size)}).` : `${index}.` };
  if (file || chats) facts.Kept = file + chats;
  if (!(await confirmed(`Delete ${name} from the library?`, facts))) return;
  if ((await attempt(() => remove(`/api/videos/${id}`))) === undefined) return;
  notice(`Deleted ${name}.`);
  await changed();
  byId("library-title").focus();
}
