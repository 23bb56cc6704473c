"""The file of what was fitted."""

from __future__ import annotations

import json
from pathlib import Path

from longtake.agent.fitted import FILE, load_weights, rewrite


def test_a_family_without_weights_has_those_of_the_first() -> None:
    assert load_weights("unknown") == load_weights("minilm") != load_weights("wordllama")


def test_what_is_fitted_again_leaves_the_rest_as_it_was(tmp_path: Path) -> None:
    rewrite(tmp_path, "new", {"near": 0.5})
    rewrite(tmp_path, "minilm", {"near": 0.25})
    written = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    assert written["embeddings"]["new"] == {"near": 0.5}
    assert written["embeddings"]["minilm"]["near"] == 0.25
    assert tuple(written["embeddings"]["minilm"]["ranks"]) == load_weights("minilm").ranks
    assert all(written["how"].values())
