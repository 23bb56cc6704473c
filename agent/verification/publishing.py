"""From checked claims to the text of an answer: each with its moments, what says otherwise, and what is not sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longtake.agent.controllers.reply import Reply
from longtake.memory.records import Citation, Claim
from longtake.memory.timespan import clock

_OTHERWISE = {"speech": "it is said", "scene_text": "on screen", "visual": "in the picture"}
_DOUBT = "What was recognised there is too doubtful to prove it."
_ENDS = (".", "!", "?", "…")
_WHERE = {
    "speech": "words spoken",
    "scene_text": "on-screen text",
    "audio": "sound",
    "visual": "picture",
    "metadata": "fact of the recording",
}


def unsure(reply: Reply, names: Mapping[str, str]) -> str:
    """What is said of an answer that is not sure: the closest line with its modality, moment and words."""
    told = [f"Probably {reply.option.letter}: {reply.option.text}."] if reply.option else ["I'm not sure."]
    for line in reply.closest[:1]:
        name = f"{names[line.video]} " if line.video in names else ""
        end = "" if line.text.endswith(_ENDS) else "."
        text = line.text if "“" in line.text else f"“{line.text}”"  # what a tool made of lines quotes them itself
        told.append(f"Closest {_WHERE[line.modality]} at {name}{clock(line.start)}: {text}{end}")
    return " ".join(told)


def with_citations(claims: Sequence[Claim], names: Mapping[str, str] | None = None) -> str:
    """The supported claims as text again, each followed by its moments, with their video when several are open.

    What another modality says otherwise follows its claim, with its own moment.
    """
    told = names if names and len(names) > 1 else {}
    return " ".join(_told_claim(claim, told) for claim in claims if claim.verdict == "supported")


def softened(claims: Sequence[Claim], names: Mapping[str, str] | None = None) -> str:
    """The claims that only doubtful or other words back, said to be no more than that, where, and what stands there."""
    told = names if names and len(names) > 1 else {}
    return " ".join(
        f"Not verified: {claim.text} {_marks(claim.doubtful, told)} {_doubt(claim)}"
        for claim in claims
        if claim.doubtful
    )


def _doubt(claim: Claim) -> str:
    """Why a claim is no more than softened: its proof is doubtful, or says it in other words, which are quoted."""
    if not set(claim.doubtful) <= set(claim.citations):
        return _DOUBT
    quoted = " ".join(f"“{citation.quote}”" for citation in claim.doubtful)
    return f"What stands there is {quoted}"


def _told_claim(claim: Claim, names: Mapping[str, str]) -> str:
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
