/** What can be done with a stored chat: rename, export, delete. */

import { api, remove, threadPath } from "./api.js";
import { attempt, byId, confirmed, notice } from "./dom.js";
import { showThreads } from "./threads.js";

export class ChatMenu {
  #thread = null;

  /** @param renamed called with the new title */
  constructor(renamed) {
    const menu = byId("chat-menu");
    const close = () => (menu.open = false);
    menu.addEventListener("click", (event) => event.target.closest(".menu-items") && close());
    menu.addEventListener("focusout", ({ relatedTarget }) => menu.contains(relatedTarget) || !relatedTarget || close());
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      close();
      menu.firstElementChild.focus();
    });
    addEventListener("pointerdown", ({ target }) => menu.contains(target) || close());
    byId("rename-thread").onclick = () => this.#rename(renamed);
    byId("delete-thread").onclick = () => this.#delete();
    byId("export-html").addEventListener("click", () => notice("The page is made with its clips, which takes a while."));
    byId("rename-cancel").onclick = () => byId("rename").close();
  }

  /** Offer them for a chat; null for one that isn't stored yet. */
  of(thread) {
    this.#thread = thread;
    byId("chat-menu").hidden = thread === null;
    byId("chat-menu").open = false;
    for (const format of ["markdown", "html"])
      byId(`export-${format}`).href = thread === null ? "#" : `${threadPath(thread)}/export?format=${format}`;
  }

  #rename(renamed) {
    const thread = this.#thread;
    const dialog = byId("rename");
    const field = byId("rename-field");
    field.value = byId("chat-title").textContent.slice(0, field.maxLength);
    dialog.querySelector("form").onsubmit = async (event) => {
      event.preventDefault();
      const changed = await attempt(() => api(threadPath(thread), { method: "PATCH", body: { title: field.value } }));
      if (!changed) return;
      dialog.close();
      if (thread === this.#thread) renamed(changed.title);
      showThreads(this.#thread);
    };
    dialog.showModal();
    field.select();
  }

  async #delete() {
    const thread = this.#thread;
    const facts = {
      Deleted: "The questions and answers of this chat, and its notes.",
      Kept: "The videos, and the traces of its answers.",
    };
    if (!(await confirmed("Delete this chat?", facts))) return;
    if ((await attempt(() => remove(threadPath(thread)))) !== undefined) location.hash = "#/";
  }
}
