"""What a check decides."""

from __future__ import annotations

from typing import NamedTuple


class Decision(NamedTuple):
    """Whether a check is true, and whether that is certain."""

    met: bool
    sure: bool = True
