"""Scripts and the truth of them: the same for a seed, of every kind of event, and exact."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from helpers.full_disk import full_disk
from PIL import Image, ImageDraw, ImageFont

from longtake.errors import ConfigError, EngineError
from longtake.evalharness.scripted.script import ScriptedVideo, truth_of
from longtake.evalharness.scripted.suite import KINDS, stills_in, write_script
from longtake.evalharness.scripted.voices import recordings_in, spoken

pytestmark = pytest.mark.usefixtures("voice")
SEED = 3


@pytest.fixture(scope="module")
def scripts() -> list[ScriptedVideo]:
    return [write_script(SEED, number) for number in range(12)]


def test_a_seed_and_a_number_give_the_same_truth_and_others_another(scripts: list[ScriptedVideo]) -> None:
    again = write_script(SEED, 1)
    assert truth_of(again).model_dump_json() == truth_of(scripts[1]).model_dump_json()
    assert again == scripts[1]
    texts = {truth_of(script).model_copy(update={"name": ""}).model_dump_json() for script in scripts}
    texts.add(truth_of(write_script(SEED + 1, 1)).model_copy(update={"name": ""}).model_dump_json())
    assert len(texts) == len(scripts) + 1


def test_every_kind_of_scene_and_of_change_comes(scripts: list[ScriptedVideo]) -> None:
    scenes = [scene for script in scripts for scene in script.scenes]
    assert {scene.kind for scene in scenes} == {"opening", *KINDS}
    assert {scene.begins for scene in scenes} == {"cut", "dissolve", "fade"}


def test_videos_last_one_to_two_minutes_and_every_second_one_has_subtitles(scripts: list[ScriptedVideo]) -> None:
    assert all(60 <= truth_of(script).duration <= 120 for script in scripts)
    assert [script.subtitled for script in scripts] == [True, False] * 6


def test_what_is_said_and_heard_never_overlaps_and_lies_in_its_scene(scripts: list[ScriptedVideo]) -> None:
    for script in scripts:
        truth = truth_of(script)
        heard = sorted((one.start, one.end) for one in (*truth.cues, *truth.sounds))
        assert all(first[1] < second[0] for first, second in pairwise(heard))
        for start, end in heard:
            assert any(
                scene.first_frame <= start * truth.fps and end * truth.fps <= scene.end_frame for scene in truth.scenes
            )


def drawn(letter: str) -> bytes:
    picture = Image.new("L", (60, 60))
    ImageDraw.Draw(picture).text((5, 5), letter, font=ImageFont.load_default(40), fill=255)
    return picture.tobytes()


def test_every_letter_that_is_written_can_be_drawn(scripts: list[ScriptedVideo]) -> None:
    letters = {
        letter for script in scripts for text in truth_of(script).texts for letter in text.text if letter.strip()
    }
    assert len(letters) > 50
    assert [letter for letter in sorted(letters) if drawn(letter) == drawn("\uffff")] == []


@pytest.mark.slow
def test_the_day_that_is_said_is_at_times_that_of_the_slide_and_at_times_another() -> None:
    facts = [s.facts for number in range(40) for s in write_script(SEED, number).scenes if s.kind == "date"]
    assert {fact["said"] == fact["written"] for fact in facts} == {True, False}
    assert all(str(fact["verdict"]).startswith("Yes") == (fact["said"] == fact["written"]) for fact in facts)


def test_recordings_are_played_with_their_exact_words(media: Path) -> None:
    recordings = recordings_in(media / "pocketsphinx")
    played = [
        (line, script)
        for number in range(8)
        for script in [write_script(SEED, number, recordings)]
        for scene in script.scenes
        for line in scene.lines
        if line.recording
    ]
    words = {str(one.path): one.text for one in recordings}
    assert played
    assert all(line.text == words[str(line.recording)] for line, _ in played)
    line, script = played[0]
    assert line.text in [cue.text for cue in truth_of(script).cues]


@pytest.mark.nightly
def test_photographs_are_shown_and_named_after_their_files(media: Path) -> None:
    stills = stills_in(media / "face_recognition")
    named = {
        str(scene.facts["person"])
        for number in range(12)
        for scene in write_script(SEED, number, (), stills).scenes
        if scene.kind == "portrait"
    }
    assert named
    assert named <= {path.stem.replace("_", " ").replace("-", " ").title() for path in stills}


def test_folders_without_anything_to_use_are_named(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("only words")
    with pytest.raises(ConfigError, match=r"talk\.txt"):
        recordings_in(tmp_path)
    with pytest.raises(ConfigError, match="no photos"):
        stills_in(tmp_path)


def test_a_text_that_is_not_utf8_is_named(tmp_path: Path, tone: Path) -> None:
    (tmp_path / "talk.wav").write_bytes(tone.read_bytes())
    (tmp_path / "talk.txt").write_bytes("Grüße".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"talk\.txt is not text in UTF-8"):
        recordings_in(tmp_path)


def test_speech_that_there_is_no_room_for_is_reported() -> None:
    with full_disk(1_000), pytest.raises(EngineError, match=r"espeak-ng cannot speak into .*make room there"):
        spoken("Nobody has said this before.", "en-gb")
