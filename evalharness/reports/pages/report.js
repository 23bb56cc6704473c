"use strict";
// Sorts and filters the tables, and lists the items, whose insides come from scripts in the folder beside the page.
const at = id => document.getElementById(id);
const PAGE = 100;
const subjects = JSON.parse(at("browse").dataset.subjects);
let items = [], chosen = [], shown = 0;
const insides = new Map(), waiting = new Map();

globalThis.report = {
  items(rows) { items = rows.map((row, number) => ({...row, number})); choose(); },
  inside(file, bodies) {
    insides.set(file, bodies);
    for (const fill of waiting.get(file) ?? []) fill();
    waiting.delete(file);
  },
};

function load(name, failed) {
  const script = document.createElement("script");
  script.src = `report/${name}.js`;
  script.onerror = failed;
  document.head.append(script);
}

function choose() {
  const words = at("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const which = at("which").value, order = at("order").value;
  const allowed = {
    all: () => true,
    differ: row => new Set(row.values).size > 1,
  }[which] ?? (row => (row.values[+which] ?? 0) < 1);
  chosen = items.filter(row => {
    const text = `${row.id} ${row.question} ${row.task} ${row.video}`.toLowerCase();
    return allowed(row) && words.every(word => text.includes(word));
  });
  const key = {
    asked: row => row.number, task: row => row.task, video: row => row.video,
  }[order] ?? (row => row.values[+order] ?? -1);
  chosen.sort((one, other) => compare(key(one), key(other)) || one.number - other.number);
  at("list").replaceChildren();
  shown = 0;
  draw();
}

function draw() {
  at("list").append(...chosen.slice(shown, shown + PAGE).map(entry));
  shown = Math.min(chosen.length, shown + PAGE);
  at("found").textContent = `${chosen.length} of ${items.length} items, ${shown} shown`;
  at("more").hidden = shown === chosen.length;
}

function entry(row) {
  const item = document.createElement("details"), summary = document.createElement("summary");
  item.className = "item";
  item.id = `item-${row.id}`;
  const name = document.createElement("strong");
  name.textContent = row.id;
  const keys = at("keys").content.cloneNode(true);
  keys.querySelectorAll(".marks > span").forEach((mark, number) => {
    const value = row.values[number];
    mark.textContent = value === null ? "no score" : `${Math.round(100 * value)} %`;
  });
  summary.append(name, ` ${row.question} `, keys);
  item.append(summary);
  item.addEventListener("toggle", () => item.open && unfold(item, row), {once: true});
  return item;
}

function unfold(item, row) {
  const inside = document.createElement("div");
  item.append(inside);
  const fill = () => { inside.innerHTML = insides.get(row.file)[row.place]; };
  if (insides.has(row.file)) { fill(); return; }
  inside.textContent = "Loading ...";
  const others = waiting.get(row.file);
  waiting.set(row.file, [...others ?? [], fill]);
  if (!others) load(row.file, () => { inside.textContent = `report/${row.file}.js is missing beside this page.`; });
}

const compare = (one, other) =>
  typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));

function cell(row, column) {
  const text = row.cells[column].textContent.trim(), number = parseFloat(text);
  return Number.isNaN(number) ? text : number;
}

function sortable(table) {
  for (const head of table.querySelectorAll("thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "descending";
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows], sign = down ? 1 : -1;
      rows.sort((one, other) => sign * compare(cell(one, head.cellIndex), cell(other, head.cellIndex)));
      table.tBodies[0].append(...rows);
    });
  }
}

function filterable(table) {
  if (table.tBodies[0].rows.length < 8) return;
  const label = document.createElement("label"), words = document.createElement("input");
  words.type = "search";
  label.className = "filters";
  label.append("Rows with ", words);
  table.parentElement.before(label);
  words.addEventListener("input", () => {
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(words.value.toLowerCase());
    }
  });
}

function option(value, text) {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = text;
  return made;
}

for (const table of document.querySelectorAll("table.grid")) { sortable(table); filterable(table); }
at("which").append(option("all", "all items"), option("differ", "items on which scores differ"));
at("order").append(option("asked", "as asked"), option("task", "task"), option("video", "video"));
subjects.forEach((name, number) => {
  at("which").append(option(number, `items below 100 % of ${name}`));
  at("order").append(option(number, `score of ${name}`));
});
at("words").addEventListener("input", choose);
at("which").addEventListener("change", choose);
at("order").addEventListener("change", choose);
at("more").addEventListener("click", draw);
document.querySelector("form.filters").addEventListener("submit", event => event.preventDefault());
load("items", () => { at("found").textContent = "The folder report is missing beside this page."; });
