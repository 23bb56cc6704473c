"""Chapters made of an answer's citations."""

from __future__ import annotations

from longtake.exports.chapters import as_text, as_vtt, chapters_of
from longtake.memory.records import Answer, Citation, Claim, Verdict
from longtake.preprocess.layers.sections import Section


def claim(text: str, *starts: float, verdict: Verdict = "supported", video: str = "v") -> Claim:
    places = (
        Citation(video=video, start=start, end=start + 5, modality="scene_text", quote=f"slide at {start:g}")
        for start in starts
    )
    return Claim(text=text, verdict=verdict, citations=tuple(places))


def made(*claims: Claim, duration: float = 100.0) -> list[Section]:
    return chapters_of(Answer(question="?", status="answered", answer="", claims=claims), "v", "talk.mp4", duration)


def test_chapters_follow_the_video_from_its_start_to_its_end() -> None:
    assert made(claim("The pot costs $5", 40.2), claim("The kettle costs $9", 10)) == [
        Section(0, 10, "talk.mp4"),
        Section(10, 40, "The kettle costs $9"),
        Section(40, 100, "The pot costs $5"),
    ]


def test_what_is_cited_at_the_start_needs_no_chapter_before_it() -> None:
    assert [chapter.title for chapter in made(claim("Welcome", 0.4), claim("The end", 90))] == ["Welcome", "The end"]


def test_a_claim_that_rests_on_several_places_gives_each_its_own_words() -> None:
    titles = [chapter.title for chapter in made(claim("Two slides are shown", 10, 20))]
    assert titles == ["talk.mp4", "slide at 10", "slide at 20"]
    assert [chapter.title for chapter in made(claim("One slide", 10, 10.5))] == ["talk.mp4", "One slide"]


def test_what_is_not_proven_and_other_videos_give_no_chapter() -> None:
    assert made(claim("No", 10, verdict="not_shown"), claim("Elsewhere", 20, video="w")) == []


def test_titles_are_one_line_without_times_and_not_too_long() -> None:
    [_, chapter] = made(claim("It  rains\nat noon [00:12:00] [talk.mp4 00:13:00]. " + "x" * 200, 10))
    assert chapter.title.startswith("It rains at noon. xxx")
    assert len(chapter.title) == 100
    assert chapter.title.endswith("x…")


def test_text_is_a_line_a_chapter() -> None:
    assert as_text([Section(0, 3661, "talk"), Section(3661, 4000, "Then")]) == "00:00:00 talk\n01:01:01 Then\n"


def test_vtt_says_the_titles_as_text() -> None:
    assert as_vtt([Section(0, 61.5, 'A < "B" & C --> D')]) == (
        'WEBVTT\n\n00:00:00.000 --> 00:01:01.500\nA &lt; "B" &amp; C --&gt; D\n'
    )
