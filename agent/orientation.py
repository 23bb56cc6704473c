"""What is known before the first step: the question's kind, the times and senses it names, and what the videos offer.

Every controller starts from this. It is made by rules, from the question, the layers and the thread, without a model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from longtake.agent.words import cue
from longtake.memory.records import Citation, Evidence, Modality, Record
from longtake.memory.timespan import TimeSpan

Kind = Literal["metadata", "transcribe", "read", "hear", "look", "when", "count", "calculate", "summarise", "fact"]

# Cue words of a sense. `visual` is what only eyes can tell.
_SENSES: tuple[tuple[Modality, re.Pattern[str]], ...] = (
    (
        "speech",
        cue(
            "say, says, said, saying, spoken, speak, speaks, speech, mention*, talk*, tell, tells, told, ask, asks, "
            "asked, lyric*, sing, sings, sung, song, singer, narrat*, transcri*, subtitle*, quote*, words of, "
            "joke*, speaker, voice, read out, read aloud"
        ),
    ),
    (
        "scene_text",
        cue(
            "written, write*, text, title*, slide*, caption*, printed, print*, sign, signs, logo*, label*, on screen, "
            "on the screen, letters, timecode, displayed, headline, banner, credit*, website, web site, web page, "
            "web address, url, e mail, email, phone number, plate"
        ),
    ),
    (
        "audio",
        cue(
            "sound*, hear, hears, heard, noise*, music, silen*, loud*, bang*, beep*, tone*, siren*, bark*, clap*, "
            "applause, horn*, audio track*, in the audio, bell"
        ),
    ),
    (
        "visual",
        cue(
            "wear*, color*, colour*, happen*, doing, look like, looks like, looking like, see, sees, seen, visible, "
            "hold*, stand*, sit, sits, sitting, walk*, mov*, animal*, car, cars, vehicle*, object*, hair, cloth*, "
            "shirt*, hat, hats, face, faces, gestur*, indoors, outdoors, background, foreground, scene, picture*, "
            "image, filmed, throw*, passes"
        ),
    ),
)
_OF_SPEAKER = re.compile(r"\bspeaker['’]s\b", re.IGNORECASE)  # address or shirt: nothing that is said
# "Tell me how many there are": who is told is the one who asks.
_REQUEST = re.compile(
    r"^\W*(?:please |now |(?:can|could|will|would) you )*"
    r"(?:(?:tell|show) (?:me|us)|(?:say|tell)(?= (?:how|what|which|where|when)))\b",
    re.IGNORECASE,
)
_CALCULATE = re.compile(
    r"\b(?:solve|solutions? of) [\w(][^?]*=|\b(?:calculate|compute|sum|add up|total of|result of|product of|equation)\b"
    r"|\bhow much is [\d(]|\bwhat is [\d(][^?]*[-+*/x×÷]|\d\s*(?:%|per ?cent) of \d"
)
_METADATA = re.compile(
    r"how long is (?:the|this) (?:video|recording|clip|film|file)"
    r"|(?:length|duration|resolution|frame rate|codec|format) of (?:the|this) (?:video|recording|clip|film|file)"
    r"|how many (?:hard )?(?:shots|cuts|fades|dissolves|audio tracks)"
    r"(?=\W*$| (?:are there|are in|in|there are|(?:does|has|do) (?:the|this) (?:video|recording|clip|film)))"
    r"|^\W*(?:is|are) there (?:ever )?(?:an? |any )?(?:hard )?(?:fade|dissolve|cut)s?(?=\W*$| (?:in|to|from)\b)"
    r"|(?:picture|screen|video|image|film|clip) (?:fades?|dissolves?)\b"
    r"|\b(?:is there|any) (?:a )?(?:sound|audio)(?: track)?(?=\W*$| (?:in|on|to) (?:the|this)\b)"
    r"|when are the (?:shot )?cuts|hard cuts"
)
_SUMMARISE = re.compile(
    r"\b(?:summar\w+|overview|gist|main (?:points?|topics?)"
    r"|what is (?:the|this) (?:video|recording|clip|film|talk) about)\b"
)
_TRANSCRIBE = re.compile(
    r"\btranscri\w+|what (?:is|was|'s|gets|words are) (?:being )?(?:said|sung)\b(?!\s+(?:about|of|to))"
    r"|what do(?:es)? .{1,20} say (?:at|between|from|in)\b|subtitles? .*(?:show|say|read)|what .*subtitles?"
)
_COUNT = re.compile(r"\bhow (?:many times|often)\b")
_LIST = re.compile(
    r"^\W*(?:please )?(?:list\b"
    r"|(?:name|enumerate|find|show|give|tell me|what|which|when)\b.*"
    r"\b(?:all (?:the|of)|every|each|any time|whenever)\b)"
)
POLAR = r"^\W*(?:is|are|was|were|do|does|did|can|could|has|have)\b"  # how a question begins that wants a yes or a no
EVER = re.compile(rf"{POLAR}.*\b(?:ever|any|anybody|anyone|anything)\b", re.IGNORECASE)
TOTAL = re.compile(
    r"\b(?:total|sum)\b[^?]*\b(?:of|for)\b|\badd(?:ed)? up\b|\ball together\b|\baltogether\b"
    r"|\b(?:costs?|how much (?:is|are|do|does|would))\b[^?]*\b(?:together|in total|in all|combined)\b"
    r"|\bcosts?\b[^?]*\b(?:buy|for) (?:all|both|everything)\b"
)
_OF_ONE_COLOUR = re.compile(
    rf"{POLAR} (?:there .*\b(?:screen|picture|frame|image)s?\W*$|the (?:screen|picture|frame|image)\b)"
)
_WHEN = re.compile(
    r"^\W*(?:since )?when\b|\bwhen (?:is|are|was|were|do|does|did|will|has|had|can)\b"
    r"|\b(?:at|from|between|until) (?:what|which) (?:times?|second|minute|moment|point)|\bwhat time\b(?! is it)"
)
_READ = re.compile(r"\bwhat (?:is|was|gets) (?:shown|displayed)\b")
_TITLE = re.compile(
    r"\bwhat (?:is|was) the title of (?:the|this) (?:talk|lecture|presentation|speech|video|film|clip)\b"
)
# What no sound answers, whatever sounds it names: "where do people meet if the tone does not stop?"
_NOT_HEARD = re.compile(
    r"^\W*(?:where (?:do|did|can|should|must)|what (?:can|should|must)|who|whom|whose|why|how (?:much|many|far|old)"
    r"|in how many)\b"
)
# Without any of these a question is not English: its words are searched for as they are.
_ENGLISH = cue(
    "what, when, who, whom, whose, which, where, why, how, is, are, was, were, do, does, did, the, an, of, there, "
    "list, summarise, summarize, summary, transcribe, describe, tell, give, show, count, calculate"
)
# The kinds that a question's wording gives away; the first that fits counts.
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("calculate", _CALCULATE),
    ("metadata", _METADATA),
    ("summarise", _SUMMARISE),
    ("transcribe", _TRANSCRIBE),
    ("count", _COUNT),
    ("when", _WHEN),
    ("read", _READ),
)
QUOTATION = re.compile(r"[\"“”«»„]([^\"“”«»„]+)[\"“”«»„]|(?<!\w)['‘]([^'’]{2,})['’](?!\w)")
CODE = r"\d+(?::\d+){3,}"  # such as 01:00:32:03, which is no time of a video
# Groups of digits as of a telephone; years, dates and thousands are none.
_PHONE = re.compile(
    r"(?<![\w:.,$€£/-])(?<!\d )(?!(?:1\d|20)\d\d[-– ](?:1\d|20)?\d\d\b|[1-9]\d{0,2}(?: \d{3})+(?![ -]?\d))"
    r"\+?\d{2,5}(?:[ -]\d{2,5}){1,5}(?![\w:.,/%-]*\d)"
)
_SHORTEST_PHONE = 6  # digits
ORDINALS = {
    "first": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "fifth": 4,
    "sixth": 5,
    "seventh": 6,
    "eighth": 7,
    "last": -1,
}


class Orientation(Record):
    """What the controller is told besides the question."""

    question: str = Field(description="The question, with the pronouns of a follow-up replaced where that is sure.")
    as_asked: str = Field(default="", description="The question in the person's own words, where they differ.")
    kind: Kind
    options: tuple[str, ...] = ()
    span: TimeSpan | None = Field(default=None, description="The part of the video that the question names.")
    point: bool = Field(default=False, description="The question names a single moment.")
    modalities: tuple[Modality, ...] = Field(default=(), description="The senses it names; empty when it names none.")
    relation: str = Field(default="", description="How the span lies to what the question names: after, before, while.")
    quoted: tuple[str, ...] = Field(default=(), description="Words the question puts in quotation marks, and codes.")
    exhaustive: bool = Field(default=False, description="It wants everything, not one thing.")
    parts: tuple[str, ...] = Field(default=(), description="Sub-questions, in the order to answer them.")
    videos: Mapping[str, float] = Field(default_factory=dict, description="Seconds of each open video, by id.")
    names: Mapping[str, str] = Field(default_factory=dict, description="File name of each open video, by id.")
    coverage: Mapping[str, float] = Field(default_factory=dict, description="Share of the timeline by layer.")
    facts: tuple[Evidence, ...] = Field(default=(), description="What is known of the recordings themselves.")
    blank: tuple[Evidence, ...] = Field(default=(), description="Where the picture is empty.")
    earlier: tuple[str, ...] = Field(default=(), description="Questions and answers of the thread, oldest first.")
    last: Citation | None = Field(default=None, description="Where the thread's last answer rests.")

    @property
    def own_words(self) -> str:
        """The question as the person wrote it."""
        return self.as_asked or self.question

    def reworded(self, question: str) -> Orientation:
        """The same of another question: its kind, senses and words; the place stays."""
        kind, senses = classify(question)
        own = {"question": question, "parts": (question,), "kind": kind, "modalities": senses}
        return self.model_copy(update=own | {"quoted": quoted(question), "exhaustive": wants_everything(question)})


def classify(question: str) -> tuple[Kind, tuple[Modality, ...]]:
    """The kind of a question and the senses it names."""
    if not _ENGLISH.search(question):
        return "fact", ()
    asked = _REQUEST.sub(" ", question)
    plain = _OF_SPEAKER.sub(" ", asked)
    senses: tuple[Modality, ...] = tuple(modality for modality, words in _SENSES if words.search(plain))
    return _kind(asked.casefold(), senses), senses


def _kind(text: str, senses: Sequence[Modality]) -> Kind:
    for kind, wording in _KINDS:
        if wording.search(text):
            return kind
    if _TITLE.search(text):
        return "read"
    if "scene_text" in senses and "speech" not in senses:
        return "read"
    if "audio" in senses and not {"speech", "scene_text", "visual"} & set(senses) and not _NOT_HEARD.match(text):
        return "hear"
    if "visual" in senses and not {"speech", "scene_text"} & set(senses):
        return "look"
    return "fact"


def wants_everything(question: str) -> bool:
    """Whether top results are not enough: how often, every, list, ever, in total."""
    plain = question.casefold()
    if _OF_ONE_COLOUR.match(plain):
        return False  # a layer knows all of them
    return bool(_COUNT.search(plain) or TOTAL.search(plain) or _LIST.match(plain) or EVER.match(plain))


def quoted(question: str) -> tuple[str, ...]:
    """What stands in quotation marks, codes such as 01:00:32:03, and telephone numbers."""
    marked = [first or second for first, second in QUOTATION.findall(question)]
    dialled = [found for found in _PHONE.findall(question) if sum(map(str.isdigit, found)) >= _SHORTEST_PHONE]
    return tuple(dict.fromkeys([*marked, *re.findall(CODE, question), *dialled]))


def split_parts(question: str) -> tuple[str, ...]:
    """The sub-questions of a question that joins several with "and" before another question word."""
    joint = r",?\s+and\s+(?=(?:what|which|who|when|where|how|why)\b)|(?<=\?)\s+"
    parts = re.split(joint, question.strip(), flags=re.IGNORECASE)
    return tuple(part.strip() for part in parts if part.strip())
