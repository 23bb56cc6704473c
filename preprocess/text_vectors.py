"""What search finds: documents made of the layers, and the layer `text_vectors` that embeds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from longtake.memory.index import Document, Vectors
from longtake.memory.layers import Layer, LayerRecipe, LayerWriter
from longtake.memory.records import Modality
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text_embedding import TextEmbedding
from longtake.preprocess.step import IndexJob

SOURCES: Mapping[str, Modality] = {"subtitles": "speech", "scene_text": "scene_text", "sounds": "audio"}
FILE = "vectors.npy"
_SHORT = 2.0  # seconds; a shorter cue rarely says anything by itself
_LONGEST = 15.0  # seconds of joined cues: a citation should still lead to one place
_GAP = 1.0  # seconds of silence that end a sentence, whatever its punctuation
_ENDS = tuple('.!?…。！？"”»')
_BATCH = 1024
_SOUNDS = {
    "speech": "speech (voices)",
    "music": "music",
    "silence": "silence",
    "loud": "loud sound",
    "impulse": "impulse: a bang or clap",
    "tone": "tone, beep",
}


class TextVectors:
    """Embeds the documents of a video; row n of `vectors.npy` belongs to item n."""

    name = "text_vectors"
    version = 1

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer when there is a layer to embed."""
        inputs = {name: job.layers[name].key for name in SOURCES if name in job.layers}
        if not inputs:
            return ()
        engine: TextEmbedding = job.engines.load("text_embedding")
        return (LayerRecipe(self.name, self.version, engine.id, inputs=inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Write one item per document and the vectors."""
        engine: TextEmbedding = job.engines.load("text_embedding")
        writer = writers[self.name]
        documents = documents_of("", job.layers)
        vectors = np.zeros((len(documents), engine.dimensions), np.float32)
        for first in range(0, len(documents), _BATCH):
            job.check_cancelled()
            batch = documents[first : first + _BATCH]
            vectors[first : first + _BATCH] = engine.embed([document.text for document in batch])
            job.progress((first + len(batch)) / len(documents))
        np.save(writer.folder / FILE, np.round(vectors, 6))
        for document in documents:
            span = document.span
            writer.add({"start": span.start, "end": span.end, "modality": document.modality, "text": document.text})
        writer.cover(_union(span for name in SOURCES if name in job.layers for span in job.layers[name].covered))


def load_vectors(layer: Layer) -> Vectors:
    """The vectors of a `text_vectors` layer, (documents, dimensions), in the order of `documents_of`."""
    vectors: Vectors = np.load(layer.path / FILE, allow_pickle=False)
    return vectors


def documents_of(video_id: str, layers: Mapping[str, Layer]) -> list[Document]:
    """The documents that a video's layers hold: speech, then scene text, then sounds, each in its layer's order."""
    return [
        _document(video_id, layers[name], modality, number, item)
        for name, modality in SOURCES.items()
        if name in layers
        for number, item in enumerate(_items(layers[name]))
    ]


def _document(video_id: str, layer: Layer, modality: Modality, number: int, item: Mapping[str, Any]) -> Document:
    return Document(
        id=f"{video_id}:{layer.name}:{number}",
        video=video_id,
        span=TimeSpan(start=item["start"], end=item["end"]),
        modality=modality,
        text=item["text"],
        engine=layer.engine,
        layer=layer.key,
        score=item.get("confidence", 1.0),
    )


def _items(layer: Layer) -> Iterator[dict[str, Any]]:
    if layer.name == "sounds":
        return (item | {"text": _sound_text(item)} for item in layer.items())
    spoken = (item for item in layer.items() if item["text"].strip())
    return _joined(spoken) if layer.name == "subtitles" else spoken


def _sound_text(item: Mapping[str, Any]) -> str:
    if item["kind"] == "tone" and "hz" in item:
        return f"tone of {item['hz']:.0f} Hz, beep"
    kind: str = item["kind"]
    return _SOUNDS.get(kind, kind)


def _joined(cues: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Join short cues with their neighbours inside one sentence, track by track."""
    for _, track in groupby(sorted(cues, key=_track), key=_track):
        group: list[dict[str, Any]] = []
        for cue in track:
            if group and not _belongs(group, cue):
                yield _merged(group)
                group = []
            group.append(cue)
        if group:
            yield _merged(group)


def _track(cue: Mapping[str, Any]) -> tuple[str, str]:
    return str(cue.get("language")), str(cue.get("source"))


def _belongs(group: Sequence[Mapping[str, Any]], cue: Mapping[str, Any]) -> bool:
    last = group[-1]
    short = min(last["end"] - last["start"], cue["end"] - cue["start"]) < _SHORT
    unfinished = not last["text"].rstrip().endswith(_ENDS)
    follows = last["start"] <= cue["start"] < last["end"] + _GAP
    return short and unfinished and follows and cue["end"] - group[0]["start"] <= _LONGEST


def _merged(group: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    text = " ".join(" ".join(cue["text"].split()) for cue in group)
    return dict(group[0]) | {"text": text, "end": max(cue["end"] for cue in group)}


def _union(spans: Iterable[TimeSpan]) -> list[TimeSpan]:
    """Spans in order, those that touch joined."""
    union: list[TimeSpan] = []
    for span in sorted(spans, key=lambda span: span.start):
        if union and span.start <= union[-1].end:
            union[-1] = TimeSpan(start=union[-1].start, end=max(union[-1].end, span.end))
        else:
            union.append(span)
    return union
