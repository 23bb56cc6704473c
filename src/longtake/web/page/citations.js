/** Citations: chips that seek and play, in the text of an answer and under its claims; and flags of what is doubted. */

import { coded, el } from "./dom.js";
import { VERDICTS, cut, plain, span } from "./format.js";

const MARK = /\[([^\[\]]*\d:\d\d[^\[\]]*|not shown|contradicted)\]/g;
const FLAGS = { "not shown": "not_shown", contradicted: "contradicted" };
const TIME = /(\d+):(\d\d):(\d\d)(?:\.\d+)?/g;

/** The videos (ids) of a chat and of these citations: a chat may have had other videos when it was asked. */
export const videosOf = (citations, { videos }) => [...new Set([...videos, ...citations.map(({ video }) => video)])];

/** The text of an answer as nodes; the times in brackets become chips, and verdicts become badges with their reason. */
export function cited(text, { citations, claims }, context) {
  const nodes = [];
  const left = claims.filter(({ verdict }) => Object.values(FLAGS).includes(verdict));
  let done = 0;
  for (const mark of text.matchAll(MARK)) {
    const verdict = FLAGS[mark[1]];
    const shown = verdict ? [flag(verdict, left, text.slice(0, mark.index))] : chips(mark[1], citations, context);
    nodes.push(...strong(text.slice(done, mark.index)), ...shown);
    done = mark.index + mark[0].length;
  }
  nodes.push(...strong(text.slice(done)));
  return nodes;
}

/** A text as nodes: what a model writes between two pairs of asterisks is bold, what stands in backticks is code. */
const strong = (text) =>
  text.split(/\*\*([^*\n]+)\*\*/).flatMap((part, place) => (place % 2 ? [el("strong", {}, part)] : coded(part)));

/** A badge behind a statement; `left` are the doubted claims that have none yet, `before` is the text up to here. */
function flag(verdict, left, before) {
  const said = bare(before.replaceAll(MARK, " "));
  const told = (claim) => bare(claim.text.replaceAll(MARK, " "));
  const place = left.findIndex((claim) => claim.verdict === verdict && said.endsWith(told(claim)));
  const [claim] = place < 0 ? [] : left.splice(place, 1);
  return el("span", { class: `flag verdict ${verdict}`, title: claim?.reason || null }, VERDICTS[verdict].toLowerCase());
}

const bare = (text) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();

/** The chip of a citation. */
export function chip(citation, { name, seek }, several = false) {
  const words = span(citation.start, citation.end);
  const label = `Play ${name(citation.video)} ${words}${citation.quote ? `: ${cut(citation.quote, 120)}` : ""}`;
  const shown = several ? `${cut(name(citation.video), 24)} ${words}` : words;
  return el(
    "button",
    { class: "chip", type: "button", title: citation.quote ?? "", "aria-label": label, onclick: () => seek(citation) },
    shown,
  );
}

/** Citations with their quotes, a line for each place; a quote that `said` above already contains isn't repeated. */
export function quoted(citations, context, several, said = "") {
  const above = bare(said);
  const place = ({ video, start, end, modality }) => [video, start, end, modality].join(" ");
  return Object.values(Object.groupBy(citations, place)).map((here) => {
    const kind = el("span", { class: "faint" }, plain(here[0].modality));
    return el(
      "li",
      {},
      chip(here[0], context, several),
      ...here.filter(({ quote }) => !above.includes(bare(quote))).map(({ quote }) => el("q", {}, cut(quote, 200))),
      kind,
    );
  });
}

/** The chips for one pair of brackets, which contains times and, if there are several videos, the name of one. */
function chips(inside, citations, context) {
  const times = [...inside.matchAll(TIME)].map(
    ([, hours, minutes, seconds]) => Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds),
  );
  const videos = videosOf(citations, context);
  const named = videos.find((video) => inside.startsWith(`${context.name(video)} `));
  const at = (time) => citations.find(({ video, start }) => Math.floor(start) === time && (!named || video === named));
  const begin = inside.includes("-") ? times.slice(0, 1) : times;
  return begin.map((time) => {
    const citation = at(time) ?? { video: named ?? videos[0], start: time, end: times.at(-1) };
    return chip(citation, context, videos.length > 1);
  });
}
