"""Who takes part in what: three models for text, three for frames, five for Consistency, others for validation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.audits import write_audit
from helpers.command import longtake

from longtake.errors import ConfigError
from longtake.evalharness.audit.audit_state import audit_state
from longtake.evalharness.audit.models import models_named
from longtake.evalharness.runs.run_folder import RunFolder

TEXT, FRAMES, FIVE = ("e", "q", "w"), ("e", "w", "a"), ("e", "w", "r", "a", "i")
NAMED = (
    *(f"text:{name}" for name in TEXT),
    *(f"frames:{name}" for name in FRAMES),
    *(f"consistency:{name}" for name in FIVE),
    "validation:s",
)


def test_models_of_each_role() -> None:
    variants = {each.name: each.only for each in models_named(NAMED).variants(("blind", "center-frame"), [])}
    assert variants == {
        "standard": FIVE,
        "validation": ("s",),
        "blind": TEXT,
        "center-frame": FRAMES,
        "bag-of-frames": (),
    }
    bare = {each.name: each.only for each in models_named(["e", "bag-of-frames:clip"]).variants(("blind",), [])}
    assert bare == {"standard": ("e",), "validation": (), "blind": ("e",), "bag-of-frames": ("bag-of-frames:clip",)}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("text:bag-of-frames:clip",), "without text:"),
        (("e", "validation:e"), "without validation:"),
        (("frames:e",), "takes part in none of the tests blind"),
    ],
)
def test_roles_that_make_no_sense_are_one_sentence(names: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        models_named(names).variants(("blind",), [])


@pytest.fixture
def audit(tmp_path: Path) -> RunFolder:
    """Eight items: `a` is solved blind by all three, `b` by two; of five models all differ on nothing."""
    right = {
        ("blind", "e"): "abc",
        ("blind", "q"): "ab",
        ("blind", "w"): "a",
        **{("frame-shuffling", model): "cd" for model in ("e", "w")},
        ("frame-shuffling", "a"): "c",
        **{("standard", model): "abcd" for model in ("e", "w")},
        **{("standard", model): "ab" for model in ("r", "a", "i")},
        ("standard", "s"): "be",
    }
    wrong = {"e": 0, "q": 0, "w": 1, "r": 3, "a": 0, "i": 1, "s": 0}
    return write_audit(tmp_path / "run", "abcdefgh", right, wrong, named=NAMED)


def test_consistency_of_five_models_stands_beside_a_filter_at_three(audit: RunFolder) -> None:
    scores = audit_state(audit, print).scores
    # Three models of a test are right on a (blind) and c (shuffled), though five see the whole video.
    assert (scores.shortcuts.level, scores.shortcuts.flagged) == (3, {"a": ("blind",), "c": ("frame-shuffling",)})
    # On e to h the five choose A, B, D, A, B: three options, and none has more than half. On c and d two of five are
    # right, the others choose D, A and B.
    assert scores.ambiguity.all_differ == ()
    assert scores.ambiguity.no_majority == tuple("cdefgh")
    # The model of validation took part in no test: it solves neither a nor c with the whole video.
    assert scores.correlation["blind"]["s"] == 0.0
    assert scores.correlation["blind"]["e"] == 1.0
    assert "q" not in scores.accuracy["standard"]


def test_the_consensus_decides_what_goes(audit: RunFolder, tmp_path: Path) -> None:
    # At two of three models: a and b (blind), c and d (shuffled).
    done = longtake("eval", "audit", "score", audit.path, "--consensus", "2", "--json")
    assert sorted(json.loads(done.stdout)["shortcuts"]["flagged"]) == list("abcd")
    flows = {
        level: json.loads(
            longtake("eval", "audit", "distil", audit.path, "--out", tmp_path / str(level), *given, "--json").stdout
        )
        for level, given in ((3, ()), (2, ("--consensus", "2")))
    }
    assert {level: (flow["shortcuts"], flow["remaining"]) for level, flow in flows.items()} == {3: (2, 6), 2: (4, 4)}
    assert "that 2 models of one test solved" in (tmp_path / "2" / "README.md").read_text()
    report = longtake("eval", "audit", "report", audit.path, "--out", tmp_path / "report", "--consensus", "2")
    assert report.code == 0, report.stderr
    assert "At consensus 2" in (tmp_path / "report" / "audit.md").read_text()
    more = longtake("eval", "audit", "score", audit.path, "--consensus", "4")
    assert (more.code, "the most is 3" in more.stderr) == (1, True)
