"""The table of views by name, and the one that is heard: what is said, without the picture."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.views.frame_views import (
    CHUNKS,
    BagOfFramesView,
    Blind,
    CenterFrame,
    Chunk,
    FrameShuffling,
    Grounded,
    KeyframeView,
    Standard,
    Uniform,
)
from longtake.evalharness.views.part_captions import SummaryView
from longtake.evalharness.views.view import Shown, Transcript, View, media_of, read_transcript
from longtake.plugins import Table, subclass_of
from longtake.preprocess.pipeline.workspace import Workspace

MAX_CHARACTERS = 100_000  # of a transcript: some two hours of speech
_LEAST_LETTERS = 4
_LEAST_READABLE = 0.5  # share of Latin letters, digits, Hangul and plain punctuation
_LEAST_VARIED, _FEW_WORDS = 0.2, 5  # distinct words to all, in more than a few
# What recognisers make of silence and music.
_INVENTED = re.compile(
    r"amara\.org|subtitles? by|copyright|thanks? (?:you )?for watching|\[music\]|\(applause\)|시청해|구독",
    re.IGNORECASE,
)
_READABLE = re.compile(r"[A-Za-z0-9À-ɏ가-힣\s.,!?'\"\-]")


class SpeechView(View):
    """Show the transcript: what is said, without the picture. One that is noise doesn't count (the released rules)."""

    name: ClassVar[str] = "audio"
    speaks = True

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The transcript, unless it is noise."""
        words = read_transcript(workspace, media_of(item), MAX_CHARACTERS, item.clip)
        if is_noise(words):
            raise NothingToShow(f"{item.video} has no usable transcript, so it isn't asked with its sound alone.")
        return Shown(words=words)


def is_noise(words: Transcript) -> bool:
    """Whether a transcript is too short, invented, unreadable or repetitive.

    The last rule of the released code also drops long good transcripts, whose words repeat; here it is kept for texts
    of less than a thousand words.
    """
    text = " ".join(line.text for line in words.lines).strip()
    said = text.lower().split()
    repetitive = _FEW_WORDS < len(said) < 1000 and len(set(said)) / len(said) < _LEAST_VARIED
    unreadable = len(_READABLE.findall(text)) < _LEAST_READABLE * len(text)
    return len(text) < _LEAST_LETTERS or bool(_INVENTED.search(text)) or unreadable or repetitive


_BUILT_IN: Mapping[str, View] = {
    **{
        view.name: view()
        for view in (
            Standard,
            Blind,
            SpeechView,
            SummaryView,
            CenterFrame,
            FrameShuffling,
            BagOfFramesView,
            Grounded,
            KeyframeView,
            Uniform,
        )
    },
    **{f"chunk-{number}": Chunk(number) for number in range(1, CHUNKS + 1)},
}
VIEWS: Table[View] = Table("views", _BUILT_IN, lambda name, declared: subclass_of(View)(name, declared)())


def view_named(name: str) -> View:
    """A view by its name.

    Raises:
        ConfigError: if there is none.
        PluginError: if it is of another package and can't be used.
    """
    return VIEWS.named(name, "view")
