/** The models in use, and the choice of the one that answers. */

import { api } from "./api.js";
import { attempt, byId, el } from "./dom.js";

const KEPT = "longtake.model"; // in local storage: the chosen controller, unless it is the server's own

const NAMES = {
  audio_question: "questions about sounds",
  closer_speech: "speech, again",
  image_text_embedding: "picture search",
  text_embedding: "text search",
  visual_question: "questions about pictures",
  scene_text: "text on screen",
};

/** The controller to name with a question; undefined for the server's own. */
export const chosenModel = () => localStorage.getItem(KEPT) ?? undefined;

export function startModels() {
  byId("models-open").onclick = open;
  byId("models-done").onclick = () => byId("models").close();
}

async function open() {
  const found = await attempt(() => api("/api/models"));
  if (!found) return;
  if (!found.controllers.some(({ name }) => name === chosenModel())) localStorage.removeItem(KEPT);
  byId("model-list").replaceChildren(...found.controllers.map(choice));
  byId("engine-list").replaceChildren(...found.engines.map(engine));
  byId("models").showModal();
}

function choice({ name, default: own, problem }) {
  const input = el("input", { type: "radio", name: "model", value: name });
  input.checked = own ? !chosenModel() : name === chosenModel();
  input.onchange = () => (own ? localStorage.removeItem(KEPT) : localStorage.setItem(KEPT, name));
  const words = name === "extractive" ? "No language model: quotes what was found" : name;
  return el(
    "li",
    {},
    el("label", { class: "check" }, input, el("span", {}, words)),
    problem ? el("p", { class: "problem" }, problem) : null,
  );
}

function engine({ capability, engine: name, summary, missing }) {
  const label = NAMES[capability] ?? capability;
  return el("div", {}, el("dt", {}, label), el("dd", { class: "faint" }, name ? summary : missing ? `none: ${missing}` : "none"));
}
