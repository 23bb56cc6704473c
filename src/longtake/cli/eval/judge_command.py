"""`longtake eval judge` and `judge-check`: judge the answers, and measure how far a judge can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longtake.cli.eval.eval_arguments import AtOnce, OnlyExpected, Remarks, Run
from longtake.cli.options import Json, print_report
from longtake.config import secret, unset
from longtake.console import Session, counted
from longtake.errors import ConfigError
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.runs.run_folder import RunFolder

if TYPE_CHECKING:
    from longtake.evalharness.judges.deterministic import DeterministicJudge
    from longtake.evalharness.judges.judge_endpoint import EndpointJudge

judges = typer.Typer()
By = Annotated[str, typer.Option(help="rules, or endpoint: a model at an OpenAI-compatible endpoint.")]
Url = Annotated[str | None, typer.Option(help="Endpoint, such as http://127.0.0.1:8000/v1.")]
Model = Annotated[str | None, typer.Option(help="Model name at the endpoint.")]
Key = Annotated[str, typer.Option(metavar="VARIABLE", help="The environment variable that holds the key.")]
API_KEY = "OPENAI_API_KEY"  # may be unset: a local server needs none


@judges.command()
def judge(
    context: typer.Context,
    run: Run,
    by: By = "rules",
    url: Url = None,
    model: Model = None,
    key: Key = API_KEY,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items that need a judge.")] = None,
    at_once: AtOnce = REQUESTS,
    only_expected: OnlyExpected = False,
    as_json: Json = False,
) -> None:
    """Judge the answers that have no verdict yet: by rules, which say when they aren't sure, or by a model."""
    from longtake.evalharness.judges.judging import judge_run
    from longtake.evalharness.suites.suite_table import cases_of_run

    session: Session = context.obj
    remarks, folder = Remarks(), RunFolder(run)
    card = folder.card()
    chosen = _rules(session) if _is_rules(by, url, model) else _endpoint(session, url, model, key, at_once)
    cases_of = cases_of_run(card)
    if only_expected:
        from longtake.cli.eval.judge_plan import judge_dry_run, show_expected

        items = folder.items_by_id(remarks.notify)
        print_report(judge_dry_run(folder, items, chosen, remarks.notify, cases_of, limit), show_expected, as_json)
        remarks.leave()
        return
    with folder.locked():
        folder.mend(remarks.notify)
        done = judge_run(folder, folder.items_by_id(remarks.notify), chosen, remarks.notify, cases_of, limit)
    verdicts = counted(done.judged - done.unjudged, "verdict")
    result = f"{verdicts} given, {done.kept} already there, {done.unjudged} left open"
    print_report(done, lambda _: [f"{result}; next: longtake eval score {run}"], as_json)
    remarks.leave()


@judges.command("judge-check")
def judge_check(
    context: typer.Context,
    run: Run,
    labels: Annotated[
        Path | None, typer.Argument(metavar="[LABELS]", help="Human verdicts, JSONL.", exists=True, dir_okay=False)
    ] = None,
    by: By = "rules",
    url: Url = None,
    model: Model = None,
    key: Key = API_KEY,
    at_once: AtOnce = REQUESTS,
    as_json: Json = False,
) -> None:
    """Compare a run's judges with people and with each other; a model is also asked three times."""
    from longtake.cli.eval.judge_check_command import check_run, show_checked

    session: Session = context.obj
    remarks = Remarks()
    again = None if _is_rules(by, url, model) else (lambda number: _endpoint(session, url, model, key, at_once, number))
    print_report(check_run(RunFolder(run), labels, again, remarks.notify), show_checked, as_json)
    remarks.leave()


def _is_rules(name: str, *of_endpoint: str | None) -> bool:
    if name not in ("rules", "endpoint"):
        raise ConfigError(f"There is no judge {name!r}; choose rules or endpoint.")
    if name == "rules" and any(of_endpoint):
        raise ConfigError("--url and --model need --by endpoint.")
    return name == "rules"


def _rules(session: Session) -> DeterministicJudge:
    from longtake.evalharness.judges.deterministic import DeterministicJudge
    from longtake.preprocess.engines.text.wordllama import WordLlamaEmbedding

    # Whatever the profile searches with: the judge's thresholds were set with this one, so that verdicts compare.
    return DeterministicJudge(WordLlamaEmbedding(session.settings))


def _endpoint(
    session: Session, url: str | None, model: str | None, key: str, at_once: int, run: int = 0
) -> EndpointJudge:
    """A model as the judge; its replies are cached in the library, for all runs."""
    from longtake.evalharness.judges.cache import Cache
    from longtake.evalharness.judges.judge_endpoint import EndpointJudge, JudgeSettings

    if not url or not model:
        raise ConfigError("--by endpoint needs both --model and --url.")
    if key != API_KEY and secret(key) is None:
        raise ConfigError(
            f"The judge needs a key, but {unset(key)}: set --key to the name of an environment variable that holds it."
        )
    settings = JudgeSettings(
        base_url=url,
        model=model,
        api_key_env=key,
        at_once=at_once,
        offline=session.settings.offline,
        price=session.settings.controller.price,
    )
    return EndpointJudge(settings, Cache(session.library_root / "judges"), run=run)
