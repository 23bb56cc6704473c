"""The names of subjects on the command line; see `subject_table` and `model_spec` for their meaning."""

from __future__ import annotations

NAMES = (
    "agent",
    "agent:PROFILE",
    "retrieval",
    "transcript",
    "random",
    "majority",
    "longest",
    "replies:FILE",
    "lexical",
    "embedding:ENGINE",
    "likelihood:FILE",
    "bag-of-frames:ENGINE",
)
MODELS = ("model:NAME@URL", "single-frame:NAME@URL", "question-only:NAME@URL", "simulated:NAME@URL")
