/** A dialog with a list to choose from: files of allowed folders, videos of the library. */

import { byId, el } from "./dom.js";
import { many } from "./format.js";

const SHOWN = 200; // maximum rows; the filter finds the others
const RETRY = 1500; // milliseconds after which a picture is asked for again: the server decodes few at once

/**
 * Show the dialog and wait until it closes.
 *
 * @param items `{id, name, detail, folder, picture, taken}` objects: `folder` with slashes, if the list has folders;
 *   `picture` an address; `taken` why it can't be chosen
 * @param chosen ids chosen initially
 * @returns the chosen ids in the order of the list, or null if it was left
 */
export function choose(title, items, chosen = []) {
  const dialog = byId("chooser");
  const filter = byId("chooser-filter");
  const all = byId("chooser-all");
  const picked = new Set(chosen);
  const top = common(items);
  let folder = top;
  const words = () => filter.value.trim().toLowerCase();
  const beneath = () => items.filter((item) => within(item.folder, folder) && item.name.toLowerCase().includes(words()));
  const count = () => {
    const free = beneath().filter(({ taken }) => !taken);
    const on = free.filter(({ id }) => picked.has(id)).length;
    all.checked = on > 0 && on === free.length;
    all.indeterminate = on > 0 && on < free.length;
    all.disabled = !free.length;
    byId("chooser-all-words").textContent = `Select all (${free.length})`;
    byId("chooser-count").textContent = `${picked.size} selected`;
  };
  const enter = (into) => {
    folder = into;
    show();
    byId("chooser-list").querySelector("button, input")?.focus();
  };
  const show = () => {
    const found = beneath();
    // A filter looks into the folders beneath.
    const here = words() ? found : found.filter((item) => (item.folder ?? "") === folder);
    const inner = words() ? [] : foldersIn(found, folder);
    byId("chooser-list").replaceChildren(
      ...inner.map(([path, size]) => folderRow(path, size, enter)),
      ...here.slice(0, SHOWN).map((item) => row(item, picked, count)),
    );
    if (here.length > SHOWN)
      byId("chooser-list").append(el("li", { class: "faint" }, `and ${here.length - SHOWN} more: filter by name`));
    if (!here.length && !inner.length) byId("chooser-list").append(el("li", { class: "faint" }, "No matches."));
    byId("chooser-path").replaceChildren(...crumbs(top, folder, enter));
    byId("chooser-path").hidden = !folder && !top;
    count();
  };
  all.onchange = () => {
    for (const { id, taken } of beneath()) if (!taken) all.checked ? picked.add(id) : picked.delete(id);
    show();
  };
  byId("chooser-title").textContent = title;
  filter.value = "";
  filter.oninput = show;
  byId("chooser-done").onclick = () => dialog.close("done");
  byId("chooser-cancel").onclick = () => dialog.close();
  dialog.returnValue = "";
  show();
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => resolve(dialog.returnValue ? items.map(({ id }) => id).filter((id) => picked.has(id)) : null);
    dialog.addEventListener("close", closed, { once: true });
  });
}

const within = (path = "", folder) => path === folder || !folder || path.startsWith(`${folder}/`);

/** The folder that holds every item; empty if there are several, or none. */
function common(items) {
  const paths = items.map(({ folder = "" }) => folder.split("/"));
  const [first = []] = paths;
  const length = first.findIndex((part, at) => paths.some((path) => path[at] !== part));
  return (length < 0 ? first : first.slice(0, length)).join("/");
}

/** The folders directly in a folder, each with how many items are beneath it. */
function foldersIn(items, folder) {
  const counts = new Map();
  for (const { folder: path = "" } of items) {
    if (path === folder) continue;
    const [name] = path.slice(folder ? folder.length + 1 : 0).split("/");
    const inner = folder ? `${folder}/${name}` : name;
    counts.set(inner, (counts.get(inner) ?? 0) + 1);
  }
  return [...counts];
}

function crumbs(top, folder, enter) {
  const steps = folder.slice(top.length).split("/").filter(Boolean);
  const paths = [top, ...steps.map((_, at) => [top, ...steps.slice(0, at + 1)].filter(Boolean).join("/"))];
  return paths.map((path, at) => {
    const name = path.split("/").at(-1) || "All folders";
    const last = at === paths.length - 1;
    return last
      ? el("span", { class: "crumb", "aria-current": "page" }, name)
      : el("button", { class: "quiet", type: "button", onclick: () => enter(path) }, `${name} /`);
  });
}

function folderRow(path, size, enter) {
  const name = path.split("/").at(-1);
  const words = el("span", { class: "faint" }, many(size, "file"));
  return el("li", {}, el("button", { class: "folder", type: "button", onclick: () => enter(path) }, `${name}/`, words));
}

function row({ id, name, detail, picture, taken }, picked, changed) {
  const box = el("input", { type: "checkbox", name: "pick", disabled: Boolean(taken) });
  box.checked = picked.has(id);
  box.onchange = () => {
    box.checked ? picked.add(id) : picked.delete(id);
    changed();
  };
  const words = el("span", { class: "chooser-words" }, el("span", {}, name), el("span", { class: "faint" }, taken ? `${detail} · ${taken}` : detail));
  return el("li", {}, el("label", { class: "check" }, box, picture ? thumbnail(picture) : null, words));
}

/** A picture that is fetched when it comes into view, and once more if the server was busy. */
function thumbnail(address) {
  const image = el("img", { src: address, alt: "", loading: "lazy", width: 80, height: 45 });
  image.onerror = () => {
    image.onerror = () => (image.className = "absent");
    setTimeout(() => (image.src = `${address}#again`), RETRY);
  };
  return image;
}
