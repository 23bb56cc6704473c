"""The names by which subjects are asked for on the command line; what they mean say `table` and `given`."""

from __future__ import annotations

NAMES = ("agent", "agent:PROFILE", "retrieval", "transcript", "random", "majority", "longest")
MODELS = ("model:NAME@URL", "single-frame:NAME@URL", "question-only:NAME@URL", "simulated:NAME@URL")
