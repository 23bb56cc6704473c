"""Groups faces from several pictures into people, and names those in the gallery."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from longtake.memory.gallery import UNKNOWN, Person
from longtake.preprocess.engines.people.people_engine import Face, FaceEngine

_Vectors = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sighting:
    """A face, and the number of its picture among the examined ones."""

    picture: int
    face: Face


@dataclass(frozen=True, slots=True)
class SeenPerson:
    """One person of a segment. `confidence` is 0.5 at the threshold and near 1 without doubt.

    For a named person it tells how close the face is to the enrolled one, otherwise how surely it is a face.
    """

    name: str
    role: str
    confidence: float
    sightings: tuple[Sighting, ...]


def recognise(sightings: Sequence[Sighting], gallery: Iterable[Person], engine: FaceEngine) -> list[SeenPerson]:
    """The people in a set of faces, by first appearance. Several unknown people are numbered.

    Faces are grouped before they are named, because their mean is closer to the person than most of them.
    """
    known = comparable(gallery, engine)
    vectors = np.array([sighting.face.embedding for sighting in sightings])
    people: dict[str, SeenPerson] = {}
    strangers: list[SeenPerson] = []
    for group in _grouped(vectors, engine.same_person):
        seen = tuple(sightings[number] for number in group)
        person, distance = _nearest(vectors[group].mean(axis=0), known)
        if person is None or distance > engine.same_person:
            confidence = max(sighting.face.confidence for sighting in seen)
            strangers.append(SeenPerson(UNKNOWN, "", confidence, seen))
        else:
            confidence = round(1 - distance / (2 * engine.same_person), 3)
            held = people.get(person.name, SeenPerson(person.name, person.role, 0.0, ()))
            together = tuple(sorted((*held.sightings, *seen), key=lambda sighting: sighting.picture))
            people[person.name] = replace(held, confidence=max(held.confidence, confidence), sightings=together)
    if len(strangers) > 1:
        in_order = enumerate(sorted(strangers, key=_first), start=1)
        strangers = [replace(stranger, name=f"{UNKNOWN} {number}") for number, stranger in in_order]
    return sorted([*people.values(), *strangers], key=_first)


def comparable(gallery: Iterable[Person], engine: FaceEngine) -> list[Person]:
    """The people enrolled by this engine, with its face vectors."""
    own = (
        person.model_copy(update={"faces": tuple(face for face in person.faces if face.engine == engine.id)})
        for person in gallery
    )
    return [person for person in own if person.faces]


def _grouped(vectors: _Vectors, same_person: float) -> list[list[int]]:
    """Indices of the vectors for each person, in order.

    Each vector joins the nearest group so far, measured to its mean; then groups whose means prove near join (centroid
    linkage, Sokal and Michener, 1958).
    """
    groups: list[list[int]] = []
    for number, vector in enumerate(vectors):
        middles = [vectors[group].mean(axis=0) for group in groups]
        distances = [float(np.linalg.norm(middle - vector)) for middle in middles]
        if distances and min(distances) <= same_person:
            groups[distances.index(min(distances))].append(number)
        else:
            groups.append([number])
    while len(groups) > 1:
        means = np.array([vectors[group].mean(axis=0) for group in groups])
        apart = np.linalg.norm(means[:, None] - means, axis=2)
        np.fill_diagonal(apart, np.inf)
        one, other = sorted(int(place) for place in np.unravel_index(apart.argmin(), apart.shape))
        if apart[one, other] > same_person:
            break
        groups[one] = sorted(groups[one] + groups.pop(other))
    return groups


def _nearest(vector: _Vectors, people: Sequence[Person]) -> tuple[Person | None, float]:
    """The person with the nearest enrolled face, and its distance."""
    distances = [
        min(float(np.linalg.norm(vector - np.array(face.embedding))) for face in person.faces) for person in people
    ]
    return (people[int(np.argmin(distances))], min(distances)) if distances else (None, np.inf)


def _first(seen: SeenPerson) -> int:
    return seen.sightings[0].picture
