/** The list of chats in the sidebar. */

import { api } from "./api.js";
import { byId, el } from "./dom.js";
import { ago } from "./format.js";

const RUNNING_INTERVAL = 3000; // milliseconds between two refreshes while a question is being answered
const IDLE_INTERVAL = 15000; // otherwise: another tab, or the terminal, may ask
const TYPING = 250; // milliseconds after the last letter of a search
const listeners = new Set();
let again;
let open = null; // the id of the chat that is open
let typed; // the timer of a search that is being typed

/** Call a listener with the chats on every refresh. */
export function onThreads(listener) {
  listeners.add(listener);
}

/** Show every chat; `id` is the open one. */
export async function showThreads(id = null) {
  open = id;
  clearTimeout(again);
  if (document.hidden) return;
  const words = byId("thread-search").value.trim();
  let threads, found;
  try {
    ({ threads } = await api("/api/threads"));
    found = words ? (await api(`/api/threads?words=${encodeURIComponent(words)}`)).threads : threads;
  } catch {
    lookAgain(RUNNING_INTERVAL); // the open view reports that the server is away
    return;
  }
  if (words !== byId("thread-search").value.trim()) return; // a later search is under way
  const rows = found
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
      return el("li", {}, link, el("time", { class: "faint" }, ago(thread.changed)));
    });
  const focused = byId("threads").contains(document.activeElement) ? document.activeElement.hash : null;
  byId("threads").replaceChildren(...rows);
  if (focused) rows.find((row) => row.firstChild.hash === focused)?.firstChild.focus();
  byId("no-threads").hidden = rows.length > 0;
  byId("no-threads").textContent = words ? "No chat has these words." : "Choose a video and ask.";
  byId("thread-search").hidden = !words && !rows.length;
  for (const listener of listeners) listener(threads);
  lookAgain(threads.some(({ running }) => running) ? RUNNING_INTERVAL : IDLE_INTERVAL);
}

function lookAgain(after) {
  clearTimeout(again);
  again = setTimeout(() => showThreads(open), after);
}

byId("thread-search").oninput = () => {
  clearTimeout(typed);
  typed = setTimeout(() => showThreads(open), TYPING);
};
document.addEventListener("visibilitychange", () => showThreads(open));
