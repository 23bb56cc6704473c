"""`translate_text` and `translate_speech`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from longtake.memory.records import Evidence
from longtake.memory.timespan import clock
from longtake.preprocess.engines.translation import Translator
from longtake.preprocess.language_names import language_name, same_language
from longtake.tools.context import ToolContext
from longtake.tools.registry import Timestamp, tool
from longtake.tools.result import ToolError, ToolResult
from longtake.tools.speech import transcribe_speech
from longtake.tools.translator import asked_language, find_translator

LONGEST = 1_000  # characters of one piece of a text
AT_ONCE = 4_000  # characters handed over together
FromLanguage = Annotated[str, Field(description="Language it is in, by name or code: 'Spanish', 'es'.")]
ToLanguage = Annotated[str, Field(description="Language wanted, by name or code: 'English', 'en'.")]
_SENTENCE_END = re.compile(r"(?<=[.!?…])(?=\s)|(?<=[。！？])")


@tool(capabilities=("translation",))
def translate_text(
    context: ToolContext,
    text: Annotated[str, Field(description="The text to translate.")],
    from_lang: FromLanguage,
    to_lang: ToLanguage,
) -> ToolResult:
    """Translate a text into another language."""
    source, target = asked_language("from_lang", from_lang), asked_language("to_lang", to_lang)
    pieces = [re.fullmatch(r"(\s*)(.*?)(\s*)", piece, re.DOTALL) for piece in _pieces(text)]
    parts = [(piece[1], piece[2], piece[3]) for piece in pieces if piece]
    translated, note, _ = _translate(context, [body for _, body, _ in parts], source, target)
    return ToolResult(
        tool="translate_text",
        output={"translated_text": "".join(f"{p[0]}{body}{p[2]}" for p, body in zip(parts, translated, strict=True))},
        notes=("this translates the text that was given, which is no evidence of the video", note),
    )


@tool(capabilities=("speech", "translation"))
def translate_speech(
    context: ToolContext, timestamp: Timestamp, from_lang: FromLanguage, to_lang: ToLanguage
) -> ToolResult:
    """Translate what is said in a segment of the video, line by line, each with its time."""
    source, target = asked_language("from_lang", from_lang), asked_language("to_lang", to_lang)
    heard = transcribe_speech(context, timestamp, source)
    spoken = _language_of(context, heard.evidence) or source
    if not same_language(spoken, source) and not same_language(spoken, target):
        raise ToolError(
            "bad_arguments", f"from_lang: it is said in {language_name(spoken)}, not in {language_name(source)}."
        )
    words = [" ".join(item.content.split()) for item in heard.evidence]
    texts, note, translator = _translate(context, words, spoken, target)
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
    context: ToolContext, texts: Sequence[str], source: str, target: str
) -> tuple[list[str], str, Translator | None]:
    """The texts in the other language, a note on how, and who did it; empty texts stay as they are."""
    if same_language(source, target):
        return list(texts), f"it is in {language_name(target)} already, and unchanged", None
    wanted = [text for text in texts if text]
    if not wanted:
        return list(texts), "there is nothing to translate", None
    translator = find_translator(context, source, target)
    translated: list[str] = []
    for batch in _batches(wanted):
        context.budget.check()
        translated += translator.translate(batch, source, target)
    done = iter(translated)
    note = f"translated by {translator.id}"
    if not translator.trusted:
        note = f"{note}, which often mistakes words: it may lead to a place but proves nothing"
    return [next(done) if text else text for text in texts], note, translator


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        if batch and sum(map(len, batch)) + len(text) > AT_ONCE:
            yield batch
            batch = []
        batch.append(text)
    yield batch


def _pieces(text: str) -> Iterator[str]:
    """Parts of at most `LONGEST` characters which together are the text, cut at line ends, or else sentence ends."""
    for line in text.splitlines(keepends=True):
        piece = ""
        for sentence in _SENTENCE_END.split(line):
            if piece and len(piece) + len(sentence) > LONGEST:
                yield piece
                piece = ""
            piece += sentence
            while len(piece) > LONGEST:  # a sentence without end is cut between words
                cut = piece.rfind(" ", 1, LONGEST) + 1 or LONGEST
                yield piece[:cut]
                piece = piece[cut:]
        yield piece


def _language_of(context: ToolContext, heard: Sequence[Evidence]) -> str | None:
    """The language of the track that the words come from; None where it is not named."""
    for layer in filter(None, map(context.video.layer, ("subtitles", "speech"))):
        for item in layer.items() if heard and layer.key == heard[0].layer else ():
            if (item["start"], item["text"]) == (heard[0].span.start, heard[0].content):
                language: str | None = item["language"]
                return language
    return None


def _in_other_words(heard: Sequence[Evidence], texts: Sequence[str], translator: Translator | None) -> list[Evidence]:
    """What was said in the words of the translation, at the same times; nothing where nothing was translated."""
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
