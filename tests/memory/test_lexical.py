"""Word search."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.memory.lexical import LexicalIndex

TEXTS = ["The red car stops.", "A car that is red, and a red bus", "", "Dragons fly at 01:00:32:03"]


def test_a_phrase_ranks_above_its_scattered_words() -> None:
    scores = LexicalIndex.build(TEXTS).scores("red car")
    assert scores[0] > scores[1] > 0
    assert scores[2] == scores[3] == 0


def test_what_no_text_says_scores_nothing() -> None:
    assert not LexicalIndex.build(TEXTS).scores("where is the submarine?").any()
    assert not LexicalIndex.build(["", "..."]).scores("anything").any()


def test_the_kept_index_gives_the_same_scores_without_reading_the_texts(tmp_path: Path) -> None:
    built = LexicalIndex.cached(tmp_path / "kept", lambda: TEXTS)
    kept = LexicalIndex.cached(tmp_path / "kept", lambda: pytest.fail("the texts were read again"))
    assert kept.scores("dragons").tolist() == built.scores("dragons").tolist() != [0, 0, 0, 0]


@pytest.mark.parametrize("file", ["vocab.index.json", "data.csc.index.npy", "params.index.json"])
def test_a_damaged_kept_index_is_built_again(tmp_path: Path, file: str) -> None:
    LexicalIndex.cached(tmp_path / "kept", lambda: TEXTS)
    (tmp_path / "kept" / file).write_bytes(b"{")
    assert LexicalIndex.cached(tmp_path / "kept", lambda: TEXTS).scores("dragons").any()
