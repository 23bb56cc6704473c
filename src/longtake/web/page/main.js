/** The page: shows the view that the address names. */

import { Chat } from "./chat.js";
import { byId } from "./dom.js";
import { listenForKeys } from "./keys.js";
import { startSettings } from "./settings.js";
import { showLibrary, startLibrary } from "./library.js";
import { showThreads } from "./threads.js";

const chat = new Chat();

/** `#/` is the library, `#/new/ID,ID` a new chat, perhaps at a second (`?t=83`), `#/thread/ID` an existing one. */
function route() {
  const [, kind, rest = ""] = location.hash.match(/^#\/(new|thread)\/([^?]+)/) ?? [];
  openMenu(false);
  byId("library").hidden = kind !== undefined;
  byId("chat").hidden = kind === undefined;
  document.body.classList.toggle("chatting", kind !== undefined);
  kind ? byId("to-library").removeAttribute("aria-current") : byId("to-library").setAttribute("aria-current", "page");
  const id = decodeURIComponent(rest);
  if (kind === "thread") chat.open(id);
  else if (kind === "new") chat.begin(id.split(","), Number(location.hash.match(/\?t=(\d+)$/)?.[1] ?? 0));
  else {
    chat.close();
    document.title = "Library · Longtake";
    showLibrary();
  }
  showThreads(kind === "thread" ? id : null);
}

function openMenu(open) {
  byId("side").classList.toggle("open", open);
  byId("menu").setAttribute("aria-expanded", open);
}

byId("menu").onclick = () => openMenu(!byId("side").classList.contains("open"));
document.querySelector(".skip").onclick = (event) => (event.preventDefault(), byId("main").focus());
listenForKeys(chat);
startSettings();
startLibrary();
addEventListener("hashchange", () => {
  route();
  (byId("chat").hidden ? byId("library-title") : byId("chat-title")).focus({ preventScroll: true });
});
route();
