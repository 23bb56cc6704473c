/** The model that answers: which one was chosen, and beside the question whether it is there. */

import { api } from "./api.js";
import { byId, coded } from "./dom.js";

const KEPT = "longtake.model"; // in local storage: the chosen controller, unless it is the server's own
const STALE = 30_000; // milliseconds after which the state is asked for again, when a question is begun
let looked = -Infinity;

/** The controller to name with a question; undefined for the server's own. */
export const chosenModel = () => localStorage.getItem(KEPT) ?? undefined;

/** Choose a controller; null for the server's own. */
export function chooseModel(name) {
  name ? localStorage.setItem(KEPT, name) : localStorage.removeItem(KEPT);
}

/** Look whether the model is there, unless that was done a moment ago. */
export function lookAtModelAgain() {
  if (performance.now() - looked > STALE) lookAtModel();
}

/** Look whether the model that answers is there, and show it beside the question. */
export async function lookAtModel() {
  looked = performance.now();
  const chosen = chosenModel();
  const query = chosen ? `?model=${encodeURIComponent(chosen)}` : "";
  const state = await api(`/api/models/state${query}`).catch(() => null); // a question will say what is wrong
  if (chosen !== chosenModel()) return;
  const line = byId("model-state");
  line.hidden = !state?.language_model;
  if (line.hidden) return;
  const { name, problem } = state;
  line.classList.toggle("bad", problem !== null);
  line.classList.toggle("good", problem === null);
  const words = problem ? `can’t answer: ${problem}. Settings has the other ways to answer.` : "is ready.";
  line.replaceChildren(...coded(`${name} ${words}`));
}
