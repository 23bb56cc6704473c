"""What a video is about, to begin with: its summary, and questions that it answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from longtake.agent.controllers.extractive.made import summary_lines
from longtake.agent.controllers.extractive.planning import summary_calls
from longtake.agent.query.query import Source
from longtake.agent.query.reader import LearnedReader, Reader
from longtake.language.words import FUNCTION_WORDS, STOPWORDS
from longtake.language.words import words as words_of
from longtake.memory.library import VideoRecord
from longtake.memory.records import Evidence, Modality
from longtake.memory.search.search_index import SearchFilter, Vectors
from longtake.memory.search.terms import content_words
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.worded_lines import WordedLine, most_typical, typical_of, worded_lines
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.preprocess.layers.documents import SOURCES
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.speech.summarize_segment import summarize_segment

QUESTIONS = 3
_ASKED: dict[Modality, tuple[str, Source]] = {
    "speech": ("What is said about {}?", "speech"),
    "scene_text": ("What is written about {}?", "text"),
}
_CLEAR = 0.5  # probability from which a question is read as one for a quotation from the line's source
_GRAMMAR = 0.25  # of the words: about half of those said in English are, and at most a fifth in other languages
_LINES = 6  # typical lines of a part from which phrases are taken
_ARTICLE = "the"  # what follows "a" is as often a measure as a thing
_SIGNS = "“”‘’\"'()[]{}<>.,;:!?…•·-–—*"


def summary_of(workspace: Workspace, video: VideoRecord, seconds: float) -> list[Evidence]:
    """The lines that `longtake summary` quotes without a language model, by start.

    Args:
        workspace: its engines choose the lines.
        video: one whose lines are read; none are found in others.
        seconds: after which the rest is left out.
    """
    handle = VideoHandle(video, workspace.library)
    context = ToolContext({video.id: handle}, workspace.engines, workspace.index, workspace.settings, Budget(seconds))
    toolbox = Toolbox([summarize_segment])
    calls = summary_calls(TimeSpan(start=0.0, end=video.duration))
    results = [toolbox.call(call.name, call.arguments, context) for call in calls]
    return list(summary_lines([result for result in results if not result.failure]).values())


def suggested_questions(workspace: Workspace, video: VideoRecord) -> list[str]:
    """Up to three questions about what parts of the video are typical for. Search finds each one's line first.

    The questions are English, so they are about lines in English, and there are none about a part in another language.

    Raises:
        LibraryError: if a layer or the index is damaged.
        EngineError: if texts can't be embedded.
        ConfigError: if no embedding of the settings reads questions.
    """
    library = workspace.library
    layers = {name: layer for name in (*SOURCES, "text_vectors") if (layer := library.layer(video, name))}
    lines = [line for line in worded_lines(video.id, layers) if line.document.modality in _ASKED]
    lines = [line for line in lines if line.document.modality == "speech"] or lines
    reader = LearnedReader(workspace.engines)
    meanings = [content_words(line.text) for line in lines]
    size = max(1, -(-len(lines) // QUESTIONS))
    questions: list[str] = []
    for first in range(0, len(lines), size):
        part = lines[first : first + size]
        if not _in_english(part):
            continue
        typical = typical_of(part, lines)
        chosen = [line for line in most_typical(part, typical)[:_LINES] if _in_english([line])]
        asked = {phrase: line for line in chosen for phrase in _phrases(line)}
        for phrase in _closest(workspace, video, list(asked), typical):
            # What several lines are about has no single answer.
            alone = sum(content_words(phrase) <= meaning for meaning in meanings) == 1
            if alone and (question := _question(workspace, video, reader, phrase, asked[phrase])):
                questions.append(question)
                break
    return questions


def _closest(workspace: Workspace, video: VideoRecord, phrases: list[str], typical: Vectors) -> list[str]:
    """The phrases, the closest in meaning first, if an engine of the same vectors is there."""
    layer = workspace.library.layer(video, "text_vectors")
    engines: list[TextEmbedding] = workspace.engines.load_each("text_embedding")
    engine = next((engine for engine in engines if layer and engine.id == layer.engine), None)
    if engine is None or not phrases:
        return phrases
    closeness = engine.embed(phrases) @ typical
    return [phrases[place] for place in (-closeness).argsort(kind="stable")]


def _question(workspace: Workspace, video: VideoRecord, reader: Reader, phrase: str, line: WordedLine) -> str | None:
    """The question about a phrase of a line; None if it can be read otherwise, or search finds another line first."""
    words, source = _ASKED[line.document.modality]
    question = words.format(phrase)
    reading = reader.read(question)
    if min(reading.sources[source], reading.targets["quote"]) < _CLEAR:
        return None
    hits = retrieve(question, SearchFilter((video.id,)), 1, workspace.engines, workspace.index)
    return question if any(hit.document.id == line.document.id and not hit.weak for hit in hits) else None


def _in_english(lines: Sequence[WordedLine]) -> bool:
    """Whether enough of the words are those of English grammar. Other languages share some of their spellings."""
    spoken = [word for line in lines for word in words_of(line.text) if word.isalpha()]
    return sum(word in FUNCTION_WORDS for word in spoken) >= _GRAMMAR * len(spoken) > 0


def _phrases(line: WordedLine) -> Iterator[str]:
    """Names in a line, and what follows "the": a word that means something, or two that end a clause.

    Two words in the middle may be a subject and its verb.
    """
    written = line.text.split()
    words = [word.strip(_SIGNS) for word in written]
    meant = [word.isalpha() and len(word) > 2 and word.casefold() not in STOPWORDS for word in words]
    for means, places in groupby(range(len(words)), key=meant.__getitem__):
        first, *rest = places
        last = rest[-1] if rest else first
        whole = not rest or (len(rest) == 1 and (last + 1 == len(words) or written[last][-1] in _SIGNS))
        named = first > 0 and means and all(words[place][0].isupper() for place in (first, *rest))
        article = bool(first) and words[first - 1].casefold() == _ARTICLE
        if means and whole and (named or article):
            before = f"{_ARTICLE} " if article else ""
            yield before + " ".join(words[first : last + 1])
