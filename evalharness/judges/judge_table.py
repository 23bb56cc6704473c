"""The table of judges, by the names for `--by`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from longtake.config import secret, unset
from longtake.console import Session
from longtake.errors import ConfigError, did_you_mean
from longtake.evalharness.judges.judge import Judge
from longtake.evalharness.prompts.prompt_set import PromptSet
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.models.profiles import known_price
from longtake.plugins import Table, callable_part

RULES, ENDPOINT = "rules", "endpoint"
API_KEY = "OPENAI_API_KEY"
TIMEOUT = 60.0  # seconds
_MAY_BE_UNSET = (API_KEY, "LONGTAKE_JUDGE_KEY")  # for a local server; the second is that of `Settings.judge`
NEEDS_MODEL = (
    "Some of these replies are in words of their own, which a language model judges: give --url and --model, or set "
    "verification.model and verification.base_url. --by rules goes by words alone, which agreed "
    "with a person in 63 % of 220 cases in plain English (docs/perturbations.md)."
)


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
    if name not in JUDGES:
        raise ConfigError(f"There is no judge {name!r}. {did_you_mean(name, JUDGES)}")
    return JUDGES[name](options)


def resolved(name: str | None, options: JudgeOptions, any_free: Callable[[], bool]) -> tuple[str, JudgeOptions]:
    """The judge that is named, else the model that the options or the settings name, else rules where they suffice.

    What the options leave out of a model is that of the settings.

    Args:
        name: in the table.
        options: of the command line.
        any_free: whether a reply to be judged is in words of its own.

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


def judge_chosen(name: str | None, options: JudgeOptions, any_free: Callable[[], bool]) -> Judge:
    """The judge that `resolved` names.

    Raises:
        ConfigError: see `resolved` and `judge_named`.
    """
    return judge_named(*resolved(name, options, any_free))


def _rules(options: JudgeOptions) -> Judge:
    from longtake.evalharness.judges.deterministic import DeterministicJudge

    if options.url or options.model:
        raise ConfigError("--url and --model need --by endpoint.")
    return DeterministicJudge()


def _endpoint(options: JudgeOptions) -> Judge:
    """A model as the judge. The library caches its replies for all runs."""
    from longtake.evalharness.judges.cache import Cache
    from longtake.evalharness.judges.judge_endpoint import EndpointJudge, JudgeSettings

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
    return EndpointJudge(
        settings,
        Cache(session.library_root / "judges"),
        run=options.run,
        prompts=options.prompts,
    )


MakeJudge = Callable[[JudgeOptions], Judge]
_BUILT_IN: dict[str, MakeJudge] = {RULES: _rules, ENDPOINT: _endpoint}
JUDGES: Table[MakeJudge] = Table("judges", _BUILT_IN, callable_part)
