"""What the name of a model as a subject says."""

from __future__ import annotations

import pytest

from longtake.errors import ConfigError
from longtake.evalharness.items import Variant
from longtake.evalharness.runs.run_folder import RunCard
from longtake.evalharness.subjects.model_spec import Given, asked_in, given_by, is_model
from longtake.evalharness.subjects.sampled_frames import Sampling

URL = "http://127.0.0.1:8000/v1"
PLAIN = Variant()
FIVE = Variant(name="5fps", fps=5.0, most_frames=32)


@pytest.mark.parametrize(
    ("name", "transcript", "sampling", "in_five"),
    [
        (f"model:Qwen/Qwen2.5-VL-7B@{URL}", False, Sampling(64), Sampling(32, 5.0)),
        (f"model:m@{URL}?frames=8&transcript=1", True, Sampling(8), Sampling(8, 5.0)),
        (f"model:m@{URL}?fps=8&frames=32", False, Sampling(32, 8.0), Sampling(32, 8.0)),
        (f"model:m@{URL}?video=1", False, None, None),
        (f"model:m@{URL}?fps=16", False, Sampling(64, 16.0), Sampling(32, 16.0)),
        (f"model:m@{URL}?transcript=1", True, None, None),
        (f"simulated:m@{URL}", False, Sampling(64), Sampling(32, 5.0)),
        (f"simulated:m@{URL}?frames=8&transcript=1", True, Sampling(8), Sampling(8, 5.0)),
        (f"single-frame:m@{URL}", False, Sampling(1), Sampling(1)),
        (f"question-only:m:free@{URL}", False, None, None),
    ],
)
def test_a_name_says_what_the_model_is_given(
    name: str, transcript: bool, sampling: Sampling | None, in_five: Sampling | None
) -> None:
    given = given_by(name)
    assert given.url == URL
    assert given.transcript == transcript
    assert given.sees == (sampling is not None)
    if sampling:
        assert (given.sampling(PLAIN), given.sampling(FIVE)) == (sampling, in_five)


def test_the_name_of_the_model_may_hold_slashes_and_colons() -> None:
    assert given_by(f"question-only:org/m:free@{URL}?timeout=5") == Given(
        model="org/m:free", url=URL, frames=0, timeout=5
    )


@pytest.mark.parametrize(
    ("name", "reported"),
    [
        ("model:m", "is named model:NAME@URL"),
        ("model:@http://x/v1", "is named model:NAME@URL"),
        ("model:m@localhost:8000/v1", "is named model:NAME@URL"),
        (f"model:m@{URL}?frames=many", "frames: Input should be a valid integer"),
        (f"model:m@{URL}?frame=8", "frame: Extra inputs"),
        (f"model:m@{URL}?fps=0", "fps: Input should be greater than 0"),
        (f"single-frame:m@{URL}?frames=8", "takes no frames"),
        (f"question-only:m@{URL}?transcript=1", "takes no transcript"),
        (f"single-frame:m@{URL}?video=1", "takes no video"),
        (f"model:m@{URL}?video=1&frames=8", "takes either video= or frames= and fps="),
        (f"model:m@{URL}?video=2", "video: Input should be '', '1' or 'file'"),
    ],
)
def test_a_wrong_name_is_reported(name: str, reported: str) -> None:
    with pytest.raises(ConfigError, match=reported):
        given_by(name)


def test_a_key_that_is_not_in_the_environment_is_reported_without_repeating_what_was_written() -> None:
    with pytest.raises(ConfigError, match="needs its key") as refused:
        given_by(f"model:m@{URL}?key=sk-secret")
    assert "sk-secret" not in str(refused.value)
    with pytest.raises(ConfigError, match="needs its key, and NOPE is not set: give key="):
        given_by(f"model:m@{URL}?key=NOPE")


@pytest.mark.parametrize(
    ("subject", "times"),
    [
        (f"model:m@{URL}", 2),
        (f"model:m@{URL}?frames=8&transcript=1", 2),
        (f"model:m@{URL}?key=NOT_SET", 2),
        (f"model:m@{URL}?frames=1", 1),
        (f"model:m@{URL}?fps=2", 1),
        (f"model:m@{URL}?transcript=1", 1),
        (f"single-frame:m@{URL}", 1),
        (f"question-only:m@{URL}", 1),
        ("agent:standard", 1),
        ("random", 1),
    ],
)
def test_who_sees_the_same_at_all_frame_rates_is_asked_at_the_first_alone(subject: str, times: int) -> None:
    rates = [Variant(name=f"{fps}{order}", fps=fps) for fps in (5, 1) for order in ("", "/gold-1")]
    card = RunCard(suite="moment-video", source="x", subjects=(subject,), variants=tuple(rates), version="1")
    assert asked_in(subject, card) == rates[: 2 * times]
    named = card.model_copy(update={"subjects": ("mine",), "specs": {"mine": subject}})
    assert asked_in("mine", named) == rates[: 2 * times]
    assert asked_in(subject, card.model_copy(update={"variants": (PLAIN, PLAIN)})) == [PLAIN, PLAIN]


def test_other_subjects_are_no_models() -> None:
    assert [name for name in ("model:m", "single-frame:m", "model", "agent", "modell:m") if is_model(name)] == [
        "model:m",
        "single-frame:m",
    ]
