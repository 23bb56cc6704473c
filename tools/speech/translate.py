"""`translate_text` and `translate_speech`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from longtake.memory.records import Evidence
from longtake.memory.timespan import clock
from longtake.preprocess.engines.text.translation import Translator
from longtake.preprocess.media.language_names import language_name, same_language
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.speech.transcribe import transcribe_speech
from longtake.tools.speech.translator import asked_language, find_source, find_translator, is_open

LONGEST = 1_000  # characters of one part of a text
_BATCH = 4_000  # characters translated together
FromLanguage = Annotated[
    str, Field(description="Source language, by name or code: 'Spanish', 'es'; 'auto' detects it.")
]
ToLanguage = Annotated[str, Field(description="Target language, by name or code: 'English', 'en'.")]
_SENTENCE_END = re.compile(r"(?<=[.!?…])(?=\s)|(?<=[。！？])")


@tool(capabilities=("translation",))
def translate_text(
    context: ToolContext,
    text: Annotated[str, Field(description="The text to translate.")],
    from_lang: FromLanguage,
    to_lang: ToLanguage,
) -> ToolResult:
    """Translate a text; `from_lang` may be 'auto'.

    With 'auto', lines that are already in the target language stay unchanged.
    """
    target = asked_language("to_lang", to_lang)
    pieces = [re.fullmatch(r"(\s*)(.*?)(\s*)", piece, re.DOTALL) for piece in _pieces(text)]
    parts = [(piece[1], piece[2], piece[3]) for piece in pieces if piece]
    bodies = [body for _, body, _ in parts]
    source = find_source(context, bodies, target) if is_open(from_lang) else asked_language("from_lang", from_lang)
    translated, note, _ = _translate(context, bodies, source, target, mixed=is_open(from_lang))
    output = "".join(f"{p[0]}{body}{p[2]}" for p, body in zip(parts, translated, strict=True))
    return ToolResult(
        tool="translate_text",
        output={"translated_text": output} | ({"from_lang": language_name(source)} if is_open(from_lang) else {}),
        notes=("this translates the given text, which isn't evidence from the video", note),
    )


@tool(capabilities=("speech", "translation"))
def translate_speech(
    context: ToolContext, timestamp: Timestamp, from_lang: FromLanguage, to_lang: ToLanguage
) -> ToolResult:
    """What is said in a span, in another language; `from_lang` may be 'auto'.

    It is translated line by line, with times.
    If the track is already in the target language, only lines in the other language are translated, if they can be
    detected.
    """
    target = asked_language("to_lang", to_lang)
    named = None if is_open(from_lang) else asked_language("from_lang", from_lang)
    heard = transcribe_speech(context, timestamp, named)
    words = [" ".join(item.content.split()) for item in heard.evidence]
    track = _language_of(context, heard.evidence)
    mixed = bool(track and same_language(track, target)) or not (named or track)
    source = named or (find_source(context, words, target) if mixed else track) or target
    if track and not mixed and not same_language(track, source):
        raise ToolError(
            "bad_arguments", f"from_lang: it is said in {language_name(track)}, not in {language_name(source)}."
        )
    texts, note, translator = _translate(context, words, source, target, mixed=mixed)
    lines = [
        f"{clock(item.span.start, decimals=1)}-{clock(item.span.end, decimals=1)} {text}"
        for item, text in zip(heard.evidence, texts, strict=True)
    ]
    unchanged = sum(one == other for one, other in zip(words, texts, strict=True)) if translator else 0
    left = (f"{unchanged} of {len(words)} lines came back unchanged, as from another language",) if unchanged else ()
    return ToolResult(
        tool="translate_speech",
        output={"translated_transcript": "\n".join(lines)},
        evidence=(*heard.evidence, *_in_other_words(heard.evidence, texts, translator)),
        looked_at=heard.looked_at,
        notes=(*heard.notes, note, *left) if words else heard.notes,
    )


def _translate(
    context: ToolContext, texts: Sequence[str], source: str, target: str, *, mixed: bool
) -> tuple[list[str], str, Translator | None]:
    """The translated texts, a note on how, and the translator. Empty texts stay unchanged.

    Among mixed texts, those in other languages stay unchanged; all of them if languages can't be detected.
    """
    unchanged = list(texts), f"it is in {language_name(target)} already, and unchanged", None
    if same_language(source, target):
        return unchanged
    if not any(texts):
        return list(texts), "there is nothing to translate", None
    try:
        translator = find_translator(context, source, target, mixed=mixed)
    except ToolError:
        if mixed:
            return unchanged
        raise
    foreign = translator.foreign(texts, source, target) if mixed else [True] * len(texts)
    wanted = [text for text, is_foreign in zip(texts, foreign or (), strict=False) if text and is_foreign]
    if not wanted:
        return unchanged
    translated: list[str] = []
    for batch in _batches(wanted):
        context.budget.check()
        translated += translator.translate(batch, source, target)
    in_other_words = dict(zip(wanted, translated, strict=True))
    note = f"translated by {translator.id}"
    if not translator.trusted:
        note = f"{note}, which often makes mistakes: it may lead to a place but proves nothing"
    return [in_other_words.get(text, text) for text in texts], note, translator


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        if batch and sum(map(len, batch)) + len(text) > _BATCH:
            yield batch
            batch = []
        batch.append(text)
    yield batch


def _pieces(text: str) -> Iterator[str]:
    """The text in parts of at most `LONGEST` characters, cut at line ends or else sentence ends."""
    for line in text.splitlines(keepends=True):
        piece = ""
        for sentence in _SENTENCE_END.split(line):
            if piece and len(piece) + len(sentence) > LONGEST:
                yield piece
                piece = ""
            piece += sentence
            while len(piece) > LONGEST:  # an endless sentence is cut between words
                cut = piece.rfind(" ", 1, LONGEST) + 1 or LONGEST
                yield piece[:cut]
                piece = piece[cut:]
        yield piece


def _language_of(context: ToolContext, heard: Sequence[Evidence]) -> str | None:
    """The language of the track; None if it isn't named."""
    for layer in filter(None, map(context.video.layer, ("subtitles", "speech"))):
        for item in layer.items() if heard and layer.key == heard[0].layer else ():
            if (item["start"], item["text"]) == (heard[0].span.start, heard[0].content):
                language: str | None = item["language"]
                return language
    return None


def _in_other_words(heard: Sequence[Evidence], texts: Sequence[str], translator: Translator | None) -> list[Evidence]:
    """The lines in translation, at the same times; nothing if nothing was translated."""
    if translator is None:
        return []
    return [
        item.model_copy(
            update={
                "content": text,
                "engine": f"{translator.id} of {item.engine}",
                "trusted": item.trusted and translator.trusted,
            }
        )
        for item, text in zip(heard, texts, strict=True)
    ]
