"""The texts of an evidence pack: `answer.md`, and the subtitles of its clips."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from longtake import __version__
from longtake.exports.places import CitedPlace
from longtake.exports.transcript import TimedLine, rendered
from longtake.memory.conversations import Exchange
from longtake.memory.records import Answer, Citation, Claim, display_name
from longtake.memory.timespan import TimeSpan

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|!~])")
_KINDS = {"jpg": "still", "mp4": "clip", "srt": "subtitles"}


def answer_text(
    exchange: Exchange, places: Sequence[CitedPlace], files: Collection[str], missing: Sequence[str]
) -> str:
    """Write `answer.md`; text from a video is escaped, so that it appears as plain text.

    Args:
        exchange: the question and its answer.
        places: those that prove it or, if it is uncertain, come closest.
        files: names of the files in the pack.
        missing: sentences that say what the pack lacks, and why.
    """
    answer = exchange.answer
    parts = [f"# {plain(answer.question)}", plain(answer.answer or answer.error or "")]
    if answer.option:
        parts.append(plain(answer.option.told))
    if places:
        title = "## Closest lines" if answer.status == "uncertain" else "## Places"
        parts += [title, "\n".join(line for place in places for line in _place_lines(place, files))]
    if answer.claims:
        parts += ["## Claims", "\n".join(line for claim in answer.claims for line in claim_lines(claim))]
    if looked := [f"- {display_name(name)}: {share:.0%}" for name, share in answer.coverage.items() if share]:
        parts += ["## Share of the timeline that was examined", "\n".join(looked)]
    if missing:
        parts += ["## Missing", "\n".join(f"- {plain(sentence)}" for sentence in missing)]
    return "\n\n".join([*parts, "## Made", _receipt(exchange.asked, answer)]) + "\n"


def subtitles_text(items: Iterable[Mapping[str, Any]], span: TimeSpan) -> str:
    """The items of a layer of speech as SubRip, timed from the start of a span."""
    lines = [
        TimedLine(max(0.0, item["start"] - span.start), min(item["end"], span.end) - span.start, item["text"])
        for item in items
    ]
    return rendered(lines, "srt")


def claim_lines(claim: Claim) -> list[str]:
    """A claim with its verdict and reason, and the places that contradict it."""
    against = [f"  - against it, {span_text(place)}: “{plain(place.quote)}”" for place in claim.against]
    return [f"- {plain(claim.told)}", *against]


def _place_lines(place: CitedPlace, files: Collection[str]) -> list[str]:
    shown = [f"[{kind}]({place.file(ending)})" for ending, kind in _KINDS.items() if place.file(ending) in files]
    where = f"{place.number}. {plain(place.video.record.name)}, {place.span}"
    return [
        f"{where}: {', '.join(shown)}" if shown else where,
        *(
            f"   - {span_text(citation)} {display_name(citation.modality)}: “{plain(citation.quote)}”"
            for citation in place.citations
        ),
    ]


def _receipt(asked: float, answer: Answer) -> str:
    usage = answer.usage
    lines = [
        f"{answer.status} in {usage.seconds:.1f} s: {usage.rounds} rounds, {usage.tool_calls} tool calls, "
        f"{usage.input_tokens + usage.output_tokens} tokens, {usage.cost:g} cost",
        f"asked {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(asked))} UTC",
        f"Longtake {__version__}, trace {answer.trace}",
        *(["every connection off the machine was blocked"] if answer.offline else []),
    ]
    return "\n".join(f"- {line}" for line in lines)


def span_text(citation: Citation) -> str:
    """When a citation starts and ends."""
    return str(TimeSpan(start=citation.start, end=citation.end))


def plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
