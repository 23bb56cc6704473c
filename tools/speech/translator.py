"""Who translates: the controller's model where there is one, else the engine of the profile."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress

from longtake.preprocess.engines.text.translation import Translator
from longtake.preprocess.media.language_names import language_name, language_of, near_language
from longtake.prompts import prompts_hash, render, without_thinking
from longtake.tools.core.result import ToolError
from longtake.tools.core.tool_context import Budget, TextModel, ToolContext

PROMPTS = "longtake.tools.prompts"


def is_open(from_lang: str) -> bool:
    """Whether the language of a text is to be found out."""
    return from_lang.strip().casefold() == "auto"


def asked_language(argument: str, text: str) -> str:
    """The code of a language that was named in an argument.

    Raises:
        ToolError: when it is none that is known.
    """
    code = language_of(text)
    if code is None:
        near = near_language(text)
        hint = f"Did you mean {near!r}?" if near else "Write its English name or its code, such as 'Spanish' or 'es'."
        raise ToolError("bad_arguments", f"{argument}: {text!r} is no language that is known here. {hint}")
    return code


def find_translator(context: ToolContext, source: str, target: str) -> Translator:
    """The one that translates between two languages here.

    Raises:
        ToolError: when there is none; the remedy says how to get one.
    """
    if context.text_model is not None:
        return ControllerTranslator(context.text_model, context.budget)
    report = context.engines.report("translation")
    missing = [f"{name}: {reason}" for name, reason in report.reasons.items()]
    if report.engine:
        translator: Translator = context.engines.load("translation")
        reason = translator.missing(source, target)
        if reason is None:
            return translator
        missing.append(f"{report.engine}: {reason}")
    missing.append("controller: extractive has no language model: name one, as with --set controller.engine=openai")
    raise ToolError(
        "unavailable",
        f"Nothing here translates {language_name(source)} into {language_name(target)}.",
        f"{'; '.join(missing)}.",
    )


def find_source(context: ToolContext, texts: Sequence[str], target: str) -> str:
    """The language that those of the texts are in which are not in the target; the target where all of them are.

    Raises:
        ToolError: when nothing here tells one language from another.
    """
    report = context.engines.report("translation")
    translator: Translator | None = context.engines.load("translation") if report.engine else None
    sources = translator.sources(target) if translator else []
    if translator is None or not sources:
        missing = "".join(f" {name}: {reason}." for name, reason in report.reasons.items())
        problem = f"from_lang: nothing here tells which language is to be translated into {language_name(target)}."
        raise ToolError("bad_arguments", problem, f"Name it, such as 'Spanish' or 'es'.{missing}")
    letters = {
        source: sum(map(len, compress(texts, translator.foreign(texts, source, target) or ()))) for source in sources
    }
    best = max(letters, key=letters.__getitem__)
    return best if letters[best] else target


@dataclass(frozen=True, slots=True)
class ControllerTranslator:
    """The controller's text model, asked for a JSON list; its words are its own, and prove nothing of a video."""

    model: TextModel
    budget: Budget
    trusted: bool = False

    @property
    def id(self) -> str:
        """Name and version of the prompts; the model is in the trace."""
        return f"controller-{prompts_hash(PROMPTS)}"

    def missing(self, source: str, target: str) -> str | None:
        """Nothing: a model is asked for any language."""
        return None

    def sources(self, target: str) -> list[str]:
        """None: which language a text is in, it is not asked."""
        return []

    def foreign(self, texts: Sequence[str], source: str, target: str) -> list[bool] | None:
        """It is not asked that."""
        return None

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Each text in the other language; a reply that is no list of so many is asked for again, text by text."""
        reply = self._reply(texts, source, target)
        translated = _listed(reply, len(texts))
        if translated is not None:
            return translated
        if len(texts) == 1:  # some models leave the list out
            return [reply]
        return [each for text in texts for each in self.translate([text], source, target)]

    def _reply(self, texts: Sequence[str], source: str, target: str) -> str:
        self.budget.check()
        names = language_name(source), language_name(target)
        prompt = render(PROMPTS, "translate", texts=list(texts), source=names[0], target=names[1])
        return without_thinking(self.model.complete(prompt, seconds=self.budget.left))


def _listed(reply: str, count: int) -> list[str] | None:
    """The JSON list in a reply, also where it stands in a fence; None when it is no list of so many strings."""
    with suppress(ValueError):
        found = json.loads(reply[reply.index("[") : reply.rindex("]") + 1])
        if len(found) == count and all(isinstance(text, str) and text.strip() for text in found):
            return [text.strip() for text in found]
    return None
