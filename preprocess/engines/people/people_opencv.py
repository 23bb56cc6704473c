"""Finds people and faces without a trained model, reporting only those that persist over several looks.

A person is a moving thing that looks like someone standing or walking, or a face. Uncertain matches make the number a
lower bound, and finding nobody proves nothing: people who sit, bend or stand still with their back to the camera are
missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from longtake.preprocess.engines.objects.object_engine import FoundObject, ObjectQuery
from longtake.preprocess.engines.objects.objects_moving import LONG_SIDE
from longtake.preprocess.engines.objects.objects_tracks import Track, follow
from longtake.preprocess.engines.people.objects_faces import FACE, find_faces
from longtake.preprocess.engines.people.objects_faces import ID as FACES
from longtake.preprocess.engines.people.objects_people import ID as PEOPLE
from longtake.preprocess.engines.people.objects_people import PERSON, joined_upright, likeness
from longtake.preprocess.engines.people.people_engine import Footage, FoundPeople
from longtake.settings import Settings

_STEP = 0.2  # seconds between looks at moving things
_FACE_STEP = 0.5  # minimum seconds between looks for faces
_LOST = 3.0  # seconds after which a thing that appears in the same place counts as a different one
_MAX_FACES = 30  # face searches per call
_MIN_FACES, _MIN_PEOPLE = 3, 5  # looks in which one must be found
_SURE_FACE, _PERHAPS_FACE = 0.5, 0.3  # minimum median confidence over its looks
_SURE_PERSON, _PERHAPS_PERSON = 0.6, 0.43
_LONG_SIDE = 640  # pixels of the pictures searched for people and faces
_MISSED = {
    PERSON: "only people who move upright in front of a still camera or show their face are found; others are missed",
    FACE: "faces that are small, dark or turned far away are missed",
}

Looks = list[tuple[float, list[FoundObject]]]


@dataclass(frozen=True)
class _Found:
    """Certain and possible matches in a shot; `steady` if its camera is still."""

    sure: list[Track]
    perhaps: list[Track]
    pictures: int = 0
    steady: bool = True

    @property
    def travelling(self) -> _Found:
        """Only the matches that moved away from where they were first seen."""
        sure, perhaps = ([track for track in tracks if track.travelled] for tracks in (self.sure, self.perhaps))
        return replace(self, sure=sure, perhaps=perhaps)

    @property
    def different(self) -> int:
        """How many of the certain matches are certainly distinct: one that takes another's place may be the same."""
        return sum(not any(_takes_over(new, old) for old in self.sure) for new in self.sure)


class OpenCvPeople:
    """Finds people moving upright in front of a still camera, and faces; doesn't distinguish men, women or children."""

    id = f"{PEOPLE}+{FACES}"

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""

    def knows(self, query: ObjectQuery) -> bool:
        """See `PeopleEngine`."""
        return query.thing in (PERSON, FACE) and not (query.colour or query.shape or query.absent)

    def recognises(self, query: ObjectQuery) -> bool:
        """See `PeopleEngine`."""
        return False

    def find(self, query: ObjectQuery, shots: Sequence[Footage]) -> FoundPeople:
        """See `PeopleEngine`."""
        face_step = max(_FACE_STEP, sum(shot.span.length for shot in shots) / _MAX_FACES)
        found = [_in_shot(shot, query.thing, face_step) for shot in shots]
        if query.moving:
            found = [each.travelling for each in found]
        again = ["anyone who leaves and comes back is counted again"] if query.over_time else []
        return FoundPeople(
            tuple(track for each in found for track in each.sure),
            tuple(track for each in found for track in each.perhaps),
            max((each.different for each in found), default=0),
            sum(each.pictures for each in found),
            (_MISSED[query.thing], *again),
            _doubt(query.thing, found, query.over_time),
        )


def _in_shot(shot: Footage, thing: str, face_step: float) -> _Found:
    """Search a shot in one pass: bodies at each look, using the learnt background, and faces at some looks."""
    movers = shot.movers() if thing == PERSON else None
    bodies: Looks = []
    faces: Looks = []
    pictures, due = 0, shot.span.start
    for time, frame in shot.frames(_STEP if movers else face_step):
        pictures += 1
        moving = movers.find(frame.bgr(LONG_SIDE)) if movers else None
        if moving is not None:
            upright = joined_upright([each.box for each in moving])
            bodies.append((time, [FoundObject(PERSON, box, likeness(frame.bgr(_LONG_SIDE), box)) for box in upright]))
        if time >= due:
            faces.append((time, find_faces(frame.bgr(_LONG_SIDE))))
            due = time + face_step
    seen = _sorted_out(faces, _MIN_FACES, _SURE_FACE, _PERHAPS_FACE)
    steady = 2 * len(bodies) >= pictures
    if thing == PERSON:
        moved = bodies if steady else []
        seen = _together(_sorted_out(moved, _MIN_PEOPLE, _SURE_PERSON, _PERHAPS_PERSON), seen)
    return replace(seen, pictures=pictures, steady=steady)


def _sorted_out(looks: Looks, min_looks: int, sure: float, perhaps: float) -> _Found:
    """Tracks with enough sightings, split by median confidence."""
    lasting = [track for track in follow(looks) if len(track.sightings) >= min(min_looks, len(looks))]
    return _Found(
        [track for track in lasting if track.confidence >= sure],
        [track for track in lasting if perhaps <= track.confidence < sure],
    )


def _together(bodies: _Found, faces: _Found) -> _Found:
    """Combine bodies and faces: a face outside every certain body is another person, or confirms an uncertain body."""
    alone = [face for face in faces.sure if not _inside_one(face, bodies.sure)]
    unclear = [body for body in bodies.perhaps if not any(_inside(face, body) for face in alone)]
    unclear += [_of_face(face) for face in faces.perhaps if not _inside_one(face, bodies.sure)]
    return _Found([*bodies.sure, *map(_of_face, alone)], unclear)


def _of_face(face: Track) -> Track:
    return replace(face, sightings=[(time, replace(found, name=PERSON)) for time, found in face.sightings])


def _inside_one(face: Track, bodies: Sequence[Track]) -> bool:
    return any(_inside(face, body) for body in bodies)


def _inside(face: Track, body: Track) -> bool:
    """Whether a face was ever inside a body."""
    for time, found in face.sightings:
        seen, (left, top, width, height) = body.nearest(time)[0], body.nearest(time)[1].box
        x, y = found.middle
        if abs(seen - time) <= _STEP and left <= x <= left + width and top <= y <= top + height:
            return True
    return False


def _takes_over(new: Track, old: Track) -> bool:
    """Whether a track starts where and about when another ended, so that both may be the same."""
    x, y = new.sightings[0][1].middle
    left, top, width, height = old.sightings[-1][1].box
    soon = new is not old and new.start > old.start and abs(new.start - old.end) <= _LOST
    return soon and left <= x <= left + width and top <= y <= top + height


def _doubt(thing: str, found: Sequence[_Found], over_time: bool) -> str:
    """Why there may be more than were found; empty if the number is certain."""
    sure, perhaps = (any(tracks) for tracks in ([each.sure for each in found], [each.perhaps for each in found]))
    if not sure and perhaps:
        return f"Something may be a {thing}, or may only look like one."
    if not sure:
        return f"No {thing} was found, which doesn't prove that there is none."
    if perhaps:
        return f"Apart from each certain {thing}, there is something that may be one, so there may be more."
    if any(_takes_over(new, old) for each in found for new in each.sure for old in each.sure):
        return f"A {thing} was lost and found again in the same place, so it may be one or two."
    if thing == PERSON and not all(each.steady for each in found):
        return "While the camera moves, people whose faces aren't visible are missed, so there may be more."
    if over_time and sum(bool(each.sure) for each in found) > 1:
        return f"A {thing} after a cut may or may not be the same as before it, so there may be more."
    return ""
