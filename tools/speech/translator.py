"""Chooses the translator: the controller's language model if there is one, else the first engine that has the pair."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress

from longtake.language.json_text import parse_json
from longtake.preprocess.engines.text.translation import Translator
from longtake.preprocess.media.language_names import language_name, language_of, near_language
from longtake.prompts import prompts_hash, render, without_thinking
from longtake.tools.core.result import ToolError
from longtake.tools.core.tool_context import Budget, TextModel, ToolContext

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
