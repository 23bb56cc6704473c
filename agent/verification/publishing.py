"""Turns checked claims into the text of an answer, with moments, contradictions and doubts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longtake.agent.controllers.reply import Reply
from longtake.language.text import as_sentence
from longtake.memory.records import Citation, Claim
from longtake.memory.timespan import clock

_OTHERWISE = {"speech": "it is said", "scene_text": "on screen", "visual": "in the picture"}
_DOUBT = "The recognition there is too uncertain to prove it."
_WHERE = {
    "speech": "words spoken",
    "scene_text": "on-screen text",
    "audio": "sound",
    "visual": "picture",
    "metadata": "fact about the recording",
}


def unsure(reply: Reply, names: Mapping[str, str]) -> str:
    """The text of an uncertain answer: the closest line with its modality, moment and words."""
    parts = ["I'm not sure."]
    if reply.option:
        parts = [as_sentence(f"Probably {reply.option.letter}: {reply.option.text}")]
    for line in reply.closest[:1]:
        name = f"{names[line.video]} " if line.video in names else ""
        text = (
            line.text if "“" in line.text else f"“{line.text}”"
        )  # texts that a tool made already contain quotation marks
        parts.append(as_sentence(f"Closest {_WHERE[line.modality]} at {name}{clock(line.start)}: {text}"))
    return " ".join(parts)


def with_citations(claims: Sequence[Claim], names: Mapping[str, str] | None = None) -> str:
    """The supported claims as text, each followed by its moments, with the video's name if several are open.

    Contradicting evidence follows its claim, with its own moment.
    """
    shown = names if names and len(names) > 1 else {}
    return " ".join(_publish_claim(claim, shown) for claim in claims if claim.verdict == "supported")


def softened(claims: Sequence[Claim], names: Mapping[str, str] | None = None) -> str:
    """Claims that rest on poor recognition or on a paraphrase, marked as such, with what the evidence says."""
    shown = names if names and len(names) > 1 else {}
    return " ".join(
        f"Not verified: {claim.text} {_marks(claim.doubtful, shown)} {_doubt(claim)}"
        for claim in claims
        if claim.doubtful
    )


def _doubt(claim: Claim) -> str:
    """Why a claim is only softened: its evidence is doubtful, or says it in other words, which are quoted."""
    if not set(claim.doubtful) <= set(claim.citations):
        return _DOUBT
    quoted = " ".join(f"“{citation.quote}”" for citation in claim.doubtful)
    return f"What stands there is {quoted}"


def _publish_claim(claim: Claim, names: Mapping[str, str]) -> str:
    text = f"{claim.text} {_marks(claim.citations, names)}".strip()
    for modality in dict.fromkeys(citation.modality for citation in claim.against):
        other = [citation for citation in claim.against if citation.modality == modality]
        quote = " · ".join(citation.quote for citation in other)
        text += f" But {_OTHERWISE[modality]}: “{quote}” {_marks(other, names)}"
    return text


def _marks(citations: Sequence[Citation], names: Mapping[str, str]) -> str:
    marks = [
        f"[{names.get(citation.video, '')} {clock(citation.start)}]".replace("[ ", "[") for citation in citations[:3]
    ]
    return "".join(dict.fromkeys(marks))
