"""All documents of a video as evidence, and the moments that they make."""

from __future__ import annotations

from collections.abc import Mapping

from longtake.agent.gathering.moments import Moments
from longtake.memory.records import Evidence
from longtake.preprocess.layers.documents import documents_of
from longtake.tools.core.tool_context import VideoHandle
from longtake.tools.retrieval.cross_modal_search import evidence_of_document


def documents(handle: VideoHandle) -> dict[str, Evidence]:
    """The documents of a video by id, with the places of on-screen text."""
    layers = {name: layer for name in handle.record.layers if (layer := handle.layer(name))}
    # By order: cells of a table may have the same text at the same time.
    boxes = iter([item.get("box") for item in handle.items("scene_text") if item["text"].strip()])
    found: dict[str, Evidence] = {}
    for document in documents_of(handle.id, layers):
        box = next(boxes) if document.modality == "scene_text" else None
        evidence = evidence_of_document(document, document.score)
        found[document.id] = evidence.model_copy(update={"box": box and tuple(box)})
    return found


class LibraryMoments:
    """The moments of each open video, built when they are first asked for."""

    def __init__(self, videos: Mapping[str, VideoHandle]) -> None:
        """Take the open videos by id."""
        self._videos = videos
        self._built: dict[str, Moments] = {}

    def __call__(self, video: str) -> Moments:
        """The moments of one video."""
        if video not in self._built:
            handle = self._videos.get(video)
            self._built[video] = Moments(list(documents(handle).values()) if handle else ())
        return self._built[video]
