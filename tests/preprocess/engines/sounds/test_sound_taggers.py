"""What every tagger of sounds must do, through its real loading code with random weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from helpers.media.sound import RATE, Wave, clock, noise, write_sound
from helpers.models.tiny_taggers import LABELS, SURE, write_tiny_ast, write_tiny_clap

import longtake
from longtake.config import load
from longtake.errors import EngineError
from longtake.preprocess.engines.engine_table import ENGINES, EngineTable
from longtake.preprocess.engines.process import engine_process
from longtake.preprocess.engines.sounds.sound_engine import SoundEngine, SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import Array
from longtake.preprocess.engines.sounds.spectral_sounds import SpectralSounds
from longtake.preprocess.engines.sounds.tagged_sounds import AstSounds, ClapSounds, TaggedSounds
from longtake.preprocess.media.audio import AudioBlock, Samples
from longtake.settings import Settings

NAMES = ("owl", "fog horn")


class Tagger(NamedTuple):
    engine: type[TaggedSounds]
    write: Callable[..., Path]
    missing: Callable[[Settings], str | None]
    labels: tuple[str, ...]


TAGGERS = {
    "ast": Tagger(AstSounds, write_tiny_ast, AstSounds.kind.missing, LABELS),
    "clap": Tagger(ClapSounds, write_tiny_clap, ClapSounds.kind.missing, NAMES),
}


@pytest.fixture(scope="module", params=TAGGERS)
def tagger(request: pytest.FixtureRequest) -> Tagger:
    return TAGGERS[request.param]


@pytest.fixture(scope="module")
def folder(tagger: Tagger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tagger.write(tmp_path_factory.mktemp("tagger"))


def settings(folder: Path | str, confidence: float = 0.3) -> Settings:
    named = f"sounds.names={json.dumps(NAMES)}"
    return load(overrides=[f"sounds.model={folder}", f"sounds.min_confidence={confidence}", named])


def blocks_at(rate: int, samples: Wave, seconds: int = 32, start: float = 0.0) -> list[AudioBlock]:
    """A sound made at 16 kHz, in blocks at another rate."""
    wide = np.repeat(np.asarray(samples, np.float32), rate // RATE)
    length = seconds * rate
    return [AudioBlock(start + at / rate, wide[at : at + length], rate) for at in range(0, len(wide), length)]


def heard(engine: SoundEngine, blocks: Sequence[AudioBlock]) -> list[SoundEvent]:
    measured = [engine.measure(block, blocks[at - 1] if at else None) for at, block in enumerate(blocks)]
    return engine.detect(measured)


BEEP = np.concatenate([np.zeros(12 * RATE), 0.3 * np.sin(2 * np.pi * 1000 * clock(8)), np.zeros(20 * RATE)])


@pytest.mark.nightly
def test_names_only_what_is_audible_with_the_labels_of_the_model(tagger: Tagger, folder: Path) -> None:
    engine = tagger.engine(settings(folder, 0.01))
    assert engine.labels == tagger.labels
    named = [event for event in heard(engine, blocks_at(engine.rate, BEEP)) if event.kind in tagger.labels]
    assert {(event.kind, event.start, event.end) for event in named} == {(label, 12, 20) for label in tagger.labels}
    assert all(0.01 <= event.confidence <= 1 for event in named)
    assert all(-25 < event.level_db < -5 for event in named)


@pytest.mark.nightly
def test_keeps_all_that_the_embedded_engine_finds(tagger: Tagger, folder: Path) -> None:
    engine = tagger.engine(settings(folder, 0.01))
    tagged = heard(engine, blocks_at(engine.rate, BEEP))
    plain = heard(SpectralSounds(Settings()), blocks_at(RATE, BEEP))
    rest = [event for event in tagged if event.kind not in tagger.labels]
    assert [event.kind for event in rest] == [event.kind for event in plain]
    for one, other in zip(rest, plain, strict=True):
        assert (one.start, one.end) == pytest.approx((other.start, other.end), abs=0.1)


@pytest.mark.nightly
def test_events_do_not_depend_on_where_blocks_end(tagger: Tagger, folder: Path) -> None:
    samples = np.concatenate([noise(20, 0.1), np.zeros(24 * RATE)])
    engine = tagger.engine(settings(folder, 0.01))
    whole, parts = (
        [event for event in heard(engine, blocks_at(engine.rate, samples, seconds)) if event.kind in tagger.labels]
        for seconds in (44, 8)
    )
    assert whole
    assert [(event.kind, event.start, event.end) for event in whole] == [
        (event.kind, event.start, event.end) for event in parts
    ]


@pytest.mark.nightly
def test_another_model_or_limit_has_another_id_and_a_copy_the_same(
    tagger: Tagger, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    tagger.write(tmp_path / "other", seed=6)
    ids = [
        tagger.engine(settings(each, limit)).id
        for each, limit in ((folder, 0.3), (tmp_path / "copy", 0.3), (tmp_path / "other", 0.3), (folder, 0.4))
    ]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3
    assert all(each.startswith(SpectralSounds.id) for each in ids)


@pytest.mark.nightly
def test_runs_in_a_separate_process(tagger: Tagger, folder: Path) -> None:
    of_tagger = settings(folder, 0.01)
    engine = engine_process(f"{tagger.engine.__module__}:{tagger.engine.__name__}", of_tagger)
    [block] = blocks_at(tagger.engine.rate, noise(6, 0.1))
    try:
        assert heard(engine, [block]) == heard(tagger.engine(of_tagger), [block])  # type: ignore[arg-type]
    finally:
        engine.close()


@pytest.mark.nightly
def test_a_folder_is_checked_before_anything_is_loaded(tagger: Tagger, folder: Path, tmp_path: Path) -> None:
    assert tagger.missing(settings(folder)) is None
    [other] = [each for each in TAGGERS.values() if each.engine is not tagger.engine]
    assert str(folder) in (other.missing(settings(folder)) or "")
    shutil.copytree(folder, tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    assert "model.safetensors" in (tagger.missing(settings(tmp_path / "model")) or "")


@pytest.mark.nightly
@pytest.mark.parametrize("damage", ["truncated", "no weights in it"])
def test_damaged_weights_are_one_sentence(tagger: Tagger, folder: Path, tmp_path: Path, damage: str) -> None:
    from safetensors.numpy import save_file

    shutil.copytree(folder, tmp_path / "model")
    weights = tmp_path / "model" / "model.safetensors"
    if damage == "truncated":
        weights.write_bytes(weights.read_bytes()[:1000])
    else:
        save_file({"other": np.zeros(3, np.float32)}, weights)
    engine = tagger.engine(settings(tmp_path / "model"))
    with pytest.raises(EngineError, match=r"sounds\.model=DIR") as caught:
        heard(engine, blocks_at(engine.rate, noise(4, 0.1)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["clap", "nobody/no-model", "no//model"])
def test_a_model_that_is_not_on_disk_says_how_to_get_one(name: str) -> None:
    for tagger in TAGGERS.values():
        assert "longtake models pull" in (tagger.missing(settings(name)) or "")


def test_without_a_model_the_embedded_engine_hears() -> None:
    report = EngineTable(load()).report("sounds")
    assert report.engine == "spectral"
    assert set(report.reasons) == set(ENGINES["sounds"]) - {"spectral"}


class Loud(TaggedSounds):
    """A tagger of one label, for the times of events."""

    kind = AstSounds.kind

    def read_labels(self, settings: Settings) -> tuple[str, ...]:
        return ("Blast",)

    def tag(self, clips: Sequence[Samples]) -> Array:
        return np.array([[float(np.abs(clip).max() > 0.5)] for clip in clips])


@pytest.mark.parametrize(
    ("at", "until", "found"),
    [
        (13.5, 14.5, [(12, 16)]),
        (13.5, 17.5, [(12, 20)]),
        (31.5, 32.5, [(28, 36)]),
        (0.5, 1.5, [(0, 4)]),
    ],
)
def test_a_sound_is_placed_within_four_seconds(at: float, until: float, found: list[tuple[float, float]]) -> None:
    samples = noise(50, 0.01)
    samples[round(at * RATE) : round(until * RATE)] = 0.9
    events = heard(Loud(load()), blocks_at(RATE, samples))
    assert [(event.start, event.end) for event in events if event.kind == "Blast"] == found


def test_a_gap_in_the_file_separates_two_sounds() -> None:
    loud = np.full(8 * RATE, 0.9)
    blocks = [*blocks_at(RATE, loud), *blocks_at(RATE, loud, start=60.0)]
    events = heard(Loud(load()), blocks)
    assert [(event.start, event.end) for event in events if event.kind == "Blast"] == [(0, 8), (60, 68)]


@pytest.mark.nightly
def test_a_label_is_found_once_when_the_embedded_engine_knows_it_too(tmp_path: Path, media: Path) -> None:
    from longtake.preprocess.media.audio import read_audio
    from longtake.preprocess.media.media import probe

    engine = AstSounds(settings(write_tiny_ast(tmp_path), 0.01))
    path = media / "whisper" / "jfk.flac"
    kinds = {event.kind for event in heard(engine, list(read_audio(path, probe(path))))}
    assert {SURE, "speech"} <= kinds
    assert "Speech" not in kinds


@pytest.mark.nightly
def test_a_question_about_a_named_sound_leads_to_its_place(tmp_path: Path) -> None:
    of_ast = settings(write_tiny_ast(tmp_path / "ast"), 0.9)
    write_sound(tmp_path / "yard.wav", np.concatenate([np.zeros(20 * RATE), noise(8, 0.1), np.zeros(20 * RATE)]))
    with longtake.Library(tmp_path / "library", of_ast) as library:
        library.index(tmp_path / "yard.wav")
        place = library.ask("yard.wav", "Is there a dog barking?").places[0]
    assert (place.quote, place.start, place.end) == (SURE, 20, 28)
