"""Models in the format of transformers: finds them on disk, says what they lack, loads them, and lets them write."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any

from longtake.errors import EngineError, first_line
from longtake.models.catalogue import Task
from longtake.models.folder import find, installed
from longtake.models.machine import placed
from longtake.prompts import without_thinking
from longtake.settings import Settings

_HASHED = 1 << 20  # bytes at either end of a file that identify it
_TEXTS = (".json", ".txt", ".model", ".jinja")


@dataclass(frozen=True, slots=True)
class ModelKind:
    """Models of one architecture, and where they come from."""

    title: str  # in messages, and in the ids of engines
    types: tuple[str, ...]  # `model_type` in config.json
    option: str  # the setting that names a model
    task: Task
    model: str  # its class, and that of its processor, in transformers
    processor: str
    pull: str = ""  # what `longtake models pull` fetches

    def folder(self, name: str | None) -> Path | None:
        """The folder of a model, given as a folder or a name; without a name, of the best one that was fetched."""
        if name is None:
            return next((one.folder for one in installed(self.task) if _model_type(one.folder) in self.types), None)
        return model_folder(name)

    def missing(self, settings: Settings) -> str | None:
        """Why no model can be used, and what to do; None if one can. Loads nothing."""
        name: str | None = attrgetter(self.option)(settings)
        folder = self.folder(name)
        fetch = f"fetch one with `longtake models pull {self.pull}`, or " if self.pull else ""
        remedy = f"{fetch}give a folder with --set {self.option}=DIR"
        if folder is None:
            return f"no {self.title} model on disk{f' named {name}' if name else ''}: {remedy}"
        if absent := _absent(folder):
            return f"{folder} has no {absent}: {remedy}"
        found = _model_type(folder)
        return None if found in self.types else f"{folder} isn't a {self.title} model ({found or 'no type'}): {remedy}"

    def identity(self, name: str | None) -> str:
        """A digest of a model's files, so that copies have the same id."""
        folder = self.folder(name)
        return content_id(file for file in folder.iterdir() if _is_part(file)) if folder else "none"

    def load(self, name: str | None) -> tuple[Any, Any]:
        """A model, ready to run, and its processor.

        Raises:
            EngineError: if files are damaged or missing.
        """
        from safetensors import SafetensorError  # pyright: ignore[reportMissingImports] - an extra

        make_importable()
        transformers: Any = import_module("transformers")
        transformers.utils.logging.disable_progress_bar()
        folder = self.folder(name)
        try:
            prepared = getattr(transformers, self.processor).from_pretrained(folder, local_files_only=True)
            loaded, report = getattr(transformers, self.model).from_pretrained(
                folder, local_files_only=True, output_loading_info=True
            )
        except (OSError, RuntimeError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise self._damaged(folder, first_line(error)) from error
        if report["missing_keys"]:  # transformers would fill them with random numbers
            raise self._damaged(folder, f"{len(report['missing_keys'])} weights are missing")
        return placed(loaded, f"The {self.title} model"), prepared

    def _damaged(self, folder: Path | None, problem: str) -> EngineError:
        return EngineError(
            f"Couldn't load the {self.title} model in {folder} ({problem}): fetch it again, or give another folder "
            f"with --set {self.option}=DIR."
        )


def write_reply(kind: ModelKind, model: Any, tokenizer: Any, inputs: Any, max_tokens: int, seconds: float) -> str:
    """What a model writes after its inputs, without its thinking; it may be empty.

    Raises:
        EngineError: if the model fails.
    """
    import torch  # pyright: ignore[reportMissingImports] - an extra

    try:
        with torch.inference_mode():
            written = model.generate(**inputs, do_sample=False, max_new_tokens=max_tokens, max_time=seconds)
    except RuntimeError as error:  # for example, the device is out of memory
        remedy = f"give a smaller model with --set {kind.option}=DIR"
        raise EngineError(f"The {kind.title} model failed ({first_line(error)}): {remedy}.") from error
    text = tokenizer.decode(written[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    return without_thinking(text).strip()


def plain(text: str, tokenizer: Any) -> str:
    """A text without the tokens that have a meaning for the model."""
    for mark in tokenizer.get_added_vocab():
        text = text.replace(mark, "")
    return text


def model_folder(name: str) -> Path | None:
    """The folder of that name, or of a fetched model, or of a model in the Hugging Face cache."""
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    if fetched := find(name):
        return fetched
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(name, "config.json")
    except HFValidationError:
        return None
    return Path(cached).parent if isinstance(cached, str) else None


def content_id(files: Iterable[Path]) -> str:
    """An eight-byte hash of both ends of each file, in hex."""
    content = hashlib.blake2b(digest_size=8)
    for file in sorted(files):
        with file.open("rb") as stream:
            content.update(stream.read(_HASHED))
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _HASHED))
            content.update(stream.read())
    return content.hexdigest()


def read_config(folder: Path) -> dict[str, Any]:
    """The model's config.json; empty if it can't be read."""
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}


def _model_type(folder: Path) -> str | None:
    return read_config(folder).get("model_type")


def _absent(folder: Path) -> str | None:
    """A file that is missing; weights may be one file, or several with an index."""
    if not (folder / "config.json").is_file():
        return "config.json"
    index = folder / "model.safetensors.index.json"
    try:
        parts = set(json.loads(index.read_bytes())["weight_map"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        parts = {"model.safetensors"}
    return next((part for part in sorted(parts) if not (folder / part).is_file()), None)


def _is_part(file: Path) -> bool:
    return file.suffix in (*_TEXTS, ".safetensors") and file.name != "longtake-model.json"


@cache
def make_importable() -> Any:
    """Declare the operators of torchvision if its own are built for another torch.

    Packages import torchvision for pictures wherever it is installed. Its usual build needs CUDA, and without its
    compiled operators the import fails, although only detection models use them.

    Returns:
        What keeps the declaration alive, or None.
    """
    if find_spec("torchvision") is None:
        return None
    import torch  # pyright: ignore[reportMissingImports] - an extra

    try:
        import torchvision  # pyright: ignore[reportMissingImports] # noqa: F401
    except RuntimeError:
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return library
    return None
