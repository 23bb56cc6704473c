"""Titles of slides among the texts in the picture."""

from __future__ import annotations

from typing import Any

import pytest

from longtake.preprocess.analysis.slide_titles import slide_titles


def shown(text: str, top: float) -> dict[str, Any]:
    return {"text": text, "start": 10.0, "end": 30.0, "box": [0.1, top, 0.6, 0.08]}


@pytest.mark.parametrize("drawing", ["OOOOOOOO", "1 2 3", "l l l l"])
def test_a_drawing_that_is_read_as_text_is_no_title(drawing: str) -> None:
    [title] = slide_titles([shown(drawing, 0.05), shown("Step 2: Length", 0.2)], 100.0)
    assert (title.text, title.start, title.end) == ("Step 2: Length", 10.0, 30.0)
