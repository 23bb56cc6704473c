"""Reads JSON that strangers wrote."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """The value that a JSON text holds.

    Raises:
        ValueError: if it isn't JSON, or is nested deeper than Python can read.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
