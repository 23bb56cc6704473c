"""Parses the specification of a model at an endpoint on the command line, and its input.

    model:NAME@URL?frames=64&transcript=1   uniform frames and the transcript; either may be left out
    model:NAME@URL?fps=5&frames=64          this many frames a second, and at most this many
    model:NAME@URL?video=1                  the file itself, in the request; with video=file its file URL
    single-frame:NAME@URL                   the frame in the middle
    question-only:NAME@URL                  nothing
    simulated:NAME@URL?frames=64            as `model`, for the simulated tools of the agentic track

Each takes `cot=1` (it is told to think step by step, and its answer is read from the end), `key=VARIABLE`, the
environment variable with the key (without it, none is sent), `timeout=SECONDS`, `temperature`, `max_tokens`, and its
prices, `input_price` and `output_price`, which are no part of its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl

from pydantic import Field, ValidationError

from longtake.config import secret, unset
from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Variant
from longtake.evalharness.runs.journal import wrong_field
from longtake.evalharness.subjects.sampled_frames import Sampling
from longtake.memory.records import Record
from longtake.settings import PriceSettings

if TYPE_CHECKING:
    from longtake.evalharness.runs.run_folder import RunCard

MAX_FRAMES = 64
RECORDED = "replies"  # subjects whose replies are in a file, one for each item
BAG_OF_FRAMES = "bag-of-frames"  # subjects that are encoders, and the view of an audit that is theirs
FRAMES = {
    "model": None,
    "simulated": None,
    "single-frame": 1,
    "question-only": 0,
}  # by the word that the name begins with
_NAME = re.compile(r"([\w-]+):(.+?)@(https?://[^?]*)(?:\?(.*))?")


class Given(Record):
    """The model, and its input."""

    model: str
    url: str
    frames: int | None = Field(default=None, ge=0)
    fps: float | None = Field(default=None, gt=0)
    video: Literal["", "1", "file"] = Field(default="", description="1: the file itself is sent; file: its file URL.")
    transcript: bool = False
    cot: bool = Field(default=False, description="Whether it is told to think step by step before it answers.")
    key: str = Field(default="", description="Name of the environment variable with the key; never the key itself.")
    timeout: float = Field(default=300.0, gt=0, description="Seconds for one reply.")
    temperature: float | None = Field(default=None, ge=0, description="Else the suite's.")
    max_tokens: int | None = Field(default=None, ge=1, description="Of a reply, thinking included; else the suite's.")
    input_price: float | None = Field(default=None, ge=0, description="Per million tokens; of neither, the profile's.")
    output_price: float | None = Field(default=None, ge=0, description="Per million tokens.")

    @property
    def price(self) -> PriceSettings | None:
        """Its prices, if the specification has one."""
        if self.input_price is None and self.output_price is None:
            return None
        return PriceSettings(input=self.input_price or 0.0, output=self.output_price or 0.0)

    @property
    def sees(self) -> bool:
        """Whether it gets frames; not if it gets the file, or if its specification names only a transcript."""
        if self.video:
            return False
        if self.frames is not None:
            return self.frames > 0
        return self.fps is not None or not self.transcript

    @property
    def at_rates(self) -> bool:
        """Whether the frame rate of a variant changes its frames."""
        return self.sees and self.fps is None and self.frames != 1

    def sampling(self, variant: Variant) -> Sampling:
        """Its frames in a variant. The specification takes precedence over the variant."""
        if self.frames == 1:
            return Sampling(1)
        return Sampling(self.frames or variant.most_frames or MAX_FRAMES, self.fps or variant.fps)


def is_model(spec: str) -> bool:
    """Whether the specification of a subject is that of a model at an endpoint."""
    return spec.partition(":")[0] in FRAMES and ":" in spec


def is_encoder(spec: str) -> bool:
    """Whether the specification of a subject is that of an image-text encoder."""
    return spec.partition(":")[0] == BAG_OF_FRAMES


def is_recorded(spec: str) -> bool:
    """Whether the specification of a subject is a file of replies."""
    return spec.partition(":")[0] == RECORDED


def asked_in(subject: str, card: RunCard) -> Sequence[Variant]:
    """The variants of a run for a subject: those of its kind, and one frame rate if it sees the same at all of them.

    Recorded replies are to the items as they are written: a letter in them means no other order of the options.
    """
    spec = card.spec_of(subject)
    variants = [each for each in card.variants if each.only is None or subject in each.only]
    variants = [each for each in variants if not each.view or (each.view == BAG_OF_FRAMES) == is_encoder(spec)]
    if is_recorded(spec):
        return variants[:1]
    first = [variant for variant in variants if variant.fps == variants[0].fps]
    several = len(first) < len(variants) and is_model(spec) and read_given(spec).at_rates
    return variants if several else first


def count_asked(subject: str, card: RunCard, items: Iterable[Item]) -> int:
    """How many predictions a subject makes of items: in each variant that it is asked in, with each seed."""
    variants = asked_in(subject, card)
    return len(card.seeds) * sum(variant.applies(item) for item in items for variant in variants)


def given_by(name: str) -> Given:
    """Parse a specification. Errors don't repeat it, because it may contain a key.

    Raises:
        ConfigError: if it doesn't have the form above, or the key's variable isn't set.
    """
    given = read_given(name)
    if given.key and secret(given.key) is None:
        raise ConfigError(
            f"The subject {name.partition(':')[0]}:{given.model} needs its key, and {unset(given.key)}: give key= the "
            "name of an environment variable that holds it."
        )
    return given


def read_given(name: str) -> Given:
    """The same without a look at the key.

    Raises:
        ConfigError: if it doesn't have the form above.
    """
    read = _NAME.fullmatch(name)
    kind = name.partition(":")[0]
    if read is None:
        raise ConfigError(
            f"A subject that is a model is named {kind}:NAME@URL, with a URL such as http://HOST:8000/v1."
        )
    options = dict(parse_qsl(read[4] or "", keep_blank_values=True))
    if (fixed := FRAMES[kind]) is not None:
        if wrong := options.keys() & {"frames", "fps", "video", "transcript"}:
            raise ConfigError(f"The subject {kind}:{read[2]} takes no {', '.join(sorted(wrong))}; use model:NAME@URL.")
        options["frames"] = str(fixed)
    if options.get("video") and options.keys() & {"frames", "fps"}:
        raise ConfigError(f"The subject {kind}:{read[2]} takes either video= or frames= and fps=.")
    try:
        return Given.model_validate(options | {"model": read[2], "url": read[3]})
    except ValidationError as error:
        raise ConfigError(f"The options of the subject {kind}:{read[2]} are wrong: {wrong_field(error)}.") from error
