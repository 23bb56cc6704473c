"""Whether anybody is seen while shapes move: nobody, where all that the picture shows there is shapes.

That no face was made out proves no absence. But where every region of the picture that is not its ground is a plain
shape, there is no room for a face.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, cite, evidence_from, failures, not_found, on_each, quote, trusted
from longtake.agent.rules.sight.seeing import asks_eyes, is_polar
from longtake.agent.rules.sight.shapes import COUNTER, SHAPES, count_of
from longtake.agent.rules.steps import Steps
from longtake.agent.words import cue
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, joined

_FACE = cue("face, faces")
_PERSON = cue("person, people, persons, human, humans, somebody, someone, anybody, anyone")
_ANY_SHAPE = cue("shapes")
_GOES = r"(?:is |that )?(?:moves?|moving|cross\w*|pass\w*|travel\w*)"
_MOST_SHOWN = 3
_APART = 3.0  # seconds without a moving shape, which part two stretches


def asks_among_shapes(orientation: Orientation) -> bool:
    """Whether a question asks if a face, or anybody, is seen where shapes move."""
    question = orientation.question
    who = _FACE.search(question) or _PERSON.search(question)
    return bool(is_polar(_main(question)) and who and _shapes(question)) and asks_eyes(orientation)


def find_among_shapes(orientation: Orientation) -> Steps[str]:
    """Yes with the face; no where nothing but shapes is seen from the first that moves to the last; else open."""
    moving = [call for shape in _shapes(orientation.question) for call in _count(orientation, f"moving {shape}")]
    shapes = trusted(evidence_from((yield moving), COUNTER))
    if len({item.video for item in shapes}) != 1:
        return not_found("It cannot be told when the shapes move.")
    who = "faces" if _FACE.search(orientation.question) else "people"
    calls = [
        call
        for span in joined((item.span for item in shapes), gap=_APART)
        for query in (who, "things", *SHAPES)
        for call in _count(_placed(orientation, shapes[0].video, span), query)
    ]
    done = yield calls
    seen = trusted(evidence_from(_made(done, who), COUNTER))
    if seen:
        return f"Yes: {quote(seen[:_MOST_SHOWN], orientation)}"
    known = _made(done, *SHAPES)
    things = sum(map(count_of, _made(done, "things")))
    if len(done) < len(calls) or not things or things != sum(map(count_of, known)):
        return not_found(" ".join(failures(done)) or "Not all that is seen there is known.")
    shown = _one_of_each(trusted(evidence_from(known, COUNTER)))
    marks = "".join(cite(item, orientation) for item in shown)
    return f"No: all that is there is {' and '.join(f'“{item.content}”' for item in shown)} {marks}"


def _placed(orientation: Orientation, video: str, span: TimeSpan) -> Orientation:
    there = {"span": span, "point": False, "videos": {video: orientation.videos[video]}}
    return orientation.model_copy(update=there)


def _made(done: Sequence[Done], *things: str) -> list[Done]:
    """The calls that counted these."""
    return [step for step in done if str(step.call.arguments["object_query"]).removeprefix("different ") in things]


def _one_of_each(shapes: Sequence[Evidence]) -> list[Evidence]:
    """The first of each colour and shape."""
    kinds = {" ".join(item.content.split()[:2]): item for item in reversed(shapes)}
    return sorted(kinds.values(), key=lambda item: item.span.start)


def _count(orientation: Orientation, query: str) -> list[Call]:
    return on_each(orientation, COUNTER, object_query=f"different {query}")


def _shapes(question: str) -> list[str]:
    """The shapes that are several or move in a question, so that a town's square is none; all for "shapes"."""
    plain = question.casefold()
    named = [shape for shape in SHAPES if re.search(rf"\b{shape}(?:s\b| {_GOES})", plain)]
    return named or (list(SHAPES) if _ANY_SHAPE.search(question) else [])


def _main(question: str) -> str:
    """A question without the clause that it may begin with: "While the shapes move, is a face visible?"."""
    return re.sub(r"^\W*(?:while|when|as|in|during|among)\b[^,?]*,\s*", "", question, flags=re.IGNORECASE)
