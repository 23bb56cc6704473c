/** Who or what a video shows, names or lets speak: a row with its places, and with another name if it needs one. */

import { confirmed, el } from "./dom.js";
import { clock } from "./format.js";

const FIRST = 8; // places that are shown at once
const LONGEST = 100; // characters of a name
const KINDS = { name: "mentioned" };

/** What a row says, except its places. */
export const wordsOf = ({ name, kind, aliases, looks }) => [name, KINDS[kind] ?? kind, ...aliases, looks].join(" ");

/**
 * The row of an entity.
 * @param act `{seek(seconds), rename(name, other)}`; an empty other name takes it out; resolves to whether that was done
 */
export function entityRow(entity, act) {
  const { name, kind, aliases, looks, spans, trusted } = entity;
  const doubt = trusted ? "" : el("em", {}, "perhaps");
  const facts = [KINDS[kind] ?? kind, doubt, aliases.length ? `also ${aliases.join(", ")}` : "", looks]
    .filter(Boolean)
    .flatMap((fact, number) => (number ? [" · ", fact] : [fact]));
  const change = el("button", { class: "quiet", type: "button", "aria-label": `Rename ${name}` }, "Rename");
  const words = el("p", {}, el("strong", {}, name), " ", el("span", { class: "faint" }, ...facts));
  const head = el("div", { class: "head" }, words, change);
  const shown = () => (form.replaceWith(head), change.focus());
  const form = renaming(name, act.rename, shown);
  change.onclick = () => (head.replaceWith(form), form.elements.name.select());
  return el("li", { class: "entity" }, head, el("div", { class: "row" }, ...places(name, spans, act.seek)));
}

function places(name, spans, seek) {
  const chips = spans.map(({ start }) =>
    el(
      "button",
      { class: "chip", type: "button", "aria-label": `Play ${name} at ${clock(start)}`, onclick: () => seek(start) },
      clock(start),
    ),
  );
  const [rest, left] = [chips.slice(FIRST), chips.length - FIRST];
  if (left < 2) return chips;
  const unfold = () => (more.replaceWith(...rest), rest[0].focus());
  const label = `${left} more places of ${name}`;
  const more = el("button", { class: "quiet", type: "button", "aria-label": label, onclick: unfold }, `${left} more`);
  return [...chips.slice(0, FIRST), more];
}

function renaming(name, rename, done) {
  const field = el("input", {
    name: "name",
    "aria-label": `New name of ${name}`,
    value: name,
    required: true,
    maxlength: LONGEST,
    pattern: ".*[\\p{L}\\p{N}].*",
    title: "A name has letters or digits. That of another entry joins the two.",
    autocomplete: "off",
  });
  const give = async (other) => {
    if (other === name) return done();
    all.disabled = true;
    if (await rename(name, other)) return; // the list is new
    all.disabled = false;
    field.focus();
  };
  const takeOut = async () => {
    const facts = { Removed: "This entry, and what search finds by it.", Kept: "What is said and shown." };
    if (await confirmed(`Take “${name}” out?`, facts, "Take out")) give("");
  };
  const all = el(
    "fieldset",
    { class: "row" },
    field,
    el("button", { class: "primary" }, "Save"),
    el("button", { type: "button", onclick: done }, "Cancel"),
    el("button", { class: "quiet", type: "button", "aria-label": `Not there: ${name}`, onclick: takeOut }, "Not there"),
  );
  return el(
    "form",
    {
      onsubmit: (event) => (event.preventDefault(), give(field.value.trim())),
      onkeydown: ({ key }) => key === "Escape" && done(),
    },
    all,
    el("p", { class: "faint" }, "The name of another entry joins the two."),
  );
}
