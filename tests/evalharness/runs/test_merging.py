"""Runs that asked a part each, joined: the same as one run that asked everything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.eval_command import eval_

VIDEOS = 7


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    """A set of choices and open questions about seven videos, in no order of the videos."""
    rows = [
        f"q{number},Which day is number {number}?,{options},{right},{number * 5 % VIDEOS}.mp4,{number % 3}"
        for number in range(20)
        for options, right in [
            ("Friday,Monday or Tuesday,Sunday", "ABC"[number % 3]) if number % 4 else (",,", "Friday.")
        ]
    ]
    (tmp_path / "questions.csv").write_text("\n".join(["id,question,a,b,c,right,clip,kind", *rows]))
    (tmp_path / "card.yaml").write_text(
        "name: week\nfile: questions.csv\nrotate: true\n"
        "fields: {id: id, question: question, options: [a, b, c], answer: right, video: clip, task: kind}\n"
    )
    return tmp_path


def ask(cards: Path, out: str, *options: object, subjects: tuple[str, ...] = ("random", "longest")) -> str:
    named = [part for subject in subjects for part in ("--subject", subject)]
    _, said, errors = eval_("run", cards / "card.yaml", "--suite", "own", "--out", cards / out, *named, *options)
    return said + errors


def merge(cards: Path, *runs: str, out: str = "merged") -> tuple[int, str]:
    code, said, errors = eval_("merge", *(cards / run for run in runs), "--out", cards / out)
    return code, said + errors


def scored(cards: Path, run: str) -> str:
    eval_("judge", cards / run, "--by", "rules")
    return eval_("score", cards / run, "--json")[1]


def asked(cards: Path, run: str) -> list[tuple[str, str]]:
    lines = (cards / run / "predictions.jsonl").read_text().splitlines()
    return [(held["subject"], held["item"]) for held in map(json.loads, lines)]


def test_shards_share_the_videos_and_their_scores_are_those_of_a_single_run(cards: Path) -> None:
    ask(cards, "whole", "--seed", 1, "--seed", 2)
    shards = [f"shard-{number}" for number in (1, 2, 3)]
    for number, shard in enumerate(shards, 1):
        ask(cards, shard, "--seed", 1, "--seed", 2, "--shard", f"{number}/3")
        assert eval_("judge", cards / shard, "--by", "rules")[0] == 0
    questions = {f"q{number}": number * 5 % VIDEOS for number in range(20)}
    videos = [{questions[item] for _, item in asked(cards, shard)} for shard in shards]
    assert sorted(video for each in videos for video in each) == list(range(VIDEOS))
    assert all(videos)
    assert merge(cards, *reversed(shards))[0] == 0
    assert scored(cards, "merged").encode() == scored(cards, "whole").encode()
    assert asked(cards, "merged") == asked(cards, "whole")


def test_the_rest_of_a_shard_can_be_asked_in_the_same_folder(cards: Path) -> None:
    ask(cards, "run", "--shard", "1/2", "--limit", 6)
    first = asked(cards, "run")
    ask(cards, "run")
    assert asked(cards, "run")[: len(first)] == first
    ask(cards, "whole")
    assert scored(cards, "run") == scored(cards, "whole")


def test_subjects_that_were_asked_apart_are_joined(cards: Path) -> None:
    ask(cards, "whole")
    ask(cards, "one", subjects=("random",))
    ask(cards, "other", subjects=("longest",))
    assert merge(cards, "one", "other")[0] == 0
    assert scored(cards, "merged") == scored(cards, "whole")


@pytest.mark.parametrize(
    ("options", "reported"),
    [(("--seed", 3), "are no parts of one run (different: seeds)"), (("--limit", 5), "have other items, such as q10")],
)
def test_other_runs_are_refused(cards: Path, options: tuple[object, ...], reported: str) -> None:
    ask(cards, "one", subjects=("random",))
    ask(cards, "other", *options, subjects=("random",))
    code, said = merge(cards, "one", "other")
    assert (code, reported in said) == (1, True), said
    assert not (cards / "merged").exists()


def test_different_replies_of_one_subject_to_one_item_are_refused_but_an_error_gives_way(cards: Path) -> None:
    for run in ("one", "other"):
        ask(cards, run, subjects=("longest",))
    file = cards / "other" / "predictions.jsonl"
    first, *rest = file.read_text().splitlines()
    for text, status, code in (("A. Something else", "ok", 1), ("", "error", 0)):
        changed = json.loads(first)
        changed["replies"][0] |= {"text": text, "status": status}
        file.write_text("\n".join([json.dumps(changed), *rest]) + "\n")
        refused, said = merge(cards, "other", "one")
        assert refused == code
        assert ("have different replies of longest to" in said) == bool(code)
    assert scored(cards, "merged") == scored(cards, "one")
    assert "holds a run already" in merge(cards, "one", "other")[1]


@pytest.mark.parametrize("shard", ["0/2", "3/2", "2", "a/b"])
def test_what_is_no_shard_is_one_sentence(cards: Path, shard: str) -> None:
    assert f"--shard {shard} isn't a part" in ask(cards, "run", "--shard", shard)
    assert not (cards / "run").exists()
