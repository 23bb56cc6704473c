"""The table of judges, by the names for `--by`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from longtake.config import secret, unset
from longtake.console import Session
from longtake.errors import ConfigError, did_you_mean
from longtake.evalharness.judges.judge import Judge
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.models.profiles import known_price
from longtake.plugins import Table, callable_part

RULES = "rules"
API_KEY = "OPENAI_API_KEY"  # may be unset for a local server


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """The options of the command line for making a judge."""

    session: Session
    url: str | None = None
    model: str | None = None
    key: str = API_KEY  # the environment variable with the key
    at_once: int = REQUESTS
    run: int = 0  # for repeated runs: another number must not be answered from the cache


def judge_named(name: str, options: JudgeOptions) -> Judge:
    """A judge.

    Raises:
        ConfigError: if there is no such judge, or an option is missing or wrong.
        PluginError: if it is of another package and cannot be used.
    """
    if name not in JUDGES:
        raise ConfigError(f"There is no judge {name!r}. {did_you_mean(name, JUDGES)}")
    return JUDGES[name](options)


def _rules(options: JudgeOptions) -> Judge:
    from longtake.evalharness.judges.deterministic import DeterministicJudge
    from longtake.preprocess.engines.text.wordllama import WordLlamaEmbedding

    if options.url or options.model:
        raise ConfigError("--url and --model need --by endpoint.")
    # Independent of the profile: the judge's thresholds were set with this embedding, so that verdicts are comparable.
    return DeterministicJudge(WordLlamaEmbedding(options.session.settings))


def _endpoint(options: JudgeOptions) -> Judge:
    """A model as the judge. The library caches its replies for all runs."""
    from longtake.evalharness.judges.cache import Cache
    from longtake.evalharness.judges.judge_endpoint import EndpointJudge, JudgeSettings

    if not options.url or not options.model:
        raise ConfigError("--by endpoint needs both --model and --url.")
    if options.key != API_KEY and secret(options.key) is None:
        raise ConfigError(
            f"The judge needs a key, but {unset(options.key)}: set --key to the name of an environment variable that "
            "holds it."
        )
    session = options.session
    settings = JudgeSettings(
        base_url=options.url,
        model=options.model,
        api_key_env=options.key,
        at_once=options.at_once,
        offline=session.settings.offline,
        price=known_price(session.settings.controller.price, options.model),
    )
    return EndpointJudge(settings, Cache(session.library_root / "judges"), run=options.run)


MakeJudge = Callable[[JudgeOptions], Judge]
_BUILT_IN: dict[str, MakeJudge] = {RULES: _rules, "endpoint": _endpoint}
JUDGES: Table[MakeJudge] = Table("judges", _BUILT_IN, callable_part)
