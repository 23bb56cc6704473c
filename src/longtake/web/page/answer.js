/** An answer: its text first; how it came about, its proof, coverage, cost and exports folded into details. */

import { threadPath } from "./api.js";
import { cited, quoted, videosOf } from "./citations.js";
import { compare } from "./compare.js";
import { copyText, el } from "./dom.js";
import { Plain, VERDICTS, many, percent, plain, span } from "./format.js";

const EXAMINED = ["subtitles", "speech", "scene_text", "sounds", "shots", "captions"];
const STATUS = { uncertain: "Not sure", abstained: "Not found", failed: "Failed" };

/** `context`: `{thread, number, videos, name(id), seek(citation)}`, and for a stored answer `{again(), edit()}`. */
export function answerOf(answer, context, details) {
  const words = answer.status === "partial" ? soFar(answer) : STATUS[answer.status];
  const badge = words ? el("p", { class: `badge ${answer.status}` }, words) : null;
  const text = answer.error ?? answer.answer;
  const said = answer.status === "uncertain" && text.includes(answer.option?.text); // "Probably B: …"
  return el(
    "div",
    { class: "answer" },
    badge,
    el("p", { class: "text" }, ...cited(text, answer, context)),
    answer.option && !said ? chosen(answer.option) : null,
    answer.closest.length ? closestOf(answer, context) : null,
    actions(answer, context),
    details,
  );
}

/** What an answer is that is given while not everything was examined. */
function soFar({ claims, closest }) {
  if (closest.length) return "Not sure so far";
  return claims.length ? "Partial answer" : "Not found so far";
}

/** The chosen option, and whether the video proves it. */
function chosen({ letter, text, supported }) {
  const kind = supported ? "supported" : "not_shown";
  const words = supported === null ? null : el("span", { class: `flag verdict ${kind}` }, supported ? "proven" : "not proven");
  return el("p", { class: "chosen-option" }, el("strong", {}, `${letter}. ${text}`), " ", words);
}

/** What stands behind an answer, folded; `log` lists its steps. */
export function detailsOf(answer, context, log) {
  return el(
    "details",
    { class: "details" },
    el("summary", {}, "Details"),
    answer.claims.length ? proofOf(answer, context) : null,
    log,
    examined(answer.coverage),
    receipt(answer),
    links(answer, context),
  );
}

/** The closest lines of an uncertain answer: places to look at, which prove nothing. */
function closestOf(answer, context) {
  const places = placesOf(answer);
  const rows = quoted(places, context, videosOf(places, context).length > 1, answer.answer);
  return el("section", { class: "closest", "aria-label": "Closest lines" }, el("ul", { class: "places" }, ...rows));
}

function placesOf({ closest }) {
  return closest.map(({ text, ...place }) => ({ ...place, quote: text }));
}

function proofOf({ claims }, context) {
  const several = videosOf(claims.flatMap(({ citations, against }) => [...citations, ...against]), context).length > 1;
  const rows = claims.map((claim) => {
    const verdict = el("span", { class: `verdict ${claim.verdict}` }, VERDICTS[claim.verdict]);
    const places = quoted(claim.citations, context, several, claim.text);
    const against = quoted(claim.against, context, several);
    for (const row of against) row.prepend(el("span", { class: "problem" }, "against"));
    const reason = claim.reason ? el("p", { class: "faint" }, claim.reason) : null;
    return el("li", {}, el("p", {}, verdict, claim.text), reason, el("ul", { class: "places" }, ...places, ...against));
  });
  return el("section", { class: "proof", "aria-label": "Claims" }, el("ul", {}, ...rows));
}

/** How much of the timeline was examined, by layer. */
function examined(coverage) {
  const deaf = coverage.sounds && !coverage.subtitles; // speech may be missing, or only partly recognised
  const shown = EXAMINED.filter((name) => coverage[name] || (name === "speech" && deaf));
  if (!shown.length) return null;
  const parts = shown.map((name) => {
    const bar = el("span", { class: "part", "aria-hidden": "true" }, el("span"));
    bar.firstChild.style.transform = `scaleX(${coverage[name] ?? 0})`;
    return el("li", {}, bar, `${Plain(name)} `, el("span", { class: "faint" }, percent(coverage[name] ?? 0)));
  });
  return el("ul", { class: "coverage", "aria-label": "Share of the timeline examined" }, ...parts);
}

function receipt({ usage, offline }) {
  const tokens = usage.input_tokens + usage.output_tokens;
  const parts = [`${usage.seconds.toFixed(1)} s`, many(usage.rounds, "round"), many(usage.tool_calls, "tool call")];
  if (tokens)
    parts.push(`${usage.input_tokens.toLocaleString("en")} tokens in, ${usage.output_tokens.toLocaleString("en")} out`);
  if (usage.cost) parts.push(`cost ${usage.cost.toPrecision(2)}`);
  if (offline) parts.push("offline");
  return el("p", { class: "faint receipt" }, parts.join(" · "));
}

function actions(answer, context) {
  const places = [...answer.citations, ...placesOf(answer)];
  const several = videosOf(places, { videos: [] }).length > 1;
  const button = (label, onclick, name = "") => el("button", { class: `quiet ${name}`, type: "button", onclick }, label);
  return el(
    "div",
    { class: "row actions" },
    button("Copy", () => copy(answer, places, context.name)),
    context.again ? button("Ask again", context.again) : null,
    context.edit ? button("Edit question", context.edit, "edit") : null,
    several ? button("Compare", () => compare(answer.question, places, context)) : null,
  );
}

function links(answer, { thread, number }) {
  const turn = `${threadPath(thread)}/turns/${number}`;
  const link = (label, href, more = {}) => el("a", { href, class: "quiet", ...more }, label);
  const saved = number !== null && number !== undefined;
  const chaptered = saved && answer.citations.length && answer.status !== "uncertain";
  return el(
    "div",
    { class: "row actions" },
    saved && answer.trace ? link("Evidence pack", `${turn}/pack`, { download: true }) : null,
    chaptered ? link("Chapters", `${turn}/chapters`, { download: "chapters.txt" }) : null,
    chaptered ? link("Chapters (VTT)", `${turn}/chapters?format=vtt`, { download: "chapters.vtt" }) : null,
    answer.trace ? link("Trace", `/api/traces/${answer.trace}`, { target: "_blank", rel: "noopener" }) : null,
  );
}

function copy(answer, cited, name) {
  const places = cited.map(
    (cite) => `  ${name(cite.video)} ${span(cite.start, cite.end)}  ${plain(cite.modality)}  ${cite.quote}`,
  );
  copyText([answer.question, "", answer.error ?? answer.answer, ...places].join("\n"), "Answer copied.");
}
