"""`longtake faces`: who may be named in videos."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer

from longtake.console import Session, counted, note, say, say_json
from longtake.errors import MediaError
from longtake.memory.gallery import EnrolledFace, Gallery, Person
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.people.face_engine import FaceEngine
from longtake.tools.vision.detect_faces import face_engine

faces = typer.Typer(no_args_is_help=True, help="Enrol faces to be named in videos, list and forget them.")

Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Name = Annotated[str, typer.Argument(help="What the person is called.", metavar="NAME")]


@faces.command()
def enrol(
    context: typer.Context,
    name: Name,
    photos: Annotated[list[Path], typer.Argument(metavar="PHOTO...", help="Pictures with this one face in each.")],
    role: Annotated[str, typer.Option(help="What the person is, such as: presenter.")] = "",
    as_json: Json = False,
) -> None:
    """Learn a face from photos, of which only its numbers are kept; they stay in this library."""
    session: Session = context.obj
    engine = face_engine(EngineTable(session.settings))
    found = [_only_face(photo, engine) for photo in photos]
    _doubt(photos, found, engine)
    person = Gallery(session.library_root).enrol(name, found, role)
    if as_json:
        return say_json(_facts(person))
    return say(f"{person.name} is enrolled from {counted(len(person.faces), 'photo')}; only numbers of them are kept.")


@faces.command("list")
def list_faces(context: typer.Context, as_json: Json = False) -> None:
    """List who is enrolled."""
    session: Session = context.obj
    people = Gallery(session.library_root).people()
    if as_json:
        return say_json([_facts(person) for person in people])
    if not people:
        return say("Nobody is enrolled; `longtake faces enrol NAME PHOTO` begins.")
    width = max(len(person.name) for person in people)
    for person in people:
        say(f"{person.name:<{width}}  {counted(len(person.faces), 'photo')}  {person.role}".rstrip())
    return None


@faces.command()
def forget(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Delete all that is known of a face."""
    session: Session = context.obj
    person = Gallery(session.library_root).forget(name)
    if as_json:
        return say_json({"forgotten": person.name})
    return say(f"{person.name} is forgotten.")


def _only_face(photo: Path, engine: FaceEngine) -> EnrolledFace:
    """The face of a photo.

    Raises:
        MediaError: when it is no picture, or does not hold just one face.
    """
    if not photo.is_file():
        raise MediaError(f"There is no file {photo}: name a photo.")
    picture = cv2.imread(str(photo), cv2.IMREAD_COLOR)
    if picture is None:
        raise MediaError(f"{photo} is not a picture that can be read: give a JPEG or PNG file.")
    found = engine.find(np.asarray(picture, np.uint8))
    if not found:
        raise MediaError(f"No face is found in {photo}: give one that is turned to the camera and not too small.")
    if len(found) > 1:
        raise MediaError(f"{len(found)} faces are found in {photo}: cut it so that only one is left.")
    return EnrolledFace(engine=engine.id, embedding=found[0].embedding)


def _doubt(photos: list[Path], found: list[EnrolledFace], engine: FaceEngine) -> None:
    """Say which photos do not look like the first: somebody else's face would be named wrongly from then on."""
    first = np.array(found[0].embedding)
    for photo, face in zip(photos[1:], found[1:], strict=True):
        if np.linalg.norm(first - np.array(face.embedding)) > engine.same_person:
            note(f"longtake: {photo} does not look like the person in {photos[0]}; `faces forget` undoes it.")


def _facts(person: Person) -> dict[str, Any]:
    """The public shape of an enrolled person in `--json`."""
    return {
        "name": person.name,
        "role": person.role or None,
        "photos": len(person.faces),
        "engines": sorted({face.engine for face in person.faces}),
    }
