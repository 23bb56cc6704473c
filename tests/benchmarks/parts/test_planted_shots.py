"""Boundaries are scored by kind, and a planted film says where its transitions are."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.media.clips import noise, write_clip

from longtake.benchmarks.parts.planted_shots import (
    KINDS,
    Kind,
    Transition,
    is_held_out,
    listed_times,
    measure_shots,
    score,
)
from longtake.console import Session


def at(kind: Kind, start: float, end: float | None = None) -> Transition:
    return Transition(clip="a", kind=kind, start=start, end=start if end is None else end)


def test_times_are_read_from_an_answer() -> None:
    assert listed_times("1.001 s (black to leaf) and 6.006 s (leaf to black).") == [1.001, 6.006]
    assert listed_times("1.20, 3.04, 5.48, 7.48, 9.68 s (6 shots).") == [1.2, 3.04, 5.48, 7.48, 9.68]


def test_a_cut_counts_within_two_frames_and_a_dissolve_inside_its_span() -> None:
    there = [at("cut", 1.0), at("cut", 5.0), at("dissolve", 7.0, 8.0)]
    reported = [at("cut", 1.08), at("cut", 5.2), at("dissolve", 7.3), at("dissolve", 9.0)]
    cuts, dissolves = score("cut", there, reported), score("dissolve", there, reported)
    assert (cuts.recall.count, cuts.recall.n, cuts.precision.count, cuts.precision.n) == (1, 2, 1, 2)
    assert cuts.missed == (there[1],)
    assert cuts.false == (reported[1],)
    assert (dissolves.recall.count, dissolves.precision.count, dissolves.precision.n) == (1, 1, 2)


def test_a_cut_inside_a_dissolve_is_false() -> None:
    assert score("cut", [at("dissolve", 7.0, 8.0)], [at("cut", 7.5)]).precision.count == 0


def test_a_film_of_quiet_clips_is_told_apart_without_a_fault(tmp_path: Path) -> None:
    names = [name for name in (f"{number}.mkv" for number in range(40)) if is_held_out(name)][:5]
    for seed, name in enumerate(names):
        write_clip(tmp_path / name, [noise(seed, 640, 360)] * 80)
    question = {"id": "q", "media": names[0], "question": "?", "answer": "no time", "evidence": [0, 1]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question | {"modality": "visual", "kind": "other"}))
    scores = measure_shots(Session(), lambda _: None, tmp_path).scores
    for kind in KINDS:
        planted = scores[f"planted, {kind}"]
        assert (planted.recall.n, planted.missed, planted.false) == (4, (), ())
