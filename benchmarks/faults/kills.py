"""Kills `index`, alone and beside another, `ask` and `eval` at random moments, and starts the same command again."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from longtake.benchmarks.faults.ground import QUESTION, Ground, Trial, finish, is_right, misanswer
from longtake.benchmarks.parts.evaluation_speed import SUBJECT, write_set
from longtake.benchmarks.processes import python, run
from longtake.benchmarks.reports import timed
from longtake.memory.conversations import Conversations
from longtake.memory.library import LibraryStore

_QUESTIONS = 400  # of the set that is evaluated
_WRITTEN = ("items.jsonl", "predictions.jsonl", "judgements.jsonl")


def kill_index(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial | None:
    """Kill `index`; started again, it must build the same layers as undisturbed."""
    moment = chance.uniform(0, ground.index_seconds)
    ended = finish(ground.index(library), moment)
    if not ended.failure():
        return None
    problem = ended.failed_before_kill() or finish(ground.index(library)).failure()
    return Trial(f"index killed after {moment:.2f} s", problem or ground.unlike(library))


def kill_writers(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial | None:
    """Kill two `index` that write the search index side by side; started again, a search must find both files."""
    commands = [ground.index(library), ground.index(library, ground.other)]
    moments = [chance.uniform(0, ground.ask_seconds) for _ in commands]  # the layers are there
    with ThreadPoolExecutor() as pool:
        ended = list(pool.map(finish, commands, moments))
        if not any(each.failure() for each in ended):
            return None
        problems = [each.failed_before_kill() for each in ended]
        problems += [each.failure() for each in pool.map(finish, commands)]
    at = " and ".join(f"{moment:.2f}" for moment in moments)
    return Trial(f"two index killed after {at} s", next(filter(None, problems), "") or _unfound(ground, library))


def _unfound(ground: Ground, library: Path) -> str:
    """How a search fails to find what both videos say, or nothing."""
    done = finish(ground.command(library, "search", QUESTION, "--json"))
    if done.failure() or done.errors.strip():
        return done.failure() or f"standard error got: {done.errors.strip()[:300]}"
    found = {hit["video"] for hit in json.loads(done.output)["results"] if is_right(hit["text"])}
    return "" if len(found) == 2 else f"search finds it in {len(found)} videos"


def kill_ask(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial | None:
    """Kill the second question of a conversation; the first and its trace must stay, the second be asked again."""
    asked = ground.ask(library, "--thread", "talk")
    moment = chance.uniform(0, ground.ask_seconds)
    ended = finish(asked, moment)
    if not ended.failure():
        return None
    problem = ended.failed_before_kill() or misanswer(finish(asked))
    return Trial(f"ask killed after {moment:.2f} s", problem or _forgotten(ground.library("talked"), library))


def _forgotten(before: Path, after: Path) -> str:
    """What of a conversation and its traces is gone, or nothing."""
    held, now = (Conversations(LibraryStore(root).memory_file).exchanges("talk") for root in (before, after))
    if now[: len(held)] != held or len(now) <= len(held) or now[-1].answer.question != QUESTION:
        return f"the conversation has {len(now)} questions that don't go on from its {len(held)}"
    lost = [file.name for file in before.glob("traces/*.jsonl") if not (after / "traces" / file.name).exists()]
    return f"traces are gone: {', '.join(lost)}" if lost else ""


def kill_eval(ground: Ground, library: Path, chance: random.Random, number: int) -> Trial | None:
    """Kill `eval run` and `eval judge`; written lines must stay, and the scores be those of an undisturbed run."""
    folder, broken, stage = ground.folder / "evaluated", library, ("run", "judge")[number % 2]
    known = folder / "undisturbed.json"  # seconds of the stages, and the scores
    if not known.exists():
        write_set(folder, _QUESTIONS)
        whole = folder / "whole"
        seconds = {each: timed(partial(run, _stage(each, folder, whole))) for each in ("run", "judge")}
        known.write_text(json.dumps({**seconds, "score": run(_stage("score", folder, whole))}), encoding="utf-8")
    undisturbed = json.loads(known.read_text(encoding="utf-8"))
    if stage == "judge":
        run(_stage("run", folder, broken))
    moment = chance.uniform(0, undisturbed[stage])
    ended = finish(_stage(stage, folder, broken), moment)
    if not ended.failure():
        return None
    written = {name: _whole_lines(broken / name) for name in _WRITTEN}
    problem = ended.failed_before_kill() or finish(_stage(stage, folder, broken)).failure()
    for name, lines in written.items():
        if not problem and _whole_lines(broken / name)[: len(lines)] != lines:
            problem = f"lines of {name} were lost"
    if not problem and stage == "run":
        problem = finish(_stage("judge", folder, broken)).failure()
    if not problem and run(_stage("score", folder, broken)) != undisturbed["score"]:
        problem = "the scores differ from those of an undisturbed run"
    return Trial(f"eval {stage} killed after {moment:.2f} s", problem)


def _stage(stage: str, folder: Path, out: Path) -> list[str]:
    given = [str(folder / "many" / "card.yaml"), "--suite", "own", "--out", str(out), "--subject", SUBJECT]
    more = {"judge": ["--by", "rules"], "score": ["--json"]}
    return python(
        "-m", "longtake", "--offline", "eval", stage, *(given if stage == "run" else [str(out), *more[stage]])
    )


def _whole_lines(file: Path) -> list[bytes]:
    lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
    return [line for line in lines if line.endswith(b"\n") and json.loads(line)]
