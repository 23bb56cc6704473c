/** Elements, and small helpers that every view uses. */

export const byId = (id) => document.getElementById(id);

/** Make an element; strings become text, never markup. Attributes such as `onclick` become listeners. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A sentence as nodes: what stands between backticks is typed in a terminal. */
export const coded = (text) => text.split("`").map((part, place) => (place % 2 ? el("code", {}, part) : part));

/** Show a message for a few seconds. */
export function notice(sentence) {
  const box = byId("notice");
  box.replaceChildren(...coded(sentence));
  box.hidden = false;
  clearTimeout(notice.timer);
  notice.timer = setTimeout(() => (box.hidden = true), 8000);
}

/** Do something that may fail, and show the reason if it does. Returns its result, or undefined. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    notice(error.message);
    return undefined;
  }
}

/** Announce something to screen readers. */
export function announce(text) {
  byId("live").textContent = text;
}

/** Ask before something is lost; `facts` says what, and what stays, as pairs of a word and a sentence. */
export function confirmed(question, facts, act = "Delete") {
  const dialog = byId("confirm");
  byId("confirm-words").textContent = question;
  byId("confirm-facts").replaceChildren(
    ...Object.entries(facts).map(([name, words]) => el("div", {}, el("dt", {}, name), el("dd", {}, words))),
  );
  byId("confirm-yes").textContent = act;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

for (const button of document.querySelectorAll("#confirm button")) {
  button.addEventListener("click", () => byId("confirm").close(button.value));
}

/** Copy text, and say so. */
export async function copyText(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    notice(said);
  } catch {
    notice("The browser blocked copying: open the page over https or on localhost.");
  }
}

/** A progress bar, `share` (0 to 1) full. */
export function meter(share, label) {
  const bar = el("div", {
    class: "meter",
    role: "progressbar",
    "aria-label": label,
    "aria-valuemin": 0,
    "aria-valuemax": 100,
  });
  bar.append(el("div"));
  fill(bar, share);
  return bar;
}

/** Set the share of a progress bar. */
export function fill(bar, share) {
  bar.setAttribute("aria-valuenow", Math.round(share * 100));
  bar.firstChild.style.transform = `scaleX(${Math.min(1, Math.max(0, share))})`;
}
