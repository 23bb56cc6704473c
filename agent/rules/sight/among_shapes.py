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
from longtake.agent.words import cue, stem, stems
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

_FACE = cue("face, faces")
_PERSON = cue("person, people, persons, human, humans, man, woman, somebody, someone, anybody, anyone")
_ANY_SHAPE = cue("shape, shapes, figures, forms")
_MOST_SHOWN = 3


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
    video = shapes[0].video
    span = TimeSpan(start=min(item.span.start for item in shapes), end=max(item.span.end for item in shapes))
    there = orientation.model_copy(update={"span": span, "point": False, "videos": {video: orientation.videos[video]}})
    who = "faces" if _FACE.search(orientation.question) else "people"
    queries = [who, "things", *SHAPES]
    done: list[Done] = yield [call for query in queries for call in _count(there, query)]
    made = {str(step.call.arguments["object_query"]).removeprefix("different "): step for step in done}
    seen = trusted(evidence_from([step for query, step in made.items() if query == who], COUNTER))
    if seen:
        return f"Yes: {quote(seen[:_MOST_SHOWN], orientation)}"
    known = [made[shape] for shape in SHAPES if shape in made]
    things = count_of(made["things"]) if "things" in made else 0
    if not things or things != sum(map(count_of, known)):
        return not_found(" ".join(failures(done)) or "Not all that is seen there is known.")
    shown = _one_of_each(trusted(evidence_from(known, COUNTER)))
    marks = "".join(cite(item, orientation) for item in shown)
    return f"No: all that is there is {' and '.join(f'“{item.content}”' for item in shown)} {marks}"


def _one_of_each(shapes: Sequence[Evidence]) -> list[Evidence]:
    """The first of each colour and shape."""
    kinds = {" ".join(item.content.split()[:2]): item for item in reversed(shapes)}
    return sorted(kinds.values(), key=lambda item: item.span.start)


def _count(orientation: Orientation, query: str) -> list[Call]:
    return on_each(orientation, COUNTER, object_query=f"different {query}")


def _shapes(question: str) -> list[str]:
    """The shapes that a question names; all that are known where it speaks of shapes."""
    named = [shape for shape in SHAPES if stem(shape) in stems(question)]
    return named or (list(SHAPES) if _ANY_SHAPE.search(question) else [])


def _main(question: str) -> str:
    """A question without the clause that it may begin with: "While the shapes move, is a face visible?"."""
    return re.sub(r"^\W*(?:while|when|as|in|during|among)\b[^,?]*,\s*", "", question, flags=re.IGNORECASE)
