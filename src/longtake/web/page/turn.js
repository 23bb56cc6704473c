/** A question, what is being done about it, and its answer. */

import { recordedSteps } from "./api.js";
import { answerOf, detailsOf } from "./answer.js";
import { cited } from "./citations.js";
import { attempt, el } from "./dom.js";
import { inWords } from "./indexing.js";
import { Steps, answers, isReply, wordsOf } from "./steps.js";

export class Turn {
  /**
   * @param context `{thread(), videos, name(id), seek(citation), stop(), again(turn, question, options)}`
   * @param looking called with this turn when the timeline should show its steps
   */
  constructor({ question, options = [] }, context, looking, live) {
    this.context = context;
    this.looking = looking;
    this.steps = new Steps(context);
    this.question = question;
    this.asked = el("div", { class: "asked" }, el("h2", { class: "question" }, question));
    this.element = el("article", { class: "turn" }, this.asked);
    this.#offer(options);
    this.element.addEventListener("click", () => looking(this));
    if (!live) return;
    this.words = el("span", { class: "doing-words" }, "Reading the question");
    const stop = el("button", { class: "stop", type: "button", onclick: () => context.stop() }, "Stop");
    this.doing = el("div", { class: "doing" }, this.words, stop);
    this.draft = { number: -1, text: "", shown: el("p", { class: "text writing", hidden: true }) };
    this.element.append(this.draft.shown, this.doing);
  }

  /** Add a step of the run. */
  step(step) {
    this.steps.add(step);
    this.looking(this);
    const words = wordsOf(step);
    if (words) this.words.textContent = words;
    if (!isReply(step)) return;
    if (answers(step)) this.words.textContent = "Checks the answer against the video";
    else this.#show(""); // what a model says before it calls tools is no answer
  }

  /** Show what is being written; another draft replaces the one before. */
  write({ draft, text }) {
    const before = draft === this.draft.number ? this.draft.text : "";
    this.draft.number = draft;
    this.#show(before + text);
    this.words.textContent = "Writes the answer";
  }

  #show(text) {
    const { shown } = this.draft;
    this.draft.text = text;
    shown.hidden = !text;
    shown.replaceChildren(...cited(text, { citations: [], claims: [] }, this.context));
  }

  /** Show that a video of the question is still being indexed. */
  indexing({ video, ...progress }) {
    this.early = true;
    const name = this.context.name(video);
    this.words.textContent = `${name}: ${inWords(progress).toLowerCase()}. The answer uses what is indexed so far`;
  }

  finish(answer, number) {
    this.#end();
    this.trace = answer.trace;
    this.number = number;
    this.question = answer.question; // without the options that were typed into it
    this.asked.querySelector("h2").textContent = answer.question;
    this.#offer(answer.options);
    this.open = answer.status !== "answered";
    this.read = answer.status === "partial" ? answer.coverage : null; // what was read by then
    const stored = number !== null;
    const acts = {
      again: stored ? () => this.context.again(this, this.question, this.options) : null,
      edit: stored ? () => this.#edit() : null,
    };
    const context = { ...this.context, ...acts, thread: this.context.thread(), number };
    const details = detailsOf(answer, context, this.steps.log);
    // The steps of an old answer are loaded when its details are opened.
    details.addEventListener("toggle", () => this.recall());
    this.element.append(answerOf(answer, context, details));
  }

  fail(sentence) {
    this.#end();
    this.element.append(
      el("p", { class: "problem" }, sentence),
      el("details", { class: "details" }, el("summary", {}, "Details"), this.steps.log),
    );
  }

  #end() {
    this.doing?.remove();
    this.draft?.shown.remove();
  }

  /** Show the options of a multiple-choice question. */
  #offer(options) {
    this.options = options;
    this.list?.remove();
    this.list = options.length ? el("ol", { class: "options" }, ...options.map((option) => el("li", {}, option))) : null;
    this.asked.append(this.list ?? "");
  }

  /** Put fields in place of the question and its options. */
  #edit() {
    if (this.form) return this.form.firstChild.focus();
    const field = el("textarea", { name: "question", "aria-label": "Edit the question", maxlength: 4000, rows: 2 });
    field.value = this.question;
    const options = el("textarea", { name: "options", "aria-label": "Options, one per line", rows: this.options.length });
    options.value = this.options.map((option) => option.replaceAll(/\s+/g, " ")).join("\n");
    const close = () => {
      this.form.replaceWith(this.asked);
      this.form = null;
      this.element.querySelector(".edit")?.focus();
    };
    const cancel = el("button", { type: "button", onclick: close }, "Cancel");
    const buttons = el("div", { class: "row end" }, cancel, el("button", { class: "primary" }, "Ask again"));
    this.form = el("form", { class: "edited" }, field, this.list ? options : null, buttons);
    this.form.onsubmit = (event) => {
      event.preventDefault();
      const chosen = options.value.split("\n").filter((option) => option.trim());
      if (field.value.trim()) this.context.again(this, field.value.trim(), chosen);
    };
    this.form.onkeydown = (event) => {
      if (event.key === "Escape") (event.stopPropagation(), close());
      if (event.target !== field || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.form.requestSubmit();
    };
    this.asked.replaceWith(this.form);
    field.focus();
  }

  /** Load the steps of an answer from before the page was opened. */
  async recall() {
    if (this.steps.steps.length || !this.trace) return;
    const steps = await attempt(() => (this.recalling ??= recordedSteps(this.trace)));
    if (!steps) this.recalling = null;
    if (this.steps.steps.length) return;
    for (const step of steps ?? []) this.steps.add(step);
    this.looking(this);
  }
}
