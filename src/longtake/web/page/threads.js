/** The list of chats beside the page. */

import { api } from "./api.js";
import { byId, el } from "./dom.js";

const AGAIN = 3000; // milliseconds between two looks while something runs
const LATER = 15000; // while nothing does: another tab, or the terminal, may ask
const listeners = new Set();
let again;
let open = null; // the id of the chat that is open

/** Be told the chats whenever they were looked at. */
export function onThreads(listener) {
  listeners.add(listener);
}

/** Show every chat; the one of this id is the one that is open. */
export async function showThreads(id = null) {
  open = id;
  clearTimeout(again);
  if (document.hidden) return;
  let threads;
  try {
    ({ threads } = await api("/api/threads"));
  } catch {
    lookAgain(AGAIN); // what is open says that the server is away
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
  for (const listener of listeners) listener(threads);
  lookAgain(threads.some(({ running }) => running) ? AGAIN : LATER);
}

function lookAgain(after) {
  clearTimeout(again);
  again = setTimeout(() => showThreads(open), after);
}

document.addEventListener("visibilitychange", () => showThreads(open));
