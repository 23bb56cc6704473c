/** The list of chats beside the page. */

import { api } from "./api.js";
import { byId, el } from "./dom.js";

const AGAIN = 3000; // milliseconds between two looks while something runs
let again;

/** Show every chat; the one of this id is the one that is open. */
export async function showThreads(open = null) {
  clearTimeout(again);
  let threads;
  try {
    ({ threads } = await api("/api/threads"));
  } catch {
    again = setTimeout(() => showThreads(open), AGAIN); // what is open says that the server is away
    return;
  }
  const rows = threads
    .filter(({ title, running }) => title || running)
    .map((thread) => {
      const link = el(
        "a",
        { class: "place", href: `#/thread/${encodeURIComponent(thread.id)}` },
        thread.title || thread.asking,
      );
      if (thread.id === open) link.setAttribute("aria-current", "page");
      if (thread.running)
        link.append(el("span", { class: "running" }, el("span", { class: "unseen" }, " (being answered)")));
      return el("li", {}, link);
    });
  const focused = byId("threads").contains(document.activeElement) ? document.activeElement.hash : null;
  byId("threads").replaceChildren(...rows);
  if (focused) rows.find((row) => row.firstChild.hash === focused)?.firstChild.focus();
  byId("no-threads").hidden = rows.length > 0;
  if (threads.some(({ running }) => running)) again = setTimeout(() => showThreads(open), AGAIN);
}
