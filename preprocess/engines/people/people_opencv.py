"""People and faces without a trained model: only what persists over several looks is told.

A person is what moves and is like one who stands or walks, or a face. What may be a person and may be none makes the
number a lower bound, and finding none proves nothing: whoever sits, bends or stands still with the back to the camera
is missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from longtake.config import Settings
from longtake.preprocess.engines.objects.object_engine import FoundObject, ObjectQuery
from longtake.preprocess.engines.objects.objects_moving import LONG_SIDE
from longtake.preprocess.engines.objects.objects_tracks import Track, follow
from longtake.preprocess.engines.people.objects_faces import FACE, find_faces
from longtake.preprocess.engines.people.objects_faces import ID as FACES
from longtake.preprocess.engines.people.objects_people import ID as PEOPLE
from longtake.preprocess.engines.people.objects_people import PERSON, joined_upright, likeness
from longtake.preprocess.engines.people.people_engine import Footage, FoundPeople

_STEP = 0.2  # seconds between two looks at what moves
_FACE_STEP = 0.5  # seconds between two looks for faces, at the nearest
_LOST = 3.0  # seconds after which what appears in the place of something else is another
_MAX_FACES = 30  # looks for faces that are worth their time in one call
_MIN_FACES, _MIN_PEOPLE = 3, 5  # looks at which one is found
_SURE_FACE, _PERHAPS_FACE = 0.5, 0.3  # least confidence, in the middle of its looks
_SURE_PERSON, _PERHAPS_PERSON = 0.6, 0.43
_LONG_SIDE = 640  # pixels of the pictures in which people and faces are looked for
_MISSED = {
    PERSON: "only who moves upright before a still camera, or shows the face, is known for a person; others are missed",
    FACE: "faces that are small, dark or turned far away are missed",
}

Looks = list[tuple[float, list[FoundObject]]]


@dataclass(frozen=True)
class _Found:
    """What a shot holds, surely and perhaps; `steady` where the camera stands still in it."""

    sure: list[Track]
    perhaps: list[Track]
    pictures: int = 0
    steady: bool = True

    @property
    def travelling(self) -> _Found:
        """Those who have been anywhere but where they were first seen."""
        sure, perhaps = ([track for track in tracks if track.travelled] for tracks in (self.sure, self.perhaps))
        return replace(self, sure=sure, perhaps=perhaps)

    @property
    def different(self) -> int:
        """How many of the sure ones are surely not the same: who takes another's place may be that other."""
        return sum(not any(_takes_over(new, old) for old in self.sure) for new in self.sure)


class OpenCvPeople:
    """Finds who moves upright before a still camera, and faces; a man is not told from a woman or a child."""

    id = f"{PEOPLE}+{FACES}"

    def __init__(self, settings: Settings) -> None:
        """Nothing of the settings changes what it finds."""

    def knows(self, query: ObjectQuery) -> bool:
        """See `PeopleEngine`."""
        return query.thing in (PERSON, FACE) and not (query.colour or query.shape)

    def find(self, query: ObjectQuery, shots: Sequence[Footage]) -> FoundPeople:
        """See `PeopleEngine`."""
        face_step = max(_FACE_STEP, sum(shot.span.length for shot in shots) / _MAX_FACES)
        found = [_in_shot(shot, query.thing, face_step) for shot in shots]
        if query.moving:
            found = [each.travelling for each in found]
        again = ["who leaves and comes back is counted again"] if query.over_time else []
        return FoundPeople(
            tuple(track for each in found for track in each.sure),
            tuple(track for each in found for track in each.perhaps),
            max((each.different for each in found), default=0),
            sum(each.pictures for each in found),
            (_MISSED[query.thing], *again),
            _doubt(query.thing, found, query.over_time),
        )


def _in_shot(shot: Footage, wanted: str, face_step: float) -> _Found:
    """One pass through a shot: bodies at each look, for which the background is learnt, and faces at some."""
    movers = shot.movers() if wanted == PERSON else None
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
    if wanted == PERSON:
        moved = bodies if steady else []
        seen = _together(_sorted_out(moved, _MIN_PEOPLE, _SURE_PERSON, _PERHAPS_PERSON), seen)
    return replace(seen, pictures=pictures, steady=steady)


def _sorted_out(looks: Looks, fewest: int, sure: float, perhaps: float) -> _Found:
    """What is followed through enough looks, by its confidence in the middle of them."""
    lasting = [track for track in follow(looks) if len(track.sightings) >= min(fewest, len(looks))]
    return _Found(
        [track for track in lasting if track.confidence >= sure],
        [track for track in lasting if perhaps <= track.confidence < sure],
    )


def _together(bodies: _Found, faces: _Found) -> _Found:
    """A face is a person of its own where it lies in no person's body, and says what an unclear body is."""
    alone = [face for face in faces.sure if not _inside_one(face, bodies.sure)]
    unclear = [body for body in bodies.perhaps if not any(_inside(face, body) for face in alone)]
    unclear += [_of_face(face) for face in faces.perhaps if not _inside_one(face, bodies.sure)]
    return _Found([*bodies.sure, *map(_of_face, alone)], unclear)


def _of_face(face: Track) -> Track:
    return replace(face, sightings=[(time, replace(found, name=PERSON)) for time, found in face.sightings])


def _inside_one(face: Track, bodies: Sequence[Track]) -> bool:
    return any(_inside(face, body) for body in bodies)


def _inside(face: Track, body: Track) -> bool:
    """Whether a face was ever seen within a body."""
    for time, found in face.sightings:
        seen, (left, top, width, height) = body.nearest(time)[0], body.nearest(time)[1].box
        x, y = found.middle
        if abs(seen - time) <= _STEP and left <= x <= left + width and top <= y <= top + height:
            return True
    return False


def _takes_over(new: Track, old: Track) -> bool:
    """Whether something appears where and about when something else was last seen: it may well be the same."""
    x, y = new.sightings[0][1].middle
    left, top, width, height = old.sightings[-1][1].box
    soon = new is not old and new.start > old.start and abs(new.start - old.end) <= _LOST
    return soon and left <= x <= left + width and top <= y <= top + height


def _doubt(wanted: str, found: Sequence[_Found], over_time: bool) -> str:
    """Why there may be more than were found; empty where the number is settled."""
    sure, perhaps = (any(tracks) for tracks in ([each.sure for each in found], [each.perhaps for each in found]))
    if not sure and perhaps:
        return f"What was seen may be a {wanted}, and may be something that looks like one."
    if not sure:
        return f"No {wanted} was made out, which does not prove that there is none."
    if perhaps:
        return f"Besides what is surely a {wanted} there is what may be one, so there may be more."
    if any(_takes_over(new, old) for each in found for new in each.sure for old in each.sure):
        return f"Where a {wanted} is lost and found again in one place, it may be one or two."
    if wanted == PERSON and not all(each.steady for each in found):
        return "Where the camera moves, people whose faces are not seen are missed, so there may be more."
    if over_time and sum(bool(each.sure) for each in found) > 1:
        return f"Whether a {wanted} after a cut is one seen before it cannot be told, so there may be more."
    return ""
