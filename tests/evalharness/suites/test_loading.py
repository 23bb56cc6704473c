"""How the names in a table become videos."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.media.clips import flat, write_clip

from longtake.evalharness.suites.own_set import Card, CardFields, load_own_set

FIELDS = CardFields(question="question", answer="answer", video="video")
FILES = ("bees.mp4", "talks/v1.2.mp4")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (("bees", "bees.mp4", "bees"), ("bees", "bees", "bees")),
        (("bees.mp4", "bees"), ("bees.mp4", "bees.mp4")),
        (("v1.2", "talks/v1.2", "talks/v1.2.mp4"), ("v1.2", "v1.2", "v1.2")),
        (("linked.mp4", "bees"), ("linked.mp4", "linked.mp4")),
        (("gone.mp4", "gone", "./gone.MP4"), ("gone.mp4", "gone.mp4", "gone.mp4")),
        (("v1.3", "v1.4"), ("v1.3", "v1.4")),
        (("bees", "v1.2", "gone"), ("bees", "v1.2", "gone")),
    ],
)
def test_a_video_counts_once_however_it_is_written(
    tmp_path: Path, written: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    for name in FILES:
        file = tmp_path / "clips" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        write_clip(file, [flat((9, 9, 9), 64, 48)] * 10, times=lambda number: number / 5)
    (tmp_path / "clips" / "linked.mp4").symlink_to("bees.mp4")
    table = tmp_path / "questions.jsonl"
    rows = ({"question": "Which?", "answer": "This.", "video": name} for name in written)
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    card = Card(name="set", file=table, videos=tmp_path / "clips", fields=FIELDS, format="open")
    assert tuple(item.video for item in load_own_set(card, lambda sentence: None)) == expected


def test_two_videos_of_one_name_are_reported_and_none_is_taken(tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    for folder in ("a/one", "one", "two"):
        (clips / folder).mkdir(parents=True)
        write_clip(clips / folder / "v.mp4", [flat((9, 9, 9), 64, 48)] * 5, times=lambda number: number / 5)
    table, reported = tmp_path / "questions.jsonl", list[str]()
    names = ("v", "two/v.mp4", "one/v")  # the last is a path from the folder on, and no end of another
    rows = ({"question": "Why?", "answer": "x", "video": name} for name in names)
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    items = load_own_set(Card(name="names", file=table, videos=clips, fields=FIELDS), reported.append)
    assert [item.media for item in items] == [None, str(clips / "two" / "v.mp4"), str(clips / "one" / "v.mp4")]
    assert len(reported) == 1
    assert "line 1, video: v: 3 videos" in reported[0]
