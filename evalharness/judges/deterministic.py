"""A judge without a model: rules that a person can check.

A criterion with a check is decided by it, and a reply that chooses an option by that option. Of any other, a reply must
contain the words, as `grading` reads a gold. That can't tell a paraphrase from another answer, so it is only sure where
a reply abstains.
"""

from __future__ import annotations

import re

from longtake.errors import ConfigError
from longtake.evalharness.judges.checks import abstains, decide
from longtake.evalharness.judges.judge import MAX_POINTS, Case, Finding
from longtake.evalharness.scoring.grading import Gold, holds
from longtake.memory.records import Answer

VERSION = 6  # raised when verdicts may change
TOLERANCE = 1.0  # seconds by which a stated time may be off
# How a criterion introduces what a reply should or must not say.
_LEAD = re.compile(
    r"^\W*(?:(?:the|this|a) )?(?:response|answer|reply|model|candidate)?\s*"
    r"(?:(?:must|should|does|do|may|can)(?: not|n't)?\s+|never\s+|avoids?\s+)*(?:(?:correctly|clearly|also) )*"
    r"(?:(?:stat|mention|identif|quot|say|nam|not|giv|report|includ|explain|describ|specif|recogni[sz]|indicat|provid"
    r"|list|claim|invent|suggest|assert|conclud)(?:e|es|s|y|ies|ying|ing)?\b)?"
    r"\s*(?:that\b)?\s*",
    re.IGNORECASE,
)


class DeterministicJudge:
    """Decides by rules. Works offline."""

    at_once = 1
    id = f"deterministic-{VERSION}"

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

    def _chosen(self, case: Case) -> Finding | None:
        """Whether a reply that chose an option, judged as a whole, chose the right one."""
        if case.criterion or case.turn.gold is None or case.reply.choice is None:
            return None
        return Finding(met=case.reply.choice == case.turn.gold, reason="the option chosen")

    def _held(self, case: Case) -> Finding:
        """Whether a reply says what a criterion describes."""
        # An uncertain reply can meet the criteria of a rubric, but as a whole it isn't an answer.
        withheld = case.reply.abstained or (case.reply.uncertain and case.criterion is None)
        if withheld or abstains(case.said).met:
            return Finding(met=False, sure=withheld, reason="the reply abstains")
        claim = _LEAD.sub("", case.description).strip() or case.description
        answer = Answer(question=case.turn.question, status="answered", answer=case.said)
        met = holds(Gold.read(claim), answer, TOLERANCE)
        return Finding(met=met, sure=False, reason="its words are said" if met else "not all its words are said")
