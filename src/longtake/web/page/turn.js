/** A question, the steps towards its answer, and the answer. */

import { recordedSteps } from "./api.js";
import { answerOf } from "./answer.js";
import { attempt, el } from "./dom.js";
import { many } from "./format.js";
import { inWords } from "./indexing.js";
import { Steps } from "./steps.js";

export class Turn {
  /**
   * @param context `{thread(), videos, name(id), seek(citation)}`
   * @param looking told this turn whenever its steps are to be shown on the timeline
   */
  constructor(question, context, looking, live) {
    this.context = context;
    this.looking = looking;
    this.steps = new Steps(context, live);
    this.element = el("article", { class: "turn" }, el("h2", { class: "question" }, question), this.steps.element);
    this.element.addEventListener("click", () => looking(this));
    if (live) this.steps.say("Looking into it");
  }

  /** A step of the run, as it is told. */
  step(step) {
    this.steps.add(step);
    this.looking(this);
    const calls = this.steps.steps.filter(({ type }) => type === "tool").length;
    this.steps.say(calls ? `Looking into it, ${many(calls, "tool call")} so far` : "Looking into it");
  }

  /** A video of the question that is still being indexed. */
  indexing({ video, ...progress }) {
    this.steps.say(`${this.context.name(video)}: ${inWords(progress).toLowerCase()}. The answer uses what is there`);
  }

  finish(answer, number) {
    const { usage } = answer;
    this.trace = answer.trace;
    this.steps.say(`${many(usage.tool_calls, "tool call")} in ${usage.seconds.toFixed(1)} s`, false);
    this.element.append(answerOf(answer, { ...this.context, thread: this.context.thread(), number }));
    // Steps of an old answer are read when somebody wants to see them.
    this.steps.element.addEventListener("toggle", () => this.recall());
  }

  fail(sentence) {
    this.steps.say("Ended without an answer", false);
    this.element.append(el("p", { class: "problem" }, sentence));
  }

  /** Read the steps of an answer that was given before the page was opened. */
  async recall() {
    if (this.steps.steps.length || !this.trace) return;
    const steps = await attempt(() => (this.recalling ??= recordedSteps(this.trace)));
    if (this.steps.steps.length) return;
    for (const step of steps ?? []) this.steps.add(step);
    this.looking(this);
  }
}
