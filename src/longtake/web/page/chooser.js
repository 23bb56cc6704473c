/** A dialog with a list to choose from: files of an allowed folder, videos of the library. */

import { byId, el } from "./dom.js";

const SHOWN = 200; // maximum rows; the filter finds the others

/**
 * Show the dialog and wait until it closes.
 *
 * @param items `{id, name, detail}` objects
 * @param chosen ids chosen initially
 * @returns the chosen ids in the order of the list, or null if it was left with Escape
 */
export function choose(title, items, chosen = []) {
  const dialog = byId("chooser");
  const filter = byId("chooser-filter");
  const list = byId("chooser-list");
  const picked = new Set(chosen);
  const show = () => {
    const words = filter.value.toLowerCase();
    const found = items.filter(({ name }) => name.toLowerCase().includes(words));
    list.replaceChildren(...found.slice(0, SHOWN).map((item) => row(item, picked)));
    if (found.length > SHOWN)
      list.append(el("li", { class: "faint" }, `and ${found.length - SHOWN} more: filter by name`));
    if (!found.length) list.append(el("li", { class: "faint" }, "No matches."));
  };
  byId("chooser-title").textContent = title;
  filter.value = "";
  filter.oninput = show;
  byId("chooser-done").onclick = () => dialog.close("done");
  dialog.returnValue = "";
  show();
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => resolve(dialog.returnValue ? items.map(({ id }) => id).filter((id) => picked.has(id)) : null);
    dialog.addEventListener("close", closed, { once: true });
  });
}

function row({ id, name, detail }, picked) {
  const box = el("input", { type: "checkbox" });
  box.checked = picked.has(id);
  box.onchange = () => (box.checked ? picked.add(id) : picked.delete(id));
  return el(
    "li",
    {},
    el("label", { class: "check" }, box, el("span", {}, name), el("span", { class: "faint" }, detail)),
  );
}
