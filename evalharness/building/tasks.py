"""What the sixteen tasks ask for, and how difficult the questions of a task are to be."""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

MEANINGS: Mapping[str, str] = {
    "entity_recognition": "who or what is there: people, things, places, texts, by their looks or names",
    "event_understanding": "what happens, who does it to whom, and how it ends",
    "temporal_reasoning": "what comes before, during or after something, how long it lasts, in what order",
    "audio_understanding": "what is heard: voices, their words and tone, music, other sounds",
    "causal_reasoning": "why something happens, and what follows from it",
    "quantitative_reasoning": "numbers that are said or shown: counts, prices, measures, and sums of them",
    "compositional_reasoning": "several facts from different moments put together into one conclusion",
    "comparative_analysis": "how two or more things, people or moments are alike and differ",
    "information_retrieval": "one particular detail in a long video",
    "summarization": "what a part or the whole is about, in its essential points",
    "instruction_extraction": "how something is done: the steps, tools and conditions, in order",
    "sentiment_analysis": "the mood or attitude that words, voices and faces openly show",
    "multimodal_synthesis": "what only pictures, speech and sound together tell",
    "cross_modal_verification": "whether what is said agrees with what is shown or heard",
    "audio_visual_alignment": "what is seen while something is heard, or the reverse",
    "motion_analysis": "how someone or something moves: direction, speed, manner",
}
# Levels of the single question and of the turns of the conversation. Of twenty questions, three are of level 1 or 2,
# five of 3, seven of 4 and five of 5: 15, 25, 35 and 25 percent, as section 3.2 of LongShOT wants.
Levels = tuple[int, tuple[int, int, int]]
LEVELS: tuple[Levels, ...] = (
    (4, (1, 3, 4)),
    (5, (2, 4, 5)),
    (3, (3, 4, 5)),
    (4, (2, 3, 4)),
    (5, (3, 4, 5)),
)


def levels_of(video: str, place: int) -> Levels:
    """The levels for the task at a place of a video. Each video begins elsewhere, so that few videos have all."""
    return LEVELS[(crc32(video.encode()) + place) % len(LEVELS)]
