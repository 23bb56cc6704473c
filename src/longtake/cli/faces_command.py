"""`longtake faces`: the people who may be named in videos."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer

from longtake.cli.ask import open_library
from longtake.cli.options import Json
from longtake.console import Session, counted, note, say, say_json
from longtake.errors import MediaError
from longtake.memory.gallery import EnrolledFace, Gallery, Person
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.people.people_engine import FaceEngine
from longtake.tools.vision.detect_faces import face_engine

faces = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Enrol, list and delete faces to be named in videos."
)

Name = Annotated[str, typer.Argument(help="The person's name.", metavar="NAME")]


@faces.command()
def enrol(
    context: typer.Context,
    name: Name,
    photos: Annotated[list[Path], typer.Argument(metavar="PHOTO...", help="Photos that show only this face.")],
    role: Annotated[str, typer.Option(help="The person's role, such as: presenter.")] = "",
    as_json: Json = False,
) -> None:
    """Enrol a face from photos; only its embeddings are stored, in this library."""
    session: Session = context.obj
    engine = face_engine(EngineTable(session.settings))
    found = [_only_face(photo, engine) for photo in photos]
    _warn_of_mismatches(photos, found, engine)
    person = Gallery(session.library_root).enrol(name, found, role)
    if as_json:
        return say_json(_facts(person))
    return say(f"Enrolled {person.name} from {counted(len(person.faces), 'photo')}; only face embeddings are stored.")


@faces.command("list")
def list_faces(context: typer.Context, as_json: Json = False) -> None:
    """List the enrolled people."""
    session: Session = context.obj
    people = Gallery(session.library_root).people()
    if as_json:
        return say_json([_facts(person) for person in people])
    if not people:
        return say("Nobody is enrolled yet. Add a person: longtake faces enrol NAME PHOTO")
    width = max(len(person.name) for person in people)
    for person in people:
        say(f"{person.name:<{width}}  {counted(len(person.faces), 'photo')}  {person.role}".rstrip())
    return None


@faces.command()
def forget(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Delete everything stored about a face."""
    session: Session = context.obj
    gallery = Gallery(session.library_root)
    if name.casefold() in (person.name.casefold() for person in gallery.people()):
        with open_library(session) as library:  # before the name goes: what fails can be tried again
            library.workspace.forget_faces()
    person = gallery.forget(name)
    if as_json:
        return say_json({"forgotten": person.name})
    return say(f"Deleted {person.name}.")


def _only_face(photo: Path, engine: FaceEngine) -> EnrolledFace:
    """The face of a photo.

    Raises:
        MediaError: if it isn't a picture, or doesn't show exactly one face.
    """
    if not photo.is_file():
        raise MediaError(f"{photo} doesn't exist: give a photo.")
    picture = cv2.imread(str(photo), cv2.IMREAD_COLOR)
    if picture is None:
        raise MediaError(f"{photo} isn't a readable picture: give a JPEG or PNG file.")
    found = engine.find(np.asarray(picture, np.uint8))
    if not found:
        raise MediaError(f"Found no face in {photo}: give a photo with a large face turned to the camera.")
    if len(found) > 1:
        raise MediaError(f"Found {len(found)} faces in {photo}: crop it to one.")
    return EnrolledFace(engine=engine.id, embedding=found[0].embedding)


def _warn_of_mismatches(photos: list[Path], found: list[EnrolledFace], engine: FaceEngine) -> None:
    """Warn of photos that don't look like the first: another person's face would later be named wrongly."""
    first = np.array(found[0].embedding)
    for photo, face in zip(photos[1:], found[1:], strict=True):
        if np.linalg.norm(first - np.array(face.embedding)) > engine.same_person:
            note(f"longtake: {photo} doesn't look like the person in {photos[0]}; undo with `longtake faces forget`.")


def _facts(person: Person) -> dict[str, Any]:
    """The public shape of an enrolled person in `--json`."""
    return {
        "name": person.name,
        "role": person.role or None,
        "photos": len(person.faces),
        "engines": sorted({face.engine for face in person.faces}),
    }
