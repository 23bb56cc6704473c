/** The steps of a run as they come: plans, tool calls and what they looked at. */

import { el } from "./dom.js";
import { cut, many, Plain, plain, span } from "./format.js";

const ANSWER = "answer"; // the tool that ends a run
const SHOWN_SPANS = 3;
const NEAR_END = 24; // pixels

export class Steps {
  /** A list of steps. `context` as for citations. */
  constructor(context) {
    this.context = context;
    this.steps = [];
    this.list = el("ol", {});
    this.log = el("div", { class: "log", role: "log", "aria-label": "Steps", tabindex: 0 }, this.list);
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
        more > 0 ? ` and ${more} more ·` : null,
        facts,
      ),
    );
    if (pinned) this.log.scrollTop = this.log.scrollHeight;
  }

  #place([video, start, end]) {
    const where = span(start, end);
    const name = this.context.videos.length > 1 ? `${cut(this.context.name(video), 16)} ` : "";
    const label = `Play ${this.context.name(video)} ${where}`;
    return el(
      "button",
      { class: "chip", type: "button", "aria-label": label, onclick: () => this.context.seek({ video, start, end }) },
      name + where,
    );
  }
}

/** Whether a step is a reply of the model that answers, and whether it answers. */
export const isReply = ({ type, tool }) => type === "model" && !tool;
export const answers = ({ calls = [] }) => calls.every((call) => call.tool === ANSWER);

/** What a step did, or null for steps that aren't shown. */
export function wordsOf({ type, tool, arguments: args, calls = [], evidence, failure }) {
  if (type === "tool")
    return `${Plain(tool)}${args ? argumentsOf(args) : ""}${failure ? `: ${plain(failure)}` : ""} `;
  if (type === "model") {
    if (tool) return null; // a reply to a tool, or to the check of the answer
    const called = [...new Set(calls.map((call) => plain(call.tool)))].filter((name) => name !== ANSWER);
    return called.length ? `Plans: ${called.join(", ")} ` : "Writes the answer ";
  }
  if (type === "judge") return `Checks every claim against ${many(evidence, "finding")} `;
  return { brief: "Searches for evidence ", guard: "Stops early ", error: "Stops with an error " }[type] ?? null;
}

function argumentsOf({ query, question, claim, expression, thing }) {
  const text = query ?? question ?? claim ?? expression ?? thing;
  return typeof text === "string" ? ` “${cut(text, 70)}”` : "";
}

function factsOf({ type, evidence, seconds, cached }) {
  const found = type === "tool" || type === "brief" ? `${evidence} found · ` : "";
  return ` ${found}${cached ? "cached" : `${seconds < 10 ? seconds.toFixed(2) : Math.round(seconds)} s`}`;
}
