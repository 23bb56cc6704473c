/** Uploads in progress, with their subtitles, and those interrupted by a reload. */

import { api } from "./api.js";
import { byId, el, fill, meter, notice } from "./dom.js";
import { over } from "./events.js";
import { bytes, percent } from "./format.js";
import { discard, send, state, unfinished, uploadOf } from "./sending.js";

let turn = Promise.resolve(); // files are sent one at a time: each finishes sooner, and stays within the server's limit

const SPEED_OVER = 3; // seconds over which the speed is measured

/** Whether a file is one of subtitles or a transcript, by its name. */
const isTranscript = ({ name }) => /\.(srt|vtt|ass|ssa|ttml|dfxp|sbv|lrc|json3|txt)$/i.test(name);

/** Take files from the picker and from drops on the page; `arrived` is called with the id of each new video. */
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
  offerToResume();
}

function begin(files, arrived) {
  const videosFirst = files.toSorted((one, other) => isTranscript(one) - isTranscript(other));
  for (const file of videosFirst) {
    if (!file.size) {
      rowOf(file.name).fail("The file is empty.");
      continue;
    }
    byId(`upload-${uploadOf(file)}`)?.remove(); // its offer to resume
    turn = turn.then(sender(file, arrived));
  }
}

/** Add a row for a queued file. Returns a function that sends it. */
function sender(file, arrived) {
  const stop = new AbortController();
  const row = rowOf(file.name);
  row.item.setAttribute("data-sending", "");
  row.say("Waiting for other uploads");
  row.act("Cancel", () => {
    stop.abort();
    row.item.remove();
  });
  const speed = speedometer();
  const report = ({ offset, waiting, problem }) => {
    if (waiting) return row.say(`${problem} Retrying in ${waiting} s.`);
    row.show(offset / file.size, `${bytes(offset)} of ${bytes(file.size)}${speed(offset)}`);
  };
  return async () => {
    try {
      stop.signal.throwIfAborted();
      row.say("Uploading");
      const video = await send(file, report, stop.signal);
      row.item.remove();
      arrived(video);
      const taken = await api(`/api/videos/${video}`);
      if (isTranscript(file) && !taken.transcript) notice(`Subtitles added to ${taken.name}.`);
      else noteSame(file.name, taken);
    } catch (error) {
      if (!stop.signal.aborted) return row.fail(error.message);
      const id = uploadOf(file);
      if (id) await discard(id).catch((error) => notice(error.message));
    }
  };
}

/** Say so if a file that was added is one that the library has, perhaps under another name. */
export function noteSame(name, { name: known, complete, progress }) {
  if (known !== name) notice(`${name} has the same bytes as ${known}, which is in the library already.`);
  else if (complete && (!progress || over(progress))) notice(`${name} is in the library already.`);
}

/** A browser forgets files when a page is left: they must be chosen again, and then resume. */
async function offerToResume() {
  for (const [id, { name, size }] of Object.entries(unfinished())) {
    const existing = await state(id).catch(() => null);
    if (!existing || existing.video) continue;
    const row = rowOf(name);
    row.item.id = `upload-${id}`;
    const share = existing.offset / size;
    row.show(share, `Interrupted at ${percent(share)}. Choose the file again to resume.`);
    row.act("Choose the file", () => byId("files").click());
    row.act("Discard", async () => {
      await discard(id).catch((error) => notice(error.message));
      row.item.remove();
    });
  }
}

/** A row that shows the progress of what is under way. */
export function rowOf(name) {
  const bar = meter(0, `Progress of ${name}`);
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

/** Returns a function that gives the recent speed as text. */
function speedometer() {
  const seen = [];
  return (offset) => {
    const now = performance.now() / 1000;
    seen.push([now, offset]);
    while (seen.length > 2 && now - seen[1][0] > SPEED_OVER) seen.shift();
    const [before, from] = seen[0];
    return now - before > 0.5 ? `, ${bytes((offset - from) / (now - before))}/s` : "";
  };
}
