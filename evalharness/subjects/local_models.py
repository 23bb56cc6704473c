"""Models that choose an option on this machine, without an endpoint: three that only read, and an encoder.

Those that read get the words of a view, which are its transcript or captions, and the text that the index recognised
in the frames shown. What they can't tell apart they guess, so that the chance floor of an audit holds for them too. Bag
of frames (Video-Oasis) compares the frames themselves with the texts: neither their order nor words can help.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import httpx
import numpy as np

from longtake.errors import ConfigError, EngineError
from longtake.evalharness.items import Reply
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.subjects.baselines import abstained, best_overlap, chosen
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.views.frame_views import Standard, frame_vectors
from longtake.evalharness.views.view import Shown, media_of
from longtake.evalharness.views.view_table import view_named
from longtake.language.words import content_stems, coverage
from longtake.memory.records import Usage
from longtake.memory.search.search_types import Vectors
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.llama_cpp.server import missing_gguf, shared_server
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.engines.text.text_engines import TextEmbedding
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.core.tool_context import VideoHandle

_LONG_SIDE = 512  # pixels of frames; their text comes from the index, which read them at its own size
_LETTERS = 2  # of what is shown, per token of the context: half of what fits, which leaves room for question and option
FRAMES = 32


def named_engine(settings: Settings, capability: str, name: str) -> Any:
    """The engine `name` of a capability.

    Raises:
        ConfigError: if there is none of that name.
        EngineUnavailable: if it can't be used here.
        EngineError: if the settings name a model that it can't use.
    """
    engines = settings.engines.model_copy(update={capability: (name,)})
    return EngineTable(settings.model_copy(update={"engines": engines})).load(capability)


class TextSubject(ABC):
    """Chooses by a score of each option. Without a view it reads the frames of the standard one."""

    at_once = 1
    indexes, at_most = True, False

    def __init__(self, name: str, workspace: Workspace) -> None:
        self.name = name
        self._workspace = workspace
        self._read = lru_cache(maxsize=1)(self._texts)  # items of one video are asked one after the other

    @abstractmethod
    def scores(self, question: str, options: Sequence[str], lines: Sequence[str]) -> list[float]:
        """How well each option fits the question and what is shown, line by line; higher is better.

        Raises:
            EngineError: if a model can't be used.
        """

    def reply(self, asked: AskedTurn) -> Reply:
        """The best option; one of the best at random if several are."""
        if not asked.options:
            return abstained()
        view = view_named(asked.variant.view or Standard.name)
        shown = view.show(asked.item, self._workspace, _LONG_SIDE, asked.seed)
        scores = self.scores(asked.turn.question, asked.options, self._lines(asked, shown))
        best = [place for place, score in enumerate(scores) if score == max(scores)]
        drawn = Random(f"{self.name}/{asked.item.id}/{asked.number}/{asked.variant.name}/{asked.seed}")
        reply = chosen(asked, drawn.choice(best))
        told = ", ".join(f"{LABELS[place]} {score:.3f}" for place, score in enumerate(scores))
        return reply.model_copy(update={"text": f"{reply.text}\n({told})"})

    def expected(self, asked: AskedTurn) -> Usage:
        """No model at an endpoint is asked."""
        return Usage()

    def _lines(self, asked: AskedTurn, shown: Shown) -> list[str]:
        """The words shown, and the texts in the frames in the order of the frames, each text once."""
        said = [*shown.captions, *((line.text for line in shown.words.lines) if shown.words else ())]
        if not shown.frames:
            return said
        texts = self._read(media_of(asked.item))
        seen = (text["text"] for frame in shown.frames for text in texts if text["start"] <= frame.time <= text["end"])
        return [*said, *dict.fromkeys(seen)]

    def _texts(self, media: Path) -> list[dict[str, Any]]:
        """The texts recognised in a video, which is indexed if necessary."""
        return VideoHandle(self._workspace.add(media).video, self._workspace.library).items("scene_text")


class WordOverlap(TextSubject):
    """Counts stems; asks no model."""

    def scores(self, question: str, options: Sequence[str], lines: Sequence[str]) -> list[float]:
        """The share of an option in the question, and in the best line shown; see `TextSubject`."""
        return [
            coverage(content_stems(option) or [option.casefold()], question) + best_overlap(question, option, lines)
            for option in options
        ]


class MeaningOverlap(TextSubject):
    """Compares vectors of a text embedding engine."""

    def __init__(self, name: str, workspace: Workspace, engine: str) -> None:
        """Load the engine.

        Raises:
            ConfigError: if there is no text embedding engine of that name.
            EngineUnavailable: if it can't be used here.
        """
        super().__init__(name, workspace)
        self._engine: TextEmbedding = named_engine(workspace.settings, "text_embedding", engine)

    def scores(self, question: str, options: Sequence[str], lines: Sequence[str]) -> list[float]:
        """Cosine of option and question, plus that of both together and the nearest line; see `TextSubject`."""
        rows = self._engine.embed([question, *options, *(f"{question} {option}" for option in options), *lines])
        asked, alone, together, shown = np.split(rows, np.cumsum([1, len(options), len(options)]))
        found = alone @ asked[0]
        if lines:
            found = found + (together @ shown.T).max(axis=1)
        return [float(score) for score in found]


class OptionLikelihood(TextSubject):
    """Asks a GGUF file through llama.cpp on this machine which option is likeliest, per token of the option.

    The mean over tokens keeps short options from winning for being short, as in the normalised accuracy of
    lm-evaluation-harness.
    """

    def __init__(self, name: str, workspace: Workspace, file: Path) -> None:
        """Nothing is loaded yet.

        Raises:
            ConfigError: if the file can't be used.
        """
        super().__init__(name, workspace)
        if reason := missing_gguf(workspace.settings, str(file), "gguf"):
            raise ConfigError(f"The subject {name} can't be used: {reason}.")
        self._server = shared_server(workspace.settings, str(file))
        self._client = self._server.client()
        self._room = _LETTERS * workspace.settings.gguf.context

    def scores(self, question: str, options: Sequence[str], lines: Sequence[str]) -> list[float]:
        """The mean log likelihood of an option's tokens, in nats; see `TextSubject`."""
        shown = "\n".join(lines)[: self._room]
        prompt = f"{shown}\n\n{question}" if shown else question
        return [self._likely(prompt, option) for option in options]

    def _likely(self, prompt: str, option: str) -> float:
        """The likelihood of an option as the reply: a grammar leaves the model no other tokens than the option's."""
        self._server.ready()
        try:
            ids = self._sent("tokenize", {"content": option})["tokens"]
            body = {
                "messages": [{"role": "user", "content": f"{prompt}\nAnswer in a few words."}],
                "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in ids),
                "max_tokens": len(ids),
                "logprobs": True,
                "temperature": 0,
            }
            tokens = self._sent("v1/chat/completions", body)["choices"][0]["logprobs"]["content"]
            return mean(float(token["logprob"]) for token in tokens)
        except (httpx.HTTPError, LookupError, TypeError, ValueError) as error:
            raise EngineError(f"llama.cpp gave no likelihoods with {self._server.file.name} ({error}).") from error

    def _sent(self, what: str, body: Mapping[str, Any]) -> Any:
        # The transport puts the real address in the place of this one.
        return self._client.post(f"http://llama.cpp/{what}", json=body).raise_for_status().json()


class BagOfFrames:
    """Compares the frames of the view `bag-of-frames` with the question and the options.

    A specification is `bag-of-frames:ENGINE`, or `bag-of-frames:ENGINE@MODEL` where the profile's `image_text.model`
    isn't meant.
    """

    at_once = 1

    def __init__(self, name: str, workspace: Workspace) -> None:
        """Load the encoder.

        Raises:
            ConfigError: if there is no image-text engine of that name.
            EngineUnavailable: if it can't be used here.
            EngineError: if its model can't be used.
        """
        self.name, self._workspace = name, workspace
        engine, _, model = name.partition(":")[2].partition("@")
        settings = workspace.settings
        if model:
            chosen_model = settings.image_text.model_copy(update={"model": model})
            settings = settings.model_copy(update={"image_text": chosen_model})
        self._encoder: ImageTextEmbedding = named_engine(settings, "image_text_embedding", engine)
        # The video and clip of the last item, and its frames as vectors.
        self._held: tuple[tuple[str | None, TimeSpan | None], Vectors] | None = None

    def reply(self, asked: AskedTurn) -> Reply:
        """The option nearest to the frames that are nearest to the question."""
        if not asked.options:
            return abstained()
        frames = self._frames(asked)
        question, *options = self._encoder.embed_texts([asked.turn.question, *asked.options])
        return chosen(asked, nearest_option(frames, question, np.array(options)))

    def _frames(self, asked: AskedTurn) -> Vectors:
        """The frames of a video as vectors; items of one video are asked one after the other."""
        shown_of = asked.item.media, asked.item.clip
        if self._held is None or self._held[0] != shown_of:
            shown = view_named(BAG_OF_FRAMES).show(asked.item, self._workspace, _LONG_SIDE, asked.seed)
            self._held = shown_of, frame_vectors(self._encoder, shown.frames)
        return self._held[1]


def nearest_option(frames: Vectors, question: Vectors, options: Vectors) -> int:
    """The place of the option with the largest sum of cosines with the `FRAMES` frames nearest to the question.

    All vectors have length 1: frames (frames, dimensions), options (options, dimensions), the question (dimensions,).
    """
    nearest = np.argsort(-(frames @ question), kind="stable")[:FRAMES]
    return int((options @ frames[nearest].T).sum(axis=1).argmax())
