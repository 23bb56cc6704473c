"""Kills `index`, alone and beside another, `ask` and `eval` at random moments, and starts the same command again."""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from longtake.benchmarks.faults.ground import QUESTION, Ground, Trial, finish, is_right, misanswer
from longtake.benchmarks.parts.evaluation_sides import SUBJECT, write_set
from longtake.benchmarks.processes import run
from longtake.memory.conversations import Conversations
from longtake.memory.library import LibraryStore
from longtake.preprocess.demo.make import SUBTITLES

_QUESTIONS = 400  # of the set that is evaluated
_WRITTEN = ("items.jsonl", "predictions.jsonl", "judgements.jsonl")


def kill_index(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Kill `index`; started again, it must build the same layers as undisturbed."""
    while True:
        with ground.place() as library:
            moment = chance.uniform(0, ground.index_seconds)
            ended = finish(ground.index(library), moment)
            if not ended.failure():
                continue
            problem = ended.failed_before_kill() or finish(ground.index(library)).failure()
            problem = problem or ground.unsound(library) or ground.unlike(library)
        yield Trial(did=f"index killed after {moment:.2f} s", problem=problem)


def kill_writers(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Kill two `index` that write the search index side by side; started again, a search must find both files."""
    with ground.copy() as both, ThreadPoolExecutor() as pool:
        other = ground.folder / "other.mp4"
        other.write_bytes(ground.video.read_bytes() + b"\0")  # a byte that no player reads makes another file of it
        shutil.copy(ground.video.with_name(SUBTITLES), other.with_suffix(".en.vtt"))
        run(ground.command(both, "index", str(other), "--json"))
        shutil.rmtree(both / "index")
        while True:
            with ground.place() as library:
                shutil.copytree(both, library)
                commands = [ground.index(library), ground.command(library, "index", str(other), "--json")]
                moments = [chance.uniform(0, ground.ask_seconds) for _ in commands]  # the layers are there
                ended = list(pool.map(finish, commands, moments))
                if not any(each.failure() for each in ended):
                    continue
                problems = [each.failed_before_kill() for each in ended]
                problems += [each.failure() for each in pool.map(finish, commands)]
                problem = next(filter(None, problems), "") or _unfound(ground, library) or ground.unsound(library)
            at = " and ".join(f"{moment:.2f}" for moment in moments)
            yield Trial(did=f"two index killed after {at} s", problem=problem)


def _unfound(ground: Ground, library: Path) -> str:
    """How a search fails to find what both videos say, or nothing."""
    done = finish(ground.command(library, "search", QUESTION, "--json"))
    if done.failure() or done.errors.strip():
        return done.failure() or f"standard error got: {done.errors.strip()[:300]}"
    found = {hit["video"] for hit in json.loads(done.output)["results"] if is_right(hit["text"])}
    return "" if len(found) == 2 else f"search finds it in {len(found)} videos"


def kill_ask(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Kill the second question of a conversation; the first and its trace must stay, the second be asked again."""
    with ground.copy() as talked:
        run(ground.ask(talked, "--thread", "talk"))
        while True:
            with ground.place() as library:
                shutil.copytree(talked, library)
                asked = ground.ask(library, "--thread", "talk")
                moment = chance.uniform(0, ground.ask_seconds)
                ended = finish(asked, moment)
                if not ended.failure():
                    continue
                problem = ended.failed_before_kill() or misanswer(finish(asked))
                problem = problem or _forgotten(talked, library) or ground.unsound(library)
            yield Trial(did=f"ask killed after {moment:.2f} s", problem=problem)


def _forgotten(before: Path, after: Path) -> str:
    """What of a conversation and its traces is gone, or nothing."""
    held, now = (Conversations(LibraryStore(root).memory_file).exchanges("talk") for root in (before, after))
    if now[: len(held)] != held or len(now) <= len(held) or now[-1].answer.question != QUESTION:
        return f"the conversation has {len(now)} questions that don't go on from its {len(held)}"
    lost = [file.name for file in before.glob("traces/*.jsonl") if not (after / "traces" / file.name).exists()]
    return f"traces are gone: {', '.join(lost)}" if lost else ""


def kill_eval(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Kill `eval run` and `eval judge`; written lines must stay, and the scores be those of an undisturbed run."""
    with tempfile.TemporaryDirectory(dir=ground.folder) as temporary:
        folder = Path(temporary)
        write_set(folder, _QUESTIONS)
        whole, seconds = folder / "whole", dict[str, float]()
        for stage in ("run", "judge"):
            started = time.monotonic()
            run(_stage(stage, folder, whole))
            seconds[stage] = time.monotonic() - started
        expected = run(_stage("score", folder, whole))
        for number in range(sys.maxsize):
            broken, stage = folder / f"run-{number}", ("run", "judge")[number % 2]
            if stage == "judge":
                run(_stage("run", folder, broken))
            moment = chance.uniform(0, seconds[stage])
            ended = finish(_stage(stage, folder, broken), moment)
            if not ended.failure():
                continue
            written = {name: _whole_lines(broken / name) for name in _WRITTEN}
            problem = ended.failed_before_kill() or finish(_stage(stage, folder, broken)).failure()
            for name, lines in written.items():
                if not problem and _whole_lines(broken / name)[: len(lines)] != lines:
                    problem = f"lines of {name} were lost"
            if not problem and stage == "run":
                problem = finish(_stage("judge", folder, broken)).failure()
            if not problem and run(_stage("score", folder, broken)) != expected:
                problem = "the scores differ from those of an undisturbed run"
            shutil.rmtree(broken, ignore_errors=True)
            yield Trial(did=f"eval {stage} killed after {moment:.2f} s", problem=problem)


def _stage(stage: str, folder: Path, out: Path) -> list[str]:
    given = ["many/card.yaml", "--suite", "own", "--out", str(out), "--subject", SUBJECT]
    given[0] = str(folder / given[0])
    more = {"judge": ["--by", "rules"], "score": ["--json"]}
    asked = given if stage == "run" else [str(out), *more[stage]]
    return [sys.executable, "-m", "longtake", "--offline", "eval", stage, *asked]


def _whole_lines(file: Path) -> list[bytes]:
    lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
    return [line for line in lines if line.endswith(b"\n") and json.loads(line)]
