/** The uploads that are on their way, and those that a reload broke off. */

import { byId, el, fill, meter, notice } from "./dom.js";
import { bytes, percent } from "./format.js";
import { discard, send, state, unfinished, uploadOf } from "./sending.js";

let turn = Promise.resolve(); // files are sent one after the other: each gets there sooner, and none is one too many

const SPEED_OVER = 3; // seconds over which the speed is measured

/** Take files from the picker and from what is dropped on the page; `arrived` is given the id of each new video. */
export function watchFiles(arrived) {
  const picker = byId("files");
  byId("pick").onclick = () => picker.click();
  picker.onchange = () => {
    begin([...picker.files], arrived);
    picker.value = "";
  };
  const carries = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => event.relatedTarget ?? document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    location.hash = "#/";
    begin([...event.dataTransfer.files], arrived);
  });
  addEventListener("beforeunload", (event) => {
    if (byId("uploads").querySelector("[data-sending]")) event.preventDefault();
  });
  offerToGoOn();
}

function begin(files, arrived) {
  for (const file of files) {
    const reason = refusal(file);
    if (reason) {
      rowOf(file.name).fail(reason);
      continue;
    }
    byId(`upload-${uploadOf(file)}`)?.remove(); // what was offered is taken up
    turn = turn.then(sender(file, arrived));
  }
}

/** Why a file is not sent at all, if it is not. */
function refusal({ name, size }) {
  if (/\.(srt|vtt|ass|ssa)$/i.test(name))
    return "Subtitles are read where they lie beside their video: add both from a folder (`serve --folder`).";
  return size ? null : "The file is empty.";
}

/** A row for a file that waits for its turn. Returns what sends it, when that has come. */
function sender(file, arrived) {
  const stop = new AbortController();
  const row = rowOf(file.name);
  row.item.setAttribute("data-sending", "");
  row.say("Waiting for the files before it");
  row.act("Cancel", () => {
    stop.abort();
    row.item.remove();
  });
  const speed = speedometer();
  const told = (news) => {
    if (news.waiting) return row.say(`${news.problem} Trying again in ${news.waiting} s.`);
    row.show(news.offset / file.size, `${bytes(news.offset)} of ${bytes(file.size)}${speed(news.offset)}`);
  };
  return async () => {
    try {
      stop.signal.throwIfAborted();
      row.say("Uploading");
      const video = await send(file, told, stop.signal);
      row.item.remove();
      arrived(video);
    } catch (error) {
      if (!stop.signal.aborted) return row.fail(error.message);
      const begun = uploadOf(file);
      if (begun) await discard(begun).catch((error) => notice(error.message));
    }
  };
}

/** A browser forgets files when a page is left: they have to be chosen again, and go on where they were. */
async function offerToGoOn() {
  for (const [id, { name, size }] of Object.entries(unfinished())) {
    const there = await state(id).catch(() => null);
    if (!there || there.video) continue;
    const row = rowOf(name);
    row.item.id = `upload-${id}`;
    row.show(there.offset / size, `Broke off at ${percent(there.offset / size)}. Choose the file again to go on.`);
    row.act("Choose the file", () => byId("files").click());
    row.act("Discard", async () => {
      await discard(id).catch((error) => notice(error.message));
      row.item.remove();
    });
  }
}

function rowOf(name) {
  const bar = meter(0, `Upload of ${name}`);
  const words = el("p", { class: "faint" });
  const buttons = el("div", { class: "row" });
  const item = el(
    "li",
    { class: "job" },
    el("div", { class: "job-head" }, el("strong", {}, name), buttons),
    bar,
    words,
  );
  const say = (text) => (words.textContent = text);
  byId("uploads").append(item);
  byId("under-way").hidden = false;
  return {
    item,
    say,
    act: (label, action) =>
      buttons.append(el("button", { class: "quiet", "aria-label": `${label}: ${name}`, onclick: action }, label)),
    show: (share, text) => (fill(bar, share), say(text)),
    fail: (reason) => {
      item.removeAttribute("data-sending");
      words.className = "problem";
      say(reason);
      buttons.replaceChildren(el("button", { class: "quiet", onclick: () => item.remove() }, "Dismiss"));
    },
  };
}

/** The speed of late, as words. */
function speedometer() {
  const seen = [];
  return (offset) => {
    const now = performance.now() / 1000;
    seen.push([now, offset]);
    while (seen.length > 2 && now - seen[1][0] > SPEED_OVER) seen.shift();
    const [before, from] = seen[0];
    return now - before > 0.5 ? `, ${bytes((offset - from) / (now - before))} a second` : "";
  };
}
