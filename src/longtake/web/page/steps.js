/** The steps of a run as they come: what was planned, what was called, what it looked at. */

import { el } from "./dom.js";
import { cut, many, Plain, plain, span } from "./format.js";

const SHOWN_SPANS = 3;
const NEAR_END = 24; // pixels

export class Steps {
  /** A list that opens, with one line above it that says the latest. `context` as for citations. */
  constructor(context, open) {
    this.context = context;
    this.steps = [];
    this.summary = el("summary", {}, "Steps");
    this.list = el("ol", {});
    this.log = el("div", { class: "log", role: "log", "aria-label": "Steps", tabindex: 0 }, this.list);
    this.element = el("details", { class: "steps", open }, this.summary, this.log);
  }

  /** Say where the question stands. */
  say(words, busy = true) {
    this.summary.textContent = words;
    this.element.classList.toggle("busy", busy);
  }

  add(step) {
    this.steps.push(step);
    const words = wordsOf(step);
    if (!words) return;
    const pinned = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR_END;
    const spans = (step.spans ?? []).slice(0, SHOWN_SPANS).map((place) => this.#place(place));
    const more = (step.spans ?? []).length - SHOWN_SPANS;
    const facts = el("span", { class: "faint" }, factsOf(step));
    this.list.append(
      el(
        "li",
        { class: step.failure ? "failed" : step.type },
        words,
        ...spans,
        more > 0 ? ` and ${more} more` : null,
        facts,
      ),
    );
    if (pinned) this.log.scrollTop = this.log.scrollHeight;
  }

  #place([video, start, end]) {
    const where = span(start, end);
    const name = this.context.videos.length > 1 ? `${cut(this.context.name(video), 16)} ` : "";
    const label = `Play ${this.context.name(video)} from ${where}`;
    return el(
      "button",
      { class: "chip", type: "button", "aria-label": label, onclick: () => this.context.seek({ video, start, end }) },
      name + where,
    );
  }
}

/** What a step did, or null for what is no news to a person. */
function wordsOf({ type, tool, arguments: given, calls = [], evidence, failure }) {
  if (type === "tool")
    return `${Plain(tool)}${given ? argumentsOf(given) : ""}${failure ? `: ${plain(failure)}` : ""} `;
  if (type === "model")
    return calls.length ? `Plans ${[...new Set(calls.map((call) => plain(call.tool)))].join(", ")} ` : "Writes ";
  if (type === "verify") return `Checks every claim against ${many(evidence, "finding")} `;
  if (type === "gather") return "Searches for what comes close to the question ";
  return { orient: "Takes stock of the recording ", guard: "Comes to an end ", error: "Met a fault " }[type] ?? null;
}

function argumentsOf(given) {
  const told = given.query ?? given.question ?? given.claim ?? given.expression ?? given.thing;
  return typeof told === "string" ? ` “${cut(told, 70)}”` : "";
}

function factsOf({ type, evidence, seconds, cached }) {
  const found = type === "tool" || type === "gather" ? `${evidence} found · ` : "";
  return ` ${found}${cached ? "known already" : `${seconds < 10 ? seconds.toFixed(2) : Math.round(seconds)} s`}`;
}
