"""`translate_text` and `translate_speech`, by the controller's language model or an engine that has the pair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from typing import Annotated

from pydantic import Field

from longtake.language.text import parse_json
from longtake.memory.records import Moment
from longtake.memory.timespan import clock
from longtake.preprocess.engines.text.text_engines import Translator
from longtake.preprocess.media.language_names import language_name, language_of, near_language, same_language
from longtake.prompts import prompts_hash, render, without_thinking
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import Budget, TextModel, ToolContext
from longtake.tools.speech.transcribe import transcribe_speech

PROMPTS = "longtake.tools.prompts"


def is_open(from_lang: str) -> bool:
    """Whether the language of a text must be detected."""
    return from_lang.strip().casefold() == "auto"


def asked_language(argument: str, text: str) -> str:
    """The code of a language in an argument.

    Raises:
        ToolError: if the language is unknown.
    """
    code = language_of(text)
    if code is None:
        near = near_language(text)
        hint = f"Did you mean {near!r}?" if near else "Write its English name or code, such as 'Spanish' or 'es'."
        raise ToolError("bad_arguments", f"{argument}: {text!r} isn't a known language. {hint}")
    return code


def find_translator(context: ToolContext, source: str, target: str, *, mixed: bool = False) -> Translator:
    """The translator between two languages; for mixed texts, rather one that can distinguish these.

    Raises:
        ToolError: if there is none; the remedy says how to get one.
    """
    if context.text_model is not None:
        return ControllerTranslator(context.text_model, context.budget)
    report = context.engines.report("translation")
    missing = [f"{name}: {reason}" for name, reason in report.reasons.items()]
    translators: list[Translator] = context.engines.load_each("translation")
    reasons = [(translator, translator.missing(source, target)) for translator in translators]
    if fitting := [translator for translator, reason in reasons if reason is None]:
        return max(fitting, key=lambda each: mixed and source in each.sources(target))  # the first of the best
    missing += [f"{translator.id}: {reason}" for translator, reason in reasons]
    missing.append(
        "the extractive controller has no language model: name one, for example with --set controller.engine=openai"
    )
    raise ToolError(
        "unavailable",
        f"No translator from {language_name(source)} into {language_name(target)} is available.",
        f"{'; '.join(missing)}.",
    )


def find_source(context: ToolContext, texts: Sequence[str], target: str) -> str:
    """The language of the texts that aren't in the target language; the target language if all of them are.

    Raises:
        ToolError: if nothing here can detect languages.
    """
    report = context.engines.report("translation")
    translators: list[Translator] = context.engines.load_each("translation")
    translator = next((each for each in translators if each.sources(target)), None)
    if translator is None:
        missing = "".join(f" {name}: {reason}." for name, reason in report.reasons.items())
        problem = f"from_lang: nothing here can detect the language to translate into {language_name(target)}."
        raise ToolError("bad_arguments", problem, f"Name it, such as 'Spanish' or 'es'.{missing}")
    letters = {
        source: sum(map(len, compress(texts, translator.foreign(texts, source, target) or ())))
        for source in translator.sources(target)
    }
    best = max(letters, key=letters.__getitem__)
    return best if letters[best] else target


@dataclass(frozen=True, slots=True)
class ControllerTranslator:
    """The controller's language model, asked for a JSON list. Its wording proves nothing about a video."""

    model: TextModel
    budget: Budget
    trusted: bool = False

    @property
    def id(self) -> str:
        """Name and version of the prompts. The model is in the trace."""
        return f"controller-{prompts_hash(PROMPTS)}"

    def missing(self, source: str, target: str) -> str | None:
        """Accept every pair: a model is asked for any language."""
        return None

    def sources(self, target: str) -> list[str]:
        """None: the model isn't asked to detect languages."""
        return []

    def foreign(self, texts: Sequence[str], source: str, target: str) -> list[bool] | None:
        """None: the model isn't asked."""
        return None

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Each text in the target language. If the reply isn't a list of the right length, ask again text by text."""
        reply = self._reply(texts, source, target)
        translated = _listed(reply, len(texts))
        if translated is not None:
            return translated
        if len(texts) == 1:  # some models omit the list
            return [reply]
        return [each for text in texts for each in self.translate([text], source, target)]

    def _reply(self, texts: Sequence[str], source: str, target: str) -> str:
        self.budget.check()
        names = language_name(source), language_name(target)
        prompt = render(PROMPTS, "translate", texts=list(texts), source=names[0], target=names[1])
        return without_thinking(self.model.complete(prompt, seconds=self.budget.left))


def _listed(reply: str, count: int) -> list[str] | None:
    """The JSON list in a reply, also inside a fence; None if it isn't a list of this many strings."""
    with suppress(ValueError):
        found = parse_json(reply[reply.index("[") : reply.rindex("]") + 1])
        if len(found) == count and all(isinstance(text, str) and text.strip() for text in found):
            return [text.strip() for text in found]
    return None


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
    words = [" ".join(item.text.split()) for item in heard.evidence]
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


def _language_of(context: ToolContext, heard: Sequence[Moment]) -> str | None:
    """The language of the track; None if it isn't named."""
    for layer in filter(None, map(context.video.layer, ("subtitles", "speech"))):
        for item in layer.items() if heard and layer.key == heard[0].layer else ():
            if (item["start"], item["text"]) == (heard[0].span.start, heard[0].text):
                language: str | None = item["language"]
                return language
    return None


def _in_other_words(heard: Sequence[Moment], texts: Sequence[str], translator: Translator | None) -> list[Moment]:
    """The lines in translation, at the same times; nothing if nothing was translated."""
    if translator is None:
        return []
    return [
        item.model_copy(
            update={
                "text": text,
                "engine": f"{translator.id} of {item.engine}",
                "trusted": item.trusted and translator.trusted,
            }
        )
        for item, text in zip(heard, texts, strict=True)
    ]
