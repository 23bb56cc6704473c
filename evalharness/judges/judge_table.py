"""The table of judges, by the names for `--by`, and the judge without a model: rules that a person can check.

Rules decide a criterion with a check by it, and a reply that chooses an option by that option. Of any other, a reply
must contain the words, as `grading` reads a gold. That can't tell a paraphrase from another answer, so they are only
sure where a reply abstains.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from longtake.config import secret, unset
from longtake.console import Session
from longtake.errors import ConfigError
from longtake.evalharness.judges.checks import abstains, decide
from longtake.evalharness.judges.judging import MAX_POINTS, Case, Finding, Judge
from longtake.evalharness.prompts.prompt_set import PromptSet
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.scoring.grading import Gold, holds
from longtake.memory.records import Answer
from longtake.models.profiles import known_price
from longtake.plugins import Table, callable_part

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
RULES, ENDPOINT = "rules", "endpoint"
API_KEY = "OPENAI_API_KEY"
TIMEOUT = 60.0  # seconds
_MAY_BE_UNSET = (API_KEY, "LONGTAKE_JUDGE_KEY")  # for a local server; the second is that of `Settings.judge`
NEEDS_MODEL = (
    "Some of these replies are in words of their own, which a language model judges: give --url and --model, or set "
    "verification.model and verification.base_url. --by rules goes by words alone, which agreed "
    "with a person in 63 % of 220 cases in plain English (docs/perturbations.md)."
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


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """The options of the command line for making a judge."""

    session: Session
    url: str | None = None
    model: str | None = None
    key: str = API_KEY  # the environment variable with the key
    at_once: int = REQUESTS
    run: int = 0  # for repeated runs: another number must not be answered from the cache
    prompts: PromptSet | None = None  # of a model; None: in Longtake's words
    timeout: float = TIMEOUT  # seconds for one reply of a model


def judge_named(name: str, options: JudgeOptions) -> Judge:
    """A judge.

    Raises:
        ConfigError: if there is no such judge, or an option is missing or wrong.
        PluginError: if it is of another package and cannot be used.
    """
    return JUDGES.named(name, "judge")(options)


def resolved(name: str | None, options: JudgeOptions, any_free: Callable[[], bool]) -> tuple[str, JudgeOptions]:
    """The judge that is named, else the model that the options or the settings name, else rules where they suffice.

    What the options leave out of a model is that of the settings. `any_free` says whether a reply to be judged is in
    words of its own.

    Raises:
        ConfigError: if no model is named and rules don't suffice.
    """
    model = options.session.settings.judge
    if name in (None, ENDPOINT) and options.url is None and model is not None:
        name = ENDPOINT
        key = model.api_key_env if options.key == API_KEY else options.key
        named = options.model or model.model
        options = replace(options, url=model.base_url, model=named, key=key, timeout=model.timeout)
    if name is None and (options.url or options.model):
        name = ENDPOINT
    if name is None and any_free():
        raise ConfigError(NEEDS_MODEL)
    return name or RULES, options


def _rules(options: JudgeOptions) -> Judge:
    if options.url or options.model:
        raise ConfigError("--url and --model need --by endpoint.")
    return DeterministicJudge()


def _endpoint(options: JudgeOptions) -> Judge:
    """A model as the judge. The library caches its replies for all runs."""
    from longtake.evalharness.judges.judge_endpoint import Cache, EndpointJudge, JudgeSettings

    if not options.url or not options.model:
        raise ConfigError("--by endpoint needs both --model and --url.")
    if options.key not in _MAY_BE_UNSET and secret(options.key) is None:
        raise ConfigError(
            f"The judge needs a key, but {unset(options.key)}: set --key to the name of an environment variable that "
            "holds it."
        )
    session = options.session
    settings = JudgeSettings(
        base_url=options.url,
        model=options.model,
        api_key_env=options.key,
        timeout=options.timeout,
        at_once=options.at_once,
        offline=session.settings.offline,
        price=known_price(session.settings.controller, (options.url, options.model)),
    )
    return EndpointJudge(settings, Cache(session.library_root / "judges"), run=options.run, prompts=options.prompts)


MakeJudge = Callable[[JudgeOptions], Judge]
_BUILT_IN: dict[str, MakeJudge] = {RULES: _rules, ENDPOINT: _endpoint}
JUDGES: Table[MakeJudge] = Table("judges", _BUILT_IN, callable_part)
