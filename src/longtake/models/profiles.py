"""What is known of language models by their names, read from `configs/models.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from longtake.settings import ControllerSettings, GgufSettings, PriceSettings

_IN_PROCESS = ("gguf", "transformers")
_MAX_IN_PROCESS = 2_048  # tokens of a reply on this machine


class ModelProfile(BaseModel):
    """What a model takes, and what it is good for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    context: int = Field(ge=1, description="Tokens that a request and its reply may have together.")
    reply_tokens: int = Field(ge=1, description="Maximum tokens of a reply, thoughts included.")
    token_field: Literal["max_tokens", "max_completion_tokens"] | None = Field(description="Of requests, for that.")
    temperature: float | None = Field(ge=0, description="None sends none.")
    thinking: bool | Literal["hidden"] = Field(
        description="Whether it thinks before it writes; `hidden` where its server never shows the thoughts."
    )
    sees: bool = Field(description="Whether it takes pictures.")
    calls: Literal["native", "text"]
    parallel_calls: bool = Field(description="Whether one reply may call several tools.")
    price: PriceSettings

    def fields(self, tokens: int | None = None) -> dict[str, Any]:
        """The fields of a request: the temperature, and the limit of the reply.

        Args:
            tokens: of an answer that needs few; a model that thinks gets all of `reply_tokens`.
        """
        made: dict[str, Any] = {} if self.temperature is None else {"temperature": self.temperature}
        if self.token_field:
            made[self.token_field] = self.reply_tokens if tokens is None or self.thinking else tokens
        return made


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True)

    models: tuple[str, ...]
    profile: ModelProfile

    def names(self, model: str) -> bool:
        """Whether a pattern matches a name in small letters."""
        return any(fnmatchcase(model, pattern) for pattern in self.models)


def profile_named(model: str | None) -> ModelProfile:
    """The profile of a model by its name: at an endpoint, on the hub, or of a file."""
    name = PurePath((model or "").casefold()).name
    return next(row.profile for row in _rows() if row.names(name))


def known_price(
    controller: ControllerSettings, at: tuple[str | None, str | None] | None = None
) -> PriceSettings | None:
    """What an endpoint charges for a model: the settings' price of the controller, else the maker's; None without.

    Args:
        controller: the settings of the controller.
        at: the endpoint's URL and the model; by default the controller's. Only this one has the settings' price.
    """
    own = (controller.base_url, controller.model)
    makers = profile_named((at or own)[1]).price
    given = controller.price if at in (None, own) else None
    return given or (makers if makers.input or makers.output else None)


def profile_of(controller: ControllerSettings, gguf: GgufSettings | None = None) -> ModelProfile:
    """The profile of the controller's model under what the settings say.

    Args:
        controller: the settings of the controller.
        gguf: those of GGUF files, which limit the context of one.
    """
    profile = profile_named(controller.model)
    changes: dict[str, Any] = {}
    if controller.engine in _IN_PROCESS:
        changes = {"sees": False, "reply_tokens": min(profile.reply_tokens, _MAX_IN_PROCESS)}
    if controller.engine == "gguf":
        changes["context"] = min(profile.context, (gguf or GgufSettings()).context)
    given = {name: getattr(controller, name, None) for name in ModelProfile.model_fields}
    changes |= {name: value for name, value in given.items() if value is not None}
    return profile.model_copy(update=changes)


@cache
def _rows() -> tuple[_Row, ...]:
    text = (files("longtake.configs") / "models.yaml").read_text(encoding="utf-8")
    *rows, rest = TypeAdapter(list[dict[str, Any]]).validate_python(yaml.safe_load(text)["profiles"])
    return tuple(_row({**rest, **row}) for row in [*rows, rest])


def _row(given: Mapping[str, Any]) -> _Row:
    profile = {name: value for name, value in given.items() if name != "models"}
    return _Row.model_validate({"models": given["models"], "profile": {**profile, "price": given["price"] or {}}})
