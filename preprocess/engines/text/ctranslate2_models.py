"""Translation with NLLB (NLLB Team 2022) or M2M100 (Fan et al. 2020), converted for CTranslate2: no torch is needed.

A model's folder has its tokenizer.json; its vocabulary names its languages, `eng_Latn` in NLLB and `__en__` in M2M100.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

from longtake.errors import EngineError, first_line
from longtake.lazy import cached_property
from longtake.models.folder import installed
from longtake.preprocess.engines.transformers_folders import content_id, model_folder, read_config
from longtake.preprocess.media.language_codes import language_code
from longtake.preprocess.media.language_names import language_name
from longtake.settings import Settings

_FILES = ("config.json", "model.bin", "tokenizer.json")
_VOCABULARIES = ("shared_vocabulary.json", "shared_vocabulary.txt")
_LANGUAGE = re.compile(r"([a-z]{3})_([A-Z][a-z]{3})|__([a-z]{2,3})__")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_MAX_TOKENS = 512  # of a translated sentence
_PULL = "nllb-600m"
# NLLB names single languages by their ISO 639-3 codes; these are the usual ones of a macrolanguage.
_MEMBERS = {
    pair[:3]: pair[4:]
    for pair in (
        "als:sq arb:ar ayr:ay azj:az fuv:ff gaz:om khk:mn kmr:ku knc:kr lvs:lv npi:ne ory:or pbt:ps pes:fa plt:mg "
        "quy:qu swh:sw uzn:uz ydd:yi zsm:ms"
    ).split()
}


class CTranslate2:
    """Translates sentence by sentence, because the models were trained on sentences."""

    CALLS: ClassVar[Mapping[str, float]] = {"translate": 600.0}
    trusted = False

    def __init__(self, settings: Settings) -> None:
        """Read the languages; `missing_model` has found the folder."""
        folder = _folder(settings)
        self._folder = folder or Path()
        parts = (self._folder / name for name in (*_FILES, *_VOCABULARIES))
        self.id = f"ctranslate2-{version('ctranslate2')}/{content_id(part for part in parts if part.is_file())}"
        self._tokens = _languages(self._folder)

    def missing(self, source: str, target: str) -> str | None:
        """Why it can't translate between these languages; None if it can."""
        unknown = [language_name(code) for code in (source, target) if self._token(code) is None]
        return f"the model {self._folder.name} doesn't know {' and '.join(unknown)}" if unknown else None

    def sources(self, target: str) -> list[str]:
        """None: it doesn't detect languages."""
        return []

    def foreign(self, texts: Sequence[str], source: str, target: str) -> list[bool] | None:
        """None: it doesn't detect languages."""
        return None

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate texts, each one non-empty paragraph.

        Raises:
            EngineError: if the model doesn't know a language, or can't be loaded.
        """
        if problem := self.missing(source, target):
            raise EngineError(f"No translation: {problem}.")
        tokenizer, translator = self._loaded
        sentences = [_SENTENCE_END.split(text) for text in texts]
        encoded = tokenizer.encode_batch([each for text in sentences for each in text], add_special_tokens=False)
        start, into = self._token(source), self._token(target)
        done = translator.translate_batch(
            [[start, *each.tokens, "</s>"] for each in encoded],
            target_prefix=[[into]] * len(encoded),
            max_decoding_length=_MAX_TOKENS,
        )
        numbers = [[tokenizer.token_to_id(token) for token in each.hypotheses[0][1:]] for each in done]
        known = [[number for number in each if number is not None] for each in numbers]  # padding has no number
        translated = iter(tokenizer.decode_batch(known))
        return [" ".join(next(translated).strip() for _ in text) for text in sentences]

    def _token(self, code: str) -> str | None:
        """The model's token for a language, with its script or region if the model has that."""
        return self._tokens.get(code) or self._tokens.get(code.partition("-")[0])

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        from ctranslate2 import Translator
        from tokenizers import Tokenizer

        try:
            return Tokenizer.from_file(str(self._folder / "tokenizer.json")), Translator(str(self._folder))
        except Exception as error:  # tokenizers raises nothing narrower
            raise EngineError(
                f"Couldn't load the translation model in {self._folder} ({first_line(error)}): fetch it again, or "
                "give another folder with --set translation.model=DIR."
            ) from error


def missing_model(settings: Settings) -> str | None:
    """Why no model can be used, and what to do; None if one can. Loads nothing."""
    folder = _folder(settings)
    remedy = f"fetch one with `longtake models pull {_PULL}`, or give a folder with --set translation.model=DIR"
    if folder is None:
        name = settings.translation.model
        return f"no translation model on disk{f' named {name}' if name else ''}: {remedy}"
    if "model_type" in read_config(folder):
        return f"{folder} isn't converted: run ct2-transformers-converter --copy_files tokenizer.json, or {remedy}"
    absent = [name for name in _FILES if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in _VOCABULARIES):
        absent.append(_VOCABULARIES[0])
    if absent:
        return f"{folder} has no {absent[0]}: {remedy}"
    return None if _languages(folder) else f"{folder} names no languages, so it isn't NLLB or M2M100: {remedy}"


def _folder(settings: Settings) -> Path | None:
    name = settings.translation.model
    return model_folder(name) if name else next((one.folder for one in installed("translation")), None)


def _languages(folder: Path) -> dict[str, str]:
    """The model's token for each language code, with and without the script."""
    try:
        text = next(file for name in _VOCABULARIES if (file := folder / name).is_file()).read_text(encoding="utf-8")
        words = json.loads(text) if text.startswith("[") else text.splitlines()
    except (StopIteration, OSError, ValueError):
        return {}
    found: dict[str, str] = {}
    for token in sorted(filter(_LANGUAGE.fullmatch, map(str, words))):  # simplified Chinese before traditional
        head, _, script = token.strip("_").partition("_")
        if code := language_code(_MEMBERS.get(head, head)):
            found |= {f"{code}-{script}": token, code: found.get(code, token)}
    return {"no": found["nb"]} | found if "nb" in found else found
