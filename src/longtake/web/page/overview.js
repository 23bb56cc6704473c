/** What the video of a new chat is about: in words and by its parts, or its summary; and questions that it answers. */

import { api } from "./api.js";
import { chip } from "./citations.js";
import { byId, el } from "./dom.js";

const REST = 1000; // milliseconds after opening: whoever asks at once is answered first

export class Overview {
  #video = null;
  #resting;

  /** @param context `{name(id), seek(citation), ask(question)}` */
  constructor(context) {
    this.context = context;
  }

  /** Show the overview of a video a little later; null hides it. */
  offer(video) {
    clearTimeout(this.#resting);
    this.#video = video;
    byId("overview").hidden = true;
    if (video) this.#resting = setTimeout(() => this.#show(video), REST);
  }

  /** Show it again when more of its video is indexed. */
  renew(video) {
    if (video === this.#video) this.offer(video);
  }

  async #show(video) {
    const found = await api(`/api/videos/${video}/overview`).catch(() => null); // nobody asked for it
    if (video !== this.#video || !found) return;
    const places = [...found.sections.map(({ title, ...place }) => ({ ...place, text: title })), ...found.lines];
    if (!found.text && !places.length) return;
    const line = ({ text, ...place }) =>
      el("li", {}, chip({ ...place, video, quote: text }, this.context), el("span", {}, text));
    const question = (text) =>
      el("li", {}, el("button", { type: "button", onclick: () => this.context.ask(text) }, text));
    const asked = found.questions.length
      ? [el("h2", { class: "label" }, "You could ask"), el("ul", { class: "suggested" }, ...found.questions.map(question))]
      : [];
    byId("overview").replaceChildren(
      el("h2", { class: "label" }, "In this video"),
      ...(found.text ? [el("p", {}, found.text)] : []),
      el("ul", { class: "places" }, ...places.map(line)),
      ...asked,
    );
    byId("overview").hidden = false;
  }
}
