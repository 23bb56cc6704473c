/** A question, what is being done about it, and its answer. */

import { recordedSteps } from "./api.js";
import { answerOf, detailsOf } from "./answer.js";
import { attempt, el } from "./dom.js";
import { inWords } from "./indexing.js";
import { Steps, wordsOf } from "./steps.js";

export class Turn {
  /**
   * @param context `{thread(), videos, name(id), seek(citation), stop()}`
   * @param looking called with this turn when the timeline should show its steps
   */
  constructor(question, context, looking, live) {
    this.context = context;
    this.looking = looking;
    this.steps = new Steps(context);
    this.element = el("article", { class: "turn" }, el("h2", { class: "question" }, question));
    this.element.addEventListener("click", () => looking(this));
    if (!live) return;
    this.words = el("span", { class: "doing-words" }, "Reading the question");
    const stop = el("button", { class: "stop", type: "button", onclick: () => context.stop() }, "Stop");
    this.doing = el("div", { class: "doing" }, this.words, stop);
    this.element.append(this.doing);
  }

  /** Add a step of the run. */
  step(step) {
    this.steps.add(step);
    this.looking(this);
    const words = wordsOf(step);
    if (words) this.words.textContent = words;
  }

  /** Show that a video of the question is still being indexed. */
  indexing({ video, ...progress }) {
    const name = this.context.name(video);
    this.words.textContent = `${name}: ${inWords(progress).toLowerCase()}. The answer uses what is indexed so far`;
  }

  finish(answer, number) {
    this.doing?.remove();
    this.trace = answer.trace;
    const context = { ...this.context, thread: this.context.thread(), number };
    const details = detailsOf(answer, context, this.steps.log);
    // The steps of an old answer are loaded when its details are opened.
    details.addEventListener("toggle", () => this.recall());
    this.element.append(answerOf(answer, context, details));
  }

  fail(sentence) {
    this.doing?.remove();
    this.element.append(
      el("p", { class: "problem" }, sentence),
      el("details", { class: "details" }, el("summary", {}, "Details"), this.steps.log),
    );
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
