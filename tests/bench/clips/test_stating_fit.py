"""Fitting the model of what a line states: a report, and files that load."""

from __future__ import annotations

import json
from pathlib import Path

from longtake.agent.controllers.extractive.passages import load_passages
from longtake.agent.controllers.extractive.ranking import FILE, Weights
from longtake.bench.clips.stating_fit import fit_stating, show_stating
from longtake.settings import Settings

PASSAGES = 15


def test_the_model_and_the_weights_are_written(tmp_path: Path) -> None:
    settings = Settings.model_validate({"engines": {"text_embedding": ["wordllama"]}})
    passages = load_passages()[:PASSAGES]
    report = fit_stating(settings, passages, tmp_path, lambda _: None)
    questions = sum(len(each.questions) for each in passages)
    answerable = sum(bool(one.answers) for each in passages for one in each.questions)
    assert (report.passages, report.questions) == (PASSAGES, questions)
    assert report.judged.best.n == report.without.best.n == answerable
    assert all(str(share) in "\n".join(show_stating(report)) for share in (report.judged.sure, report.without.wrong))
    assert {each.name for each in tmp_path.iterdir()} == {"stating-wordllama.npz", FILE}
    Weights.model_validate(json.loads((tmp_path / FILE).read_text())["wordllama"])
