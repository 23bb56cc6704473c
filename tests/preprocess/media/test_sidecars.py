"""Which subtitle files a video takes, by their names, and which are named instead."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from longtake.preprocess.media.sidecars import find_sidecars, unread_subtitles
from longtake.preprocess.media.subtitle_names import language_in

CUE = "1\n00:00:01,000 --> 00:00:02,000\nHello.\n"


def folder_of(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(CUE)
    return root


def taken(root: Path, video: str = "talk.mp4") -> dict[str, str | None]:
    return {str(found.path.relative_to(root)): found.language for found in find_sidecars(root / video)}


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("talk.srt", None), ("TALK.SRT", None), ("talk.mp4.vtt", None), ("talk.en.vtt", "en"), ("talk_fr.srt", "fr"),
        ("talk-deu.ass", "de"), ("talk.pt-BR.srt", "pt-BR"), ("talk.captions.en.vtt", "en"),
        ("talk_captions_en.vtt", "en"), ("talk.en.forced.ssa", "en"), ("talk-subtitles.srt", None),
        ("talk.en-orig.vtt", "en"), ("talk.de-en.vtt", "de"), ("talk.en-nP7-2PuUl7o.vtt", "en"),
        ("talk.English.srt", "en"), ("talk.Brazilian Portuguese.srt", "pt-BR"),
        ("talk.Português (Brasil).srt", "pt-BR"),
        ("talk.Chinese (Traditional).srt", "zh-Hant"), ("talk.français.srt", "fr"), ("talk.日本語.srt", "ja"),
        ("talk (en).srt", "en"), ("talk [English].srt", "en"),
        ("[English] talk [DownSub.com].srt", "en"), ("[French (auto-generated)] talk.srt", "fr"),
        ("talk.de (subs.example.org).srt", "de"), ("talk.English (SDH).srt", "en"),
        ("talk.en.hi.srt", "en"), ("talk.hi.srt", "hi"), ("talk.en.1.srt", "en"), ("talk.und.srt", None),
        ("talk.iw.srt", "he"), ("talk.zh-Hant-TW.srt", "zh-Hant-TW"), ("talk.pt_br.srt", "pt-BR"),
        ("talk.jp.srt", "ja"), ("talk.en.cc.vtt", "en"), ("talk.Latin American Spanish.srt", "es-419"),
        ("talk.sr-Latn.srt", "sr-Latn"), ("talk.es-419.srt", "es-419"), ("talk.transcript.vtt", None),
        ("talk.en.ttml", "en"), ("talk.en.dfxp", "en"), ("talk.sbv", None), ("talk.lrc", None), ("talk.en.json3", "en"),
        ("Subs/talk.en.srt", "en"), ("Subtitles/talk.srt", None), ("Subs/talk/2_English.srt", "en"),
        ("Subs/2_English.srt", "en"), ("English.srt", "en"), ("captions.vtt", None),
        ("Untertitel/talk.de.srt", "de"), ("talk_track3_[ger].ass", "de"), ("talk.sc.ass", "zh-Hans"),
    ],
)  # fmt: skip
def test_sidecars_are_found_by_their_name(tmp_path: Path, name: str, language: str | None) -> None:
    assert taken(folder_of(tmp_path, "talk.mp4", name)) == {name: language}
    assert unread_subtitles(tmp_path / "talk.mp4") == []


@pytest.mark.parametrize(
    "name",
    ["talk_meta.vtt", "talk.chapters.en.vtt", "talk2.srt", "talk-2.srt", "talk 2.en.srt", "other.srt", "Subs/x.srt",
     "talk.sub", "talk.en.sup", "[English] other [DownSub.com].srt", "[Part 2] talk.srt"],
)  # fmt: skip
def test_what_isnt_read_is_named_with_what_to_do(tmp_path: Path, name: str) -> None:
    assert taken(folder_of(tmp_path, "talk.mp4", name)) == {}
    (sentence,) = unread_subtitles(tmp_path / "talk.mp4")
    assert sentence.startswith(f"Not read: {name}. ")
    assert ("Convert to .srt" if "su" in name[-4:] else "--subtitles") in sentence
    assert unread_subtitles(tmp_path / "talk.mp4", {Path(name).name}) == []


@pytest.mark.parametrize(
    ("video", "other", "name"),
    [
        ("talk.mp4", "talk_en.mp4", "talk_en.srt"),
        ("talk.mp4", "talk 2.mp4", "talk 2.en.srt"),
        ("s01e01.mkv", "s01e02.mkv", "s01e02.srt"),
        ("s01e01.mkv", "s01e02.mkv", "Subs/s01e02/2_English.srt"),
        ("talk.mp4", "talk.en.mp4", "talk.en.vtt"),
        ("a1b2.media", "c3d4.media", "c3d4.en.srt"),
        ("talk.mp4", "[Fansub] talk.mp4", "[Fansub] talk.en.srt"),
        ("Film.2019.mkv", "Film.2020.mkv", "Subs/Film.2020/2_English.srt"),
    ],
)
def test_the_subtitles_of_another_video_are_left_to_it(tmp_path: Path, video: str, other: str, name: str) -> None:
    folder_of(tmp_path, video, other, name)
    assert taken(tmp_path, video) == {}
    assert unread_subtitles(tmp_path / video) == []
    assert list(taken(tmp_path, other)) == [name]


def test_a_name_that_could_mean_several_videos_is_taken_by_none(tmp_path: Path) -> None:
    folder_of(tmp_path, "a.mkv", "b.mkv", "Subs/2_English.srt")
    assert taken(tmp_path, "a.mkv") == taken(tmp_path, "b.mkv") == {}
    assert "2_English.srt" in unread_subtitles(tmp_path / "a.mkv")[0]


@pytest.mark.parametrize(
    ("video", "name"),
    [
        ("GMT20240112-140300_Recording_1920x1080.mp4", "GMT20240112-140300_Recording.transcript.vtt"),
        ("GMT20240112-140300_Recording_gallery_1280x720.mp4", "GMT20240112-140300_Recording.cc.vtt"),
        ("Sync-20240112_100300-Meeting Recording.mp4", "Sync-20240112_100300-Meeting Transcript.vtt"),
        ("Sync-20240112_100300UTC-Meeting Recording.mp4", "Sync.vtt"),
        ("Sync (2024-01-12) - Recording.mp4", "Sync (2024-01-12) - Transcript.sbv"),
    ],
)
def test_a_meetings_transcript_belongs_to_its_recording(tmp_path: Path, video: str, name: str) -> None:
    assert taken(folder_of(tmp_path, video, name), video) == {name: None}
    (tmp_path / f"{video[:4]}.other.mp4").touch()
    assert taken(tmp_path, video) == {name: None}


def test_names_in_another_normal_form_are_the_same(tmp_path: Path) -> None:
    name = unicodedata.normalize("NFD", "Café Séance.fr.srt")
    assert taken(folder_of(tmp_path, "Café Séance.mp4", name), "Café Séance.mp4") == {name: "fr"}


def test_forced_and_automatic_tracks_come_last(tmp_path: Path) -> None:
    names = ["talk.en-orig.vtt", "talk.en.forced.srt", "talk.en.srt", "talk.fr.srt"]
    folder_of(tmp_path, "talk.mp4", *names)
    assert list(taken(tmp_path)) == ["talk.en.srt", "talk.fr.srt", "talk.en-orig.vtt", "talk.en.forced.srt"]


def test_a_text_is_a_sidecar_if_it_is_a_transcript_with_names(tmp_path: Path) -> None:
    folder_of(tmp_path, "talk.mp4")
    text = tmp_path / "talk.txt"
    for content, found in (
        ("Ann Lee  0:02\nHello.\n\nBob Tarn  0:05\nHi.\n\nAnn Lee  0:07\nBye.\n", {"talk.txt": None}),
        ("0:00 Introduction\n1:20 Questions\n", {}),
        ("A talk about roofs.\n", {}),
    ):
        text.write_text(content)
        assert (taken(tmp_path), unread_subtitles(tmp_path / "talk.mp4")) == (found, [])


@pytest.mark.parametrize(
    ("name", "language"),
    [("talk.pl.srt", "pl"), ("enc-cp1250.pl.srt", "pl"), ("talk (Polish).srt", "pl"),
     ("[Polish] talk [DownSub.com].srt", "pl"), ("how to do it.srt", None),
     ("it.srt", "it"), ("talk.2.en.srt", "en"), ("talk.srt", None)],
)  # fmt: skip
def test_the_end_of_a_name_tells_the_language(name: str, language: str | None) -> None:
    assert language_in(name) == language
