"""Turns a judged draft into the text of an answer: as it was written, with times for marks, and doubts marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from longtake.agent.drafts.cited import CitationMark, held, marks_in, stated_times
from longtake.agent.drafts.draft import ABSTENTION
from longtake.agent.drafts.statements import ReadDraft, Statement
from longtake.memory.records import Citation, Claim, Moment, Verdict
from longtake.memory.timespan import TimeSpan, clock, joined

_MOST_ADDED = 4  # times that a judge adds to one statement
_MOST_CITED = 12  # times of one mark, which may be a range of ids
_SECOND = 1.0  # by which a time may be off
_FOLLOWS = 5.0  # seconds after a line in which the next one begins
FLAGS: Mapping[Verdict, str] = {"not_shown": "[not shown]", "contradicted": "[contradicted]"}
# The end of a text that may become a mark, with the space before it.
_MAY_BE_MARK = re.compile(r"\s*(?:\([^()\n]{0,120}|[\[【][^\[\]【】\n]{0,120}|(?<![\w.])m\d{0,6})?\Z", re.IGNORECASE)
_LEFT = re.compile(r"[\[(][^\[\]()\n]*\bm\d+\b[^\[\]()\n]*[\])]")
_BRACKETS = re.compile(r"(\[[^\]]*\])")
ID = re.compile(r"[\[(]?\b([mc]\d+)\b[\])]?", re.IGNORECASE)
_MAY_ABSTAIN = re.compile(r"[\s*_#>(\[]*(\w*[ _]?\w*)\Z")


def published(
    read: ReadDraft,
    claims: Sequence[Claim],
    moments: Mapping[str, Moment],
    names: Mapping[str, str],
    *,
    strict: bool = False,
) -> str:
    """The text of an answer.

    Args:
        read: the draft, its statements and marks.
        claims: the statements, judged, in their order.
        moments: those of the run, by id.
        names: file names of the open videos, if there are several.
        strict: leave out what isn't supported, instead of marking it.
    """
    text = read.text
    said = {mark: next((each.text for each in read.statements if each.holds(mark.end)), "") for mark in read.marks}
    edits = [(mark.start, mark.end, _text_of_mark(mark, said[mark], moments, names)) for mark in read.marks]
    for statement, claim in zip(read.statements, claims, strict=True):
        if statement.start < 0:
            continue
        flag = FLAGS.get(claim.verdict)
        if strict and claim.verdict != "supported":
            edits = [edit for edit in edits if not statement.holds(edit[1])]
            edits.append((*_cut(text, statement.start, statement.end), ""))
            continue
        own = statement.shares or any(statement.holds(mark.end) for mark in read.marks)
        untold = () if own else _citations_without_time(claim.citations, statement.text, names, spanned=True)
        end = _before_border(text, statement.end)
        stop = end - 1 if text[end - 2 : end - 1] not in ("", ".") and text[end - 1] in ".。" else end
        shown, doubt = marks(untold, names, _MOST_ADDED), f" {flag}" if flag else ""
        edits += [(stop, stop, shown), (end, end, doubt)] if stop < end else [(end, end, shown + doubt)]
    out, at, told_here = "", 0, set[str]()
    for start, end, replacement in sorted(edits):
        if text[at:start].strip():
            told_here.clear()
        new = "".join(part for part in _BRACKETS.split(replacement) if part not in told_here)
        told_here.update(_BRACKETS.findall(replacement))
        out += text[at:start]
        out, at = out + _set_in(out, text[start : start + 1], new), end
    out = _LEFT.sub(lambda match: _for_ids(match, moments, names), out + text[at:])
    told = any(each.start >= 0 and claim.citations for each, claim in zip(read.statements, claims, strict=True))
    if not told and not any(mark.ids or mark.times for mark in read.marks):
        out += _elsewhere(read.statements, claims, names)
    return out.strip()


def _text_of_mark(mark: CitationMark, said: str, moments: Mapping[str, Moment], names: Mapping[str, str]) -> str:
    """What stands for a mark: its times, and those of its ids that `said` doesn't tell, in order."""
    times = "".join(time.told(names) for time in mark.times)
    ids = _citations_without_time([Citation.of(moments[name]) for name in mark.ids], said + times, names)
    shown = "".join(sorted(_BRACKETS.findall(times + marks(ids, names))))
    return f" {shown}" if shown else ""


def _citations_without_time(
    citations: Sequence[Citation], said: str, names: Mapping[str, str], *, spanned: bool = False
) -> list[Citation]:
    """The citations at which no time of a text points; of several videos, none behind the name of its file.

    `spanned` leaves out those that begin within a span of the text, too.
    """
    left = []
    for each in citations:
        behind = said.split(f"{names[each.video]} ")[1:] if each.video in names else [said]
        for other in (f"{name} " for video, name in names.items() if video != each.video):
            behind = [part.split(other)[0] for part in behind]
        told = [span for part in behind for span in stated_times(part)]
        within = spanned and any(span.start <= each.start < span.end for span in told)
        if not within and not any(each.start - _SECOND <= span.start < each.end for span in told):
            left.append(each)
    return left


def _for_ids(match: re.Match[str], moments: Mapping[str, Moment], names: Mapping[str, str]) -> str:
    """The times for brackets that hold ids beside other words, such as `[m7: said]`; other brackets stay."""
    cited = [Citation.of(moments[name]) for name in re.findall(r"\bm\d+\b", match[0]) if name in moments]
    return marks(cited, names).strip() if cited else match[0]


def _set_in(before: str, replaced: str, shown: str) -> str:
    """What is shown for a mark, after a space if there was one or if a word would touch it."""
    touches = before[-1:] not in ("", "\n", "]", "】")
    return f" {shown.lstrip()}" if shown.strip() and (touches or replaced.isspace()) else shown.strip()


def _before_border(text: str, end: int) -> int:
    """The end of a statement: that of a row of a table lies before its last border, or what is added wouldn't show."""
    return len(text[: end - 1].rstrip()) if text[:end].endswith("|") else end


def _cut(text: str, start: int, end: int) -> tuple[int, int]:
    """What is left out with a statement: the space before it, or the end of a line that it has for itself."""
    if start > 0 and text[start - 1] == " ":
        return start - 1, end
    alone = text[end : end + 1] == "\n" and (start == 0 or text[start - 1] == "\n")
    return start, end + 1 if alone else end


def live(told: Callable[[str], None], moments: Mapping[str, Moment], names: Mapping[str, str]) -> Callable[[str], None]:
    """A function that takes the pieces of a draft while it is written, and passes them on with times in place of marks.

    Args:
        told: gets an empty piece before each new draft, then its pieces. Brackets come once they are closed.
        moments: those of the run, by id.
        names: file names of the open videos.
    """
    several = names if len(names) > 1 else {}
    raw, at, opened = "", 0, False

    def take(piece: str) -> None:
        nonlocal raw, at, opened
        if not piece:
            raw, at, opened = "", 0, False
            return
        raw += piece
        begun = at or _beginning(raw)
        unsure = _MAY_BE_MARK.search(raw, begun)
        end = unsure.start() if unsure else len(raw)
        if end <= begun:
            return
        line = raw.rfind("\n", 0, begun) + 1  # quotations, which hold no marks, end with their line
        out, place, before = "", begun, 0
        for mark in marks_in(raw[line:end], moments, names):
            if line + mark.start >= begun:
                times = _text_of_mark(held(mark, moments), raw[line + before : line + mark.start], moments, several)
                out += raw[place : line + mark.start]
                out += _set_in(raw[line:begun] + out, raw[line + mark.start], times)
                place = line + mark.end
            before = mark.end
        if text := out + raw[place:end]:
            if not opened:
                told("")
            told(text)
            opened = True
        at = end

    return take


def _beginning(raw: str) -> int:
    """Where the text of a draft begins, of which this is the first part: it ends there while that is unclear."""
    abstains = ABSTENTION.match(raw)
    if abstains:
        return abstains.end()
    words = _MAY_ABSTAIN.match(raw)
    unclear = words and "not found".startswith(words[1].casefold().replace("_", " "))
    return len(raw) if unclear else len(raw) - len(raw.lstrip())


def marks(citations: Sequence[Citation], names: Mapping[str, str], most: int = _MOST_CITED) -> str:
    """The times of citations in brackets, with a space before them; facts about a whole recording have none.

    Of many, those of lines that follow each other are one span.

    Args:
        citations: in any order.
        names: file names of the open videos, if there are several.
        most: times to print.
    """
    videos = list(dict.fromkeys(each.video for each in citations))
    placed = sorted(
        (each for each in citations if each.modality != "metadata"),
        key=lambda each: (videos.index(each.video), each.start),
    )
    shown = list(dict.fromkeys((each.video, clock(each.start)) for each in placed))
    if len(shown) > _MOST_ADDED:
        spans = {
            video: [TimeSpan(start=each.start, end=each.end) for each in placed if each.video == video]
            for video, _ in shown
        }
        shown = [
            (video, clock(whole.start) if whole in spans[video] else str(whole))
            for video in spans
            for whole in joined(spans[video], _FOLLOWS)
        ]
    told = [f"[{names.get(video, '')} {when}]".replace("[ ", "[") for video, when in shown]
    return f" {''.join(told[:most])}" if told else ""


def with_times(reason: str, moments: Mapping[str, Moment], names: Mapping[str, str]) -> str:
    """What a judge says, with times for the ids of moments.

    Args:
        reason: as the judge wrote it.
        moments: by id.
        names: file names of the open videos, if there are several.
    """

    def told(match: re.Match[str]) -> str:
        moment = moments.get(match[1].lower())
        if moment is None:
            return match[0]
        return marks((Citation.of(moment),), names).strip() or "the file"

    return ID.sub(told, reason)


def _elsewhere(statements: Sequence[Statement], claims: Sequence[Claim], names: Mapping[str, str]) -> str:
    """The times of claims that the text doesn't say, for a text without any of its own."""
    cited = [
        citation
        for statement, claim in zip(statements, claims, strict=True)
        if claim.verdict in ("supported", "unchecked")
        for citation in claim.citations
    ]
    return marks(tuple(dict.fromkeys(cited)), names, _MOST_ADDED)
