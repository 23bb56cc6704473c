/** Keyboard shortcuts. Single-key ones can be turned off (WCAG 2.1, 2.1.4). */

import { byId, el } from "./dom.js";

const OFF = "longtake.no-single-keys";
const LIST = [
  ["Ask", "/"],
  ["Stop the answer", "s"],
  ["Play or pause", "k"],
  ["Back / forward 5 s", "← →"],
  ["Back / forward 30 s", "j l"],
  ["Next / previous citation", "n p"],
  ["Captions", "c"],
  ["Zoom timeline in / out", "+ −"],
  ["Library", "g"],
  ["Keyboard shortcuts", "?"],
];

/** Listen for the shortcuts. */
export function listenForKeys(chat) {
  const dialog = byId("shortcuts");
  const single = byId("single-keys");
  byId("shortcut-list").append(
    ...LIST.map(([what, keys]) =>
      el("div", {}, el("dt", {}, what), el("dd", {}, ...keys.split(" ").map((key) => el("kbd", {}, key)))),
    ),
  );
  byId("help").onclick = () => dialog.showModal();
  byId("shortcuts-done").onclick = () => dialog.close();
  single.checked = !localStorage.getItem(OFF);
  single.onchange = () => (single.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1"));
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.id === "question") return event.target.blur();
    if (!single.checked || event.ctrlKey || event.metaKey || event.altKey || taken(event)) return;
    const act = actions(chat)[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function actions({ stage: { player, timeline } }) {
  const always = { g: () => (location.hash = "#/"), "?": () => byId("shortcuts").showModal() };
  if (byId("chat").hidden) return always;
  const by = (seconds) => () => player.seek(player.time + seconds);
  return {
    ...always,
    "/": () => byId("question").focus(),
    s: () => document.querySelector("#turns .stop")?.click(),
    k: () => player.toggle(),
    c: () => player.toggleCaptions(),
    ArrowLeft: by(-5),
    ArrowRight: by(5),
    j: by(-30),
    l: by(30),
    n: () => citation(1),
    p: () => citation(-1),
    "+": () => timeline.zoom(2),
    "=": () => timeline.zoom(2),
    "-": () => timeline.zoom(0.5),
  };
}

/** Go to the next or previous chip of the answers, and play it. */
function citation(by) {
  const chips = [...document.querySelectorAll("#turns .answer .chip")];
  const at = chips.indexOf(document.activeElement);
  const next = chips[at < 0 ? (by > 0 ? 0 : chips.length - 1) : at + by];
  next?.focus();
  next?.click();
}

/** Whether the focused element or an open dialog handles the key. */
function taken({ target, key }) {
  if (document.querySelector("dialog[open]")) return true;
  if (target.closest("input, textarea, select, [contenteditable]")) return true;
  return key.startsWith("Arrow") && target.closest("video, [role=slider]") !== null;
}
