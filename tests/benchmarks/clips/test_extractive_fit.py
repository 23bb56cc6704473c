"""Fitting the controller's confidence: a report, and weights that load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.media.clips import flat, write_clip
from typer.testing import CliRunner

from longtake.agent.fitted import FILE, Weights, load_weights
from longtake.benchmarks.cli import bench
from longtake.benchmarks.clips import extractive_fit
from longtake.benchmarks.clips.examples import load_recordings
from longtake.console import Session
from longtake.errors import ConfigError
from longtake.preprocess.engines.text.ms_marco import MODEL
from longtake.settings import Settings

PLAIN = Session(overrides=("engines.text_embedding=[wordllama]",))


def bench_json(session: Session, *arguments: object) -> dict[str, Any]:
    done = CliRunner().invoke(bench, [*map(str, arguments), "--json"], obj=session, catch_exceptions=False)
    return dict(json.loads(done.stdout))


def fitted_in(folder: Path) -> Weights:
    written = json.loads((folder / FILE).read_text())["embeddings"]["wordllama"]
    return Weights.model_validate({name: written[name] for name in Weights.model_fields})


@pytest.mark.skipif(bool(MODEL.missing(Settings())), reason="needs the extra `weights`")
def test_what_is_read_is_measured_beside_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recordings = load_recordings()[:5]
    monkeypatch.setattr(extractive_fit, "load_recordings", lambda: recordings)
    report = bench_json(PLAIN, "reading", "--write", tmp_path)
    answerable = sum(bool(one.answers) for each in recordings for one in each.questions)
    searched, read = report["found"]["as_searched"], report["found"]["as_read"]
    assert (report["about"], report["questions"]) == (5, sum(len(each.questions) for each in recordings))
    assert searched["best"]["n"] == read["best"]["n"] == answerable
    assert read["best"]["count"] > searched["best"]["count"]
    assert sum(fifth["n"] for fifth in read["right_by_confidence"]) == report["questions"]
    assert fitted_in(tmp_path) != load_weights("wordllama")


def test_without_a_reranker_there_is_nothing_to_measure() -> None:
    with pytest.raises(ConfigError, match="longtake\\[weights\\]"):
        bench_json(Session(overrides=("engines.reranking=[]",)), "reading")


def test_confidence_in_what_is_shown_is_fitted_to_a_run(tmp_path: Path) -> None:
    lines = []
    for number in range(12):
        write_clip(tmp_path / f"{number}.mp4", [flat((90, 60, 20 * number))] * 25)
        facts = {"id": str(number), "media": f"{number}.mp4", "answer": "1 second", "evidence": [0, 1]}
        lines.append(
            json.dumps(facts | {"question": "How long is the video?", "modality": "visual", "kind": "duration"})
        )
    (tmp_path / "questions.jsonl").write_text("\n".join(lines))
    session = Session(overrides=PLAIN.overrides, library=tmp_path / "library")
    run = tmp_path / "run.json"
    run.write_text(json.dumps(bench_json(session, "clips", "--media", tmp_path)))
    report = bench_json(session, "ranking", "--report", run, "--write", tmp_path)
    assert (report["about"], report["questions"]) == (12, 12)
    assert report["found"]["on_clips"]["best"]["n"] == 12
    assert fitted_in(tmp_path) != load_weights("wordllama")
