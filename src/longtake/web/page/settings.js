/** The settings: which model answers, what is switched off, the language and the track of speech, and the disk used. */

import { allVideos, api, post } from "./api.js";
import { attempt, byId, coded, el, notice } from "./dom.js";
import { Plain, bytes, many } from "./format.js";
import { followQueue } from "./indexing.js";
import { chooseModel, chosenModel, lookAtModel } from "./model_state.js";

let settings; // as the server last said
let changing = Promise.resolve(); // the changes, one after the other: each is made to what the one before left
let videos; // of the library, when the settings were opened
let untranscribed = []; // ids

export function startSettings() {
  byId("settings-open").onclick = open;
  byId("settings-done").onclick = () => byId("settings").close();
  byId("language").onchange = ({ target: { value } }) => change(() => ({ language: value || null }));
  byId("track").onchange = ({ target: { value } }) => change(() => ({ track: value.trim() || null }));
  byId("transcribe").onclick = transcribe;
  byId("storage").ontoggle = () => byId("storage").open && showStorage();
}

async function open() {
  const found = await attempt(() => Promise.all([api("/api/models"), api("/api/settings"), allVideos()]));
  if (!found) return;
  const [models, now] = found;
  videos = found[2];
  if (!models.controllers.some(({ name }) => name === chosenModel())) chooseModel(null);
  byId("model-list").replaceChildren(...models.controllers.map(choice));
  byId("model-roles").textContent = `As set up, ${models.roles}.`;
  show(now, models);
  byId("storage").open = false;
  byId("settings").showModal();
  byId("settings-title").focus();
}

function choice({ name, default: own, problem }) {
  const input = el("input", { type: "radio", name: "model", value: name });
  input.checked = own ? !chosenModel() : name === chosenModel();
  input.onchange = () => (chooseModel(own ? null : name), lookAtModel());
  const words = name === "extractive" ? "No language model: quotes what was found" : name;
  const state = el("span", { class: `state ${problem ? "bad" : "good"}` });
  return el(
    "li",
    {},
    el("label", { class: "check" }, input, el("span", {}, words), name === "extractive" ? null : state),
    problem ? el("p", { class: "problem" }, ...coded(problem)) : null,
  );
}

/** Show what can be switched, and the engines that can't be. */
function show(now, models) {
  settings = now;
  byId("engine-list").replaceChildren(...now.engines.map(engine));
  byId("tool-list").replaceChildren(...now.tools.map(tool));
  const languages = now.languages.map(({ code, name }) => el("option", { value: code }, name));
  const usual = now.detected ? "Detect" : "As the server was started with";
  byId("language").replaceChildren(el("option", { value: "" }, usual), ...languages);
  byId("language").value = now.switches.language ?? "";
  byId("track").value = now.switches.track ?? "";
  showSilent();
  if (!models) return;
  const switched = new Set(now.engines.map(({ capability }) => capability));
  const others = models.engines.filter(({ capability }) => !switched.has(capability));
  byId("other-engines").replaceChildren(
    ...others.map(({ capability, engine: name, summary, missing }) =>
      fact(Plain(capability), name ? summary : missing ? `none: ${missing}` : "none"),
    ),
  );
}

function engine({ capability, purpose, on, engine: name, summary, missing }) {
  const lacking = on && !name;
  const how = !on ? null : name ? ["How", summary] : missing && ["What it takes", missing];
  return switched(Plain(capability), on, `${purpose}${lacking ? " · not available here" : ""}`, "engines_off", capability, how);
}

function tool({ name, purpose, on }) {
  return switched(Plain(name), on, purpose, "tools_off", name);
}

/** A switch with what it is for; `how`, a title and words, is folded. */
function switched(label, on, words, kind, name, how = null) {
  const others = () => settings.switches[kind].filter((off) => off !== name);
  const onchange = ({ target: { checked } }) => change(() => ({ [kind]: checked ? others() : [...others(), name] }));
  const box = el("input", { type: "checkbox", name: "switch", onchange });
  box.checked = on;
  const folded = how && el("details", { class: "faint" }, el("summary", {}, how[0]), el("p", {}, ...coded(how[1])));
  return el("li", { class: "switch" }, el("label", { class: "check" }, box, label), el("p", { class: "faint" }, words), folded);
}

/** Switch something, after what was switched before; if that is refused, everything is shown as it is. */
function change(changes) {
  const put = () => api("/api/settings", { method: "PUT", body: { ...settings.switches, ...changes() } });
  changing = changing.then(async () => {
    const now = (await attempt(put)) ?? settings;
    const focused = document.activeElement.closest("#settings li");
    const place = focused && [focused.parentElement, [...focused.parentElement.children].indexOf(focused)];
    show(now);
    place?.[0].children[place[1]]?.querySelector("input").focus();
  });
}

/** How many videos have no transcript, though they have sound. */
function showSilent() {
  const silent = [...videos.values()].filter(({ problems }) => problems.speech);
  const speech = settings.engines.find(({ capability }) => capability === "speech");
  const reason = speech?.on ? (speech.engine ? "" : speech.missing) : "Speech is off.";
  byId("without-words").textContent = silent.length
    ? `${many(silent.length, "video")} without a transcript. ${reason}`
    : "Every indexed video with sound has been transcribed.";
  byId("transcribe").disabled = !silent.length || Boolean(reason);
  untranscribed = silent.map(({ id }) => id);
}

async function transcribe() {
  const ids = untranscribed;
  byId("transcribe").disabled = true;
  for (const id of ids) if (!(await attempt(() => post(`/api/videos/${id}/index`)))) return;
  notice(`${many(ids.length, "video")} queued for transcription; the library shows the progress.`);
  followQueue();
}

async function showStorage() {
  const used = await attempt(() => api("/api/storage"));
  if (!used) return;
  const parts = { search: "Search index", chats: "Chats and notes", traces: "Traces of answers", unfinished: "Unfinished uploads" };
  byId("storage-list").replaceChildren(
    ...used.videos.map(({ name, index, file }) =>
      fact(name, `index ${bytes(index)}${file ? `, uploaded file ${bytes(file)}` : ", its file is elsewhere"}`),
    ),
    ...Object.entries(parts).map(([part, label]) => fact(label, bytes(used[part]))),
    fact("In total", `${bytes(used.total)}; ${bytes(used.free)} free on this disk`),
  );
}

const fact = (name, words) => el("div", {}, el("dt", {}, name), el("dd", { class: "faint" }, ...coded(words)));
