/** A question, its steps and its answer. */

import { recordedSteps } from "./api.js";
import { answerOf } from "./answer.js";
import { attempt, el } from "./dom.js";
import { many } from "./format.js";
import { inWords } from "./indexing.js";
import { Steps } from "./steps.js";

export class Turn {
  /**
   * @param context `{thread(), videos, name(id), seek(citation)}`
   * @param looking called with this turn when the timeline should show its steps
   */
  constructor(question, context, looking, live) {
    this.context = context;
    this.looking = looking;
    this.steps = new Steps(context, live);
    this.element = el("article", { class: "turn" }, el("h2", { class: "question" }, question), this.steps.element);
    this.element.addEventListener("click", () => looking(this));
    if (live) this.steps.say("Working on it");
  }

  /** Add a step of the run. */
  step(step) {
    this.steps.add(step);
    this.looking(this);
    const calls = this.steps.steps.filter(({ type }) => type === "tool").length;
    this.steps.say(calls ? `Working on it, ${many(calls, "tool call")} so far` : "Working on it");
  }

  /** Show that a video of the question is still being indexed. */
  indexing({ video, ...progress }) {
    const name = this.context.name(video);
    this.steps.say(`${name}: ${inWords(progress).toLowerCase()}. The answer uses what is indexed so far`);
  }

  finish(answer, number) {
    const { usage } = answer;
    this.trace = answer.trace;
    this.steps.say(`${many(usage.tool_calls, "tool call")} in ${usage.seconds.toFixed(1)} s`, false);
    this.element.append(answerOf(answer, { ...this.context, thread: this.context.thread(), number }));
    // The steps of an old answer are loaded when its list is opened.
    this.steps.element.addEventListener("toggle", () => this.recall());
  }

  fail(sentence) {
    this.steps.say("Ended without an answer", false);
    this.element.append(el("p", { class: "problem" }, sentence));
  }

  /** Load the steps of an answer from before the page was opened. */
  async recall() {
    if (this.steps.steps.length || !this.trace) return;
    const steps = await attempt(() => (this.recalling ??= recordedSteps(this.trace)));
    if (this.steps.steps.length) return;
    for (const step of steps ?? []) this.steps.add(step);
    this.looking(this);
  }
}
