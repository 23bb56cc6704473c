"""The pictures for a model show what its question asks, where the index can tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import cv2
import numpy as np
import pytest
from helpers.data.written_layers import write_layer
from helpers.media.clips import Picture, flat, write_clip
from helpers.models.colour_embedding import COLOURS, ColourEmbedding

from longtake.config import load
from longtake.errors import EngineError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.built_in_engines import EngineEntry
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.layers.frame_vectors import FILE
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.vision.visual_questions import read_pictures

ENGINE = "image_text_embedding"
SEEN = {"blue": (0, 30), "green": (30, 36), "red": (36, 50), "white": (50, 60)}
WHOLE = TimeSpan(start=0, end=60)
RATE = 5


def _pictures() -> Iterator[Picture]:
    for colour, (start, end) in SEEN.items():
        picture = flat(COLOURS[colour], 160, 90)
        if colour != "white":
            picture[30:60, 60:100] = COLOURS["black"]
        yield from [picture] * (RATE * (end - start))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A video of one colour after the other, blank at the end, with image-text vectors."""
    folder = tmp_path_factory.mktemp("colours")
    with pytest.MonkeyPatch.context() as patch:
        entry = EngineEntry("helpers.models.colour_embedding:ColourEmbedding", "colours")
        patch.setitem(ENGINES, ENGINE, {"colours": entry})
        off = (f"engines.{name}=[]" for name in ("sounds", "speech", "scene_text"))
        workspace = Workspace(folder / "library", load(overrides=[f"engines.{ENGINE}=[colours]", *off]))
        workspace.add(write_clip(folder / "colours.mp4", _pictures(), times=lambda number: number / RATE))
        yield workspace


def shown(place: Workspace, asked: str, *tracks: dict[str, Any], vectors: bool = True) -> list[str]:
    """The colours of the pictures for a question, in order; `tracks` were detected."""
    [record] = place.library.videos()
    layers = {name: key for name, key in record.layers.items() if vectors or name != "frame_vectors"}
    if tracks:
        layers["detections"] = write_layer(place.library.layers(record.id), "detections", *tracks).key
    handle = VideoHandle(record.model_copy(update={"layers": layers}), place.library)
    context = ToolContext({record.id: handle}, EngineTable(place.settings), place.index, place.settings, Budget(60.0))
    pictures = read_pictures(context, [WHOLE], 16, asked=asked).pictures
    return [_colour(each.jpeg) for each in pictures]


def _colour(jpeg: bytes) -> str:
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    mean = picture.reshape(-1, 3).mean(axis=0)
    return min(COLOURS, key=lambda name: float(np.abs(mean - COLOURS[name]).sum()))


def track(name: str, start: int, end: int) -> dict[str, Any]:
    """A thing that grows."""
    boxes = [[time + 0.5, 0.1, 0.1, 0.02 * (time - start + 1), 0.2] for time in range(start, end)]
    sure = {"confidence": 0.8, "trusted": name == "person"}
    return {"start": start, "end": end, "name": name, **sure, "boxes": boxes}


DOG, WALKER = track("dog", 31, 35), track("person", 36, 50)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("asked", "tracks", "colour", "fewest"),
    [
        ("Is anything green?", [], "green", 4),
        ("Which red thing is it?", [], "red", 8),
        ("What do the dogs do?", [DOG, WALKER], "green", 4),
        ("How many people are there?", [DOG, WALKER], "red", 8),
        ("What does the woman wear?", [DOG, WALKER], "red", 8),
        ("Does the dog see red?", [DOG, WALKER], "green", 3),
        ("Does the dog see red?", [DOG, WALKER], "red", 4),
    ],
)
def test_pictures_are_chosen_for_the_question(
    place: Workspace, asked: str, tracks: list[dict[str, Any]], colour: str, fewest: int
) -> None:
    colours = shown(place, asked, *tracks)
    assert len(colours) >= 12  # several times at a cut may have one frame
    assert colours.count(colour) >= fewest
    assert colours.count(colour) > shown(place, "").count(colour)
    assert colours.count("blue") >= 3
    assert "white" not in colours


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("asked", "tracks", "vectors"),
    [("A violin?", [DOG], True), ("", [DOG], True), ("Is anything green?", [], False), ("a cat", [DOG], False)],
    ids=["nothing like it", "nothing asked", "no vectors", "nothing of the name"],
)
def test_what_the_index_cannot_tell_changes_no_picture(
    place: Workspace, asked: str, tracks: list[dict[str, Any]], vectors: bool
) -> None:
    assert shown(place, asked, *tracks, vectors=vectors) == shown(place, "", vectors=False)


@pytest.mark.slow
def test_vectors_that_cannot_be_used_are_no_error(place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = shown(place, "")
    with monkeypatch.context() as patch:
        patch.setattr(ColourEmbedding, "id", "colours-2")
        assert shown(place, "Is anything green?") == plain
    with monkeypatch.context() as patch:
        patch.setattr(ColourEmbedding, "embed_texts", Mock(side_effect=EngineError("no text model")))
        assert shown(place, "Is anything green?") == plain
    layer = VideoHandle(place.library.videos()[0], place.library).layer("frame_vectors")
    assert layer
    stored = layer.path / FILE
    whole = stored.read_bytes()
    stored.write_bytes(whole[:-40])
    try:
        assert shown(place, "Is anything green?") == plain
    finally:
        stored.write_bytes(whole)
