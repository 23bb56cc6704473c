"""A judge without a model: rules that a person can check and that report doubt.

A criterion with a check is decided by it. Any other is read as a claim: its numbers, times, names and quotations are
facts that one sentence of the reply must contain. Its other words count by their stems, and paraphrases by the
similarity of text embeddings. The verdict is sure if a sentence says the claim, word by word or as an answer to the
question, and adds nothing else; if it does so with a different number or time; and if the reply abstains or, judged as
a whole, is uncertain. Otherwise it is the likelier verdict, and `sure` is false.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.drafts.statements import without_marks
from longtake.errors import ConfigError
from longtake.evalharness.judges.checks import abstains, decide, says, spelled, stated_numbers
from longtake.evalharness.judges.decision import Decision
from longtake.evalharness.judges.judge import MAX_POINTS, Case, Finding
from longtake.evalharness.scoring.grading import Gold, holds
from longtake.evalharness.scoring.wording import StatedTime, plain, take_times
from longtake.language.amounts import amounts, named_units, without_amounts
from longtake.language.words import NEGATION, content_stems, coverage, stems, words
from longtake.memory.records import Answer, Usage
from longtake.preprocess.engines.text.text_embedding import TextEmbedding

VERSION = 5  # raised when verdicts may change
TOLERANCE = 1.0  # seconds by which a stated time may be off
ALIKE = 0.6  # similarity from which a paraphrase probably says the same
_LEAD = re.compile(
    r"^\W*(?:(?:the|this|a) )?(?:response|answer|reply|model|candidate)?\s*"
    r"(?:(?:must|should|does|do|may|can)(?: not|n't)?\s+|never\s+|avoids?\s+)*(?:(?:correctly|clearly|also) )*"
    r"(?:(?:states?|stating|mentions?|mentioning|identif(?:y|ies|ying)|quotes?|quoting|says?|saying"
    r"|names?|naming|notes?|noting|gives?|giving|reports?|includes?|including|explains?|describes?|describing"
    r"|specif(?:y|ies)|recogni[sz]es?|indicates?|provides?|lists?|claims?|claiming|invents?|inventing"
    r"|suggests?|suggesting|asserts?|concludes?)\b)?"
    r"\s*(?:that\b)?\s*",
    re.IGNORECASE,
)
# The reply may deny what is next to such a word.
_LIMITS = re.compile(
    r"\b(?:although|though|but|instead|rather|unlike|while|whereas|however|except|despite|anything|only|or|than|unless"
    r"|almost|nearly|if|doubt\w*|might|may|maybe|perhaps|probably|possibly|could|would|without|wrong\w*|false\w*)\b",
    re.IGNORECASE,
)
_DIRECTIONS = frozenset("from to into out off on behind before after until under over against by for up down".split())
_NUMBER = "#"
_QUOTE = re.compile(r"[\"“]([^\"“”]+)[\"”]|(?<!\w)['‘]([^'‘’]+)['’](?!\w)")
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


class Facts(NamedTuple):
    """The parts of a claim that can't be paraphrased."""

    numbers: tuple[str, ...]
    times: tuple[StatedTime, ...]
    names: tuple[str, ...]  # also quotations

    @classmethod
    def of(cls, claim: str) -> Facts:
        """The facts of a claim."""
        quotes = [one or other for one, other in _QUOTE.findall(claim)]
        rest = _QUOTE.sub(" ", claim)
        return cls(
            numbers=tuple(stated_numbers(rest)),
            times=tuple(take_times(plain(rest), short_clock=True)[0]),
            names=(*quotes, *_NAME.findall(rest)),
        )

    @property
    def several(self) -> bool:
        """Whether there is more than one."""
        return sum(map(len, self)) > 1

    def __bool__(self) -> bool:
        return any(self)


class DeterministicJudge:
    """Decides by rules. Works offline."""

    at_once = 1

    def __init__(self, embedding: TextEmbedding) -> None:
        """Take the embedding that compares sentences. It is loaded on first use."""
        self._embedding = embedding
        self.id = f"deterministic-{VERSION}-{embedding.id}"

    def judge(self, case: Case) -> Finding:
        """Decide one case; see `Judge`."""
        if case.criterion is not None and case.criterion.check is not None:
            try:
                outcome = decide(case.criterion, case.said, case.reply)
            except ConfigError as error:
                return Finding(met=None, error=str(error))
            sure = outcome.sure and not case.free
            return Finding(met=outcome.met, sure=sure, reason=f"check: {case.criterion.check.get('kind')}")
        if case.asks == "penalty":
            found = self._held(case)
            return found.model_copy(update={"met": not found.met})
        found = self._chosen(case) or self._held(case)
        return found.model_copy(update={"points": float(MAX_POINTS * bool(found.met))} if case.asks == "grade" else {})

    def expected(self, case: Case) -> Usage:
        """Nothing: rules ask no model."""
        return Usage()

    def _chosen(self, case: Case) -> Finding | None:
        """Whether a reply that chose an option, judged as a whole, chose the right one."""
        if case.criterion or case.turn.gold is None or case.reply.choice is None:
            return None
        return Finding(met=case.reply.choice == case.turn.gold, reason="the option chosen")

    def _held(self, case: Case) -> Finding:
        """Whether a reply says what a criterion describes."""
        claim = _LEAD.sub("", case.description).strip() or case.description
        # An uncertain reply can meet the criteria of a rubric, but as a whole it isn't an answer.
        withheld = case.reply.abstained or (case.reply.uncertain and case.criterion is None)
        abstained = Decision(True) if withheld else abstains(case.said)
        if abstained.met and abstained.sure:
            # If the right answer is a denial, finding nothing may mean the same.
            denied = bool(NEGATION.search(claim) or NEGATION.search(case.reference))
            return Finding(met=False, sure=not denied, reason="the reply abstains")
        facts = Facts.of(claim)
        found = self._by_facts(case, claim, facts) if facts else self._by_words(case, claim)
        return found.model_copy(update={"sure": found.sure and not abstained.met})

    def _by_facts(self, case: Case, claim: str, facts: Facts) -> Finding:
        """Whether one sentence of the reply says all facts of a claim, and so the whole claim."""
        sentences = _sentences(without_marks(case.said))
        near = [sentence for sentence in sentences if _says_facts(sentence, facts)]
        if not near:
            sure = len(sentences) == 1 and _is_replaced(claim, case.turn.question, sentences[0], facts)
            return Finding(met=False, sure=sure, reason="another fact in its place" if sure else "not all facts said")
        # The notation of a time doesn't matter.
        met = bool(facts.times) or not _contradicts(claim, near)
        question = case.turn.question if len(sentences) == 1 else ""
        whole = any(_says_whole(claim, question, sentence, facts) for sentence in near)
        return Finding(met=met, sure=met and whole, reason="facts said" + ", and the rest" * whole)

    def _by_words(self, case: Case, claim: str) -> Finding:
        """Judge a claim without facts: certain only if a sentence has all of its words in order.

        A paraphrase can't be ruled out by similarity.
        """
        wanted = content_stems(claim)
        if not wanted:
            return Finding(met=False, sure=False, reason="the criterion claims nothing")
        sentences = _sentences(without_marks(case.said))
        best = max(sentences, key=lambda sentence: coverage(wanted, sentence))
        share, alike = coverage(wanted, best), self._alike(claim, sentences)
        reason = f"{share:.0%} of the words, similarity {alike:.2f}"
        denied = bool(NEGATION.search(claim)) != bool(NEGATION.search(best))
        met = (share == 1 or alike >= ALIKE) and not denied and not _contradicts(claim, [best])
        settled = met and _says_whole(claim, case.turn.question, best, Facts.of(claim))
        return Finding(met=met, sure=settled, reason=reason)

    def _alike(self, claim: str, sentences: Sequence[str]) -> float:
        """Similarity of the nearest sentence to the claim, -1 to 1."""
        vectors = self._embedding.embed([claim, *sentences])
        return float((vectors[1:] @ vectors[0]).max())


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence.strip()] or [text]


def _says_facts(text: str, facts: Facts) -> bool:
    """Whether a text has all of the facts, not after a negation."""
    answer = Answer(question="", status="answered", answer=text)
    timed = not facts.times or holds(Gold((), facts.times), answer, TOLERANCE)
    return timed and all(says(text, fact) for fact in (*facts.numbers, *facts.names))


def _says_whole(claim: str, question: str, sentence: str, facts: Facts) -> bool:
    """Whether a sentence has all words of a claim in order, apart from its facts, or only words of the question.

    It may add no other word, no other unit and nothing that may reverse the claim.
    """
    held, wanted = _plain_stems(sentence), _plain_stems(claim)
    known = {*wanted, *_plain_stems(question), _NUMBER, "yes"}
    if (
        not known.issuperset(held)
        or _is_turned(claim, question, sentence)
        or named_units(sentence) - named_units(claim)
    ):
        return False
    if facts.several:
        return _in_order(spelled(claim).split(), spelled(sentence).split())
    loose = set(held) - {_NUMBER, *_plain_stems(" ".join(facts.names))}
    return _in_order(wanted, held) or bool(question and facts and len(loose) <= 1)


def _is_replaced(claim: str, question: str, sentence: str, facts: Facts) -> bool:
    """Whether a sentence has the claim with a different number or time."""
    other = Facts.of(sentence)
    alike = [(len(ours), len(theirs)) for ours, theirs in zip(facts, other, strict=True)]
    counted = sum(word[0].isdigit() for word in spelled(sentence).split())
    one = alike in ([(1, 1), (0, 0), (0, 0)], [(0, 0), (1, 1), (0, 0)])
    return one and (counted == 1 or not other.numbers) and _says_whole(claim, question, sentence, facts)


def _plain_stems(text: str) -> list[str]:
    """The stems of the content words of a text, with all numbers treated as equal."""
    return [_NUMBER if any(map(str.isdigit, word)) else word for word in content_stems(text)]


def _is_turned(claim: str, question: str, sentence: str) -> bool:
    """Whether a sentence has a negation or a direction that the claim lacks, or one of them limits what it says."""
    denied = bool(NEGATION.search(claim)) != bool(NEGATION.search(sentence))
    places = set(words(sentence)) & _DIRECTIONS
    return denied or bool(places - set(words(f"{claim} {question}"))) or bool(_LIMITS.search(f"{claim}\n{sentence}"))


def _contradicts(claim: str, sentences: Sequence[str]) -> bool:
    """Whether a sentence of the reply has the words of the claim, with other numbers of the same units."""
    wanted, stated = set(content_stems(without_amounts(claim))), amounts(claim)
    for sentence in sentences:
        held = amounts(sentence)
        alike = {one.unit for one in stated} & {one.unit for one in held}
        if alike and wanted <= stems(sentence) and not {one.number for one in stated} <= {one.number for one in held}:
            return True
    return False


def _in_order(wanted: Sequence[str], held: Sequence[str]) -> bool:
    """Whether a text has the stems in this order."""
    rest = iter(held)
    return all(word in rest for word in wanted)
