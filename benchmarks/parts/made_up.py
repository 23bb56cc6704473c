"""Made-up libraries: sentences with the word frequencies of real text, embedded like real ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import wordllama

from longtake.memory.records import Modality, Moment
from longtake.memory.search.search_types import Batch
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.demo.demo_script import DEMO
from longtake.preprocess.engines.text.text_embedding import TextEmbedding

_MODALITIES: tuple[Modality, ...] = ("speech", "speech", "speech", "scene_text", "audio")
_SECONDS = 3.0  # from one moment to the next
_LENGTHS = (4, 14)  # words of a sentence, at least and at most
_ASKED = 3  # words of a query
_FREQUENT = 200  # the most frequent words, which carry no meaning, appear in no query
_BATCH = 4096  # sentences drawn at once


def vocabulary() -> list[str]:
    """Words, roughly by frequency: those among WordLlama's tokens, then the demo's other ones."""
    file = Path(wordllama.__file__).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
    tokens: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
    known = [token[1:] for token in sorted(tokens, key=tokens.__getitem__) if re.fullmatch("▁[a-z]{3,}", token)]
    demo: list[str] = re.findall("[a-z]{3,}", DEMO.joinpath("speech.en.vtt").read_text(encoding="utf-8").lower())
    return list(dict.fromkeys(known + demo))


def sentences(seed: int, words: Sequence[str]) -> Iterator[str]:
    """Endless sentences of these words; a word's probability falls with its rank (Zipf's law)."""
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(1, len(words) + 1)
    while True:
        lengths = random.integers(*_LENGTHS, size=_BATCH, endpoint=True)
        drawn = random.choice(len(words), size=int(lengths.sum()), p=chances / chances.sum())
        for part in np.split(drawn, np.cumsum(lengths)[:-1]):
            places: list[int] = part.tolist()
            yield " ".join(words[place] for place in places)


def queries(seed: int, words: Sequence[str]) -> Iterator[str]:
    """Endless queries of three words."""
    return (" ".join(text.split()[:_ASKED]) for text in sentences(seed, words[_FREQUENT:]))


def made_up_batch(video: str, texts: Sequence[str], engine: TextEmbedding) -> Batch:
    """Texts as the moments of a video, one every three seconds, most of them speech."""
    moments = [
        Moment(
            video=video,
            span=TimeSpan(start=row * _SECONDS, end=(row + 1) * _SECONDS),
            modality=_MODALITIES[row % len(_MODALITIES)],
            text=text,
            engine="made up",
            layer="made up",
        )
        for row, text in enumerate(texts)
    ]
    return Batch(engine.id, moments, engine.embed(texts))
