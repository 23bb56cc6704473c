"""An endpoint whose first draft is sent back, and whose second one has a statement that isn't shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helpers.servers.openai_server import Reply, judges, says, statements_in, streamed

from longtake.memory.records import Answer, Citation, Claim, Option

QUESTION = "What does the blue kettle cost?"
REMARK = "Let me listen."
FIRST = "The blue kettle costs 99 dollars [00:00:04]."
SECOND = (
    "The blue kettle costs **249 dollars** [00:00:04]. It was made in a small town in Norway, by a family firm that "
    "has built kettles since 1911, and it is sold in three sizes, of which the largest holds four litres of water, in "
    "shops all over the country and by post."
)
PUBLISHED = f"{SECOND} [not shown]"
NOT_SHOWN = "Nothing tells where it was made."
CONTRADICTED = "She says 249 dollars."


def doubted_script(pause: float = 0.0) -> Sequence[Reply]:
    """The replies: a remark with a call, a wrong draft, and a second draft."""
    listen = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
    return [
        streamed(says(REMARK, listen)),
        *(streamed(says(None, ("answer", {"status": "answered", "text": text})), pause) for text in (FIRST, SECOND)),
    ]


def doubting(request: Mapping[str, Any]) -> Reply:
    """The judge of these drafts."""
    verdicts = {"99 dollars": ("contradicted", CONTRADICTED), "Norway": ("not_shown", NOT_SHOWN)}
    told = [
        next((found for words, found in verdicts.items() if words in text), ("supported", ""))
        for text in statements_in(request)
    ]
    return judges(*(verdict for verdict, _ in told), reasons=[reason for _, reason in told])


def doubted(video: str = "v") -> Answer:
    """An answer with all four verdicts, and an option that isn't proven."""
    price = Citation(video=video, start=4.0, end=6.0, modality="speech", quote="The blue kettle costs 249 dollars.")
    return Answer(
        question=QUESTION,
        status="uncertain",
        answer="The blue kettle costs 249 dollars [00:00:04]. The red one costs 249. [contradicted] "
        "It is big. [not shown] Hm.",
        options=("99 dollars", "249 dollars"),
        option=Option(letter="B", text="249 dollars", supported=False),
        citations=(price,),
        claims=(
            Claim(text="The blue kettle costs 249 dollars.", verdict="supported", citations=(price,)),
            Claim(
                text="The red one costs 249.", verdict="contradicted", reason="It is the blue one.", against=(price,)
            ),
            Claim(text="It is big.", verdict="not_shown", reason="No size is told."),
            Claim(text="Hm.", verdict="unchecked"),
        ),
    )
