"""Tables of how subjects behaved, of one model under several conditions, and of people.

Beside a score stand uncertainty, abstention, tool calls and cost; scores here are plain means over items, with an
interval over videos. A model is asked with other frames, with its transcript or with a chain of thought as a subject of
its own; these subjects are the columns of one table, as in Figures 9 (c) and (d) of Video-TT. People whose replies come
from files, one of each person, are pooled, with the range between them, and stand beside the models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import Literal, NamedTuple, get_args

from longtake.console import counted
from longtake.evalharness.items import Item, Judgement, Prediction, Reply
from longtake.evalharness.reports.grid import Cell, Grid, Plot, Point, estimate
from longtake.evalharness.reports.run_scores import SubjectScores
from longtake.evalharness.scoring.estimates import Estimate, Observation, Rows, grouped, pearson, plain, ratio, rows
from longtake.evalharness.scoring.score_table import ScoreTable, score_table
from longtake.evalharness.subjects.model_spec import Given, asked_in, is_model, is_recorded, read_given
from longtake.evalharness.suites.longshot import duration_bucket
from longtake.evalharness.suites.suite_table import Scored, reading_of, suite_named

Stance = Literal["answered", "uncertain", "abstained", "refused", "failed"]
STANCES: tuple[Stance, ...] = get_args(Stance)  # the first that a reply takes is the item's
Keys = Callable[[Item], Iterable[str]]
_MAX_ROWS = 24  # of a tag; with more values, it would identify items, not groups
_HELPS = {"cot": "with a chain of thought", "transcript": "with its transcript"}
_INPUT = {"frames", "fps", "video", "transcript", "cot", "temperature"}
_KINDS = ("task", "subclass", "capability", "capability, RB")  # tables by what is asked
_FEWEST = 3  # pairs that may correlate


class PredictionCost(NamedTuple):
    """What a prediction cost, or a mean one."""

    calls: float
    tokens: float
    money: float | None  # None if a price isn't known
    seconds: float


def score_of(subject: SubjectScores, items: Iterable[str]) -> Estimate:
    """The mean of the items, given their ids, that have a score."""
    scored = ((subject.values[item], subject.videos[item]) for item in items)
    return ratio(Observation(value, 1.0, video) for value, video in scored if value is not None)


def stance(subject: SubjectScores, item: str) -> Stance:
    """Whether an item was answered at least once, at best uncertainly, always abstained from, refused, or failed."""
    replies = [reply for prediction in subject.predictions.get(item, ()) for reply in prediction.replies]
    heard = [reply for reply in replies if reply.status == "ok"]
    if not heard:
        return "failed"
    stances: set[Stance] = {_stance(reply) for reply in heard}
    return next(one for one in STANCES if one in stances)


def _stance(reply: Reply) -> Stance:
    if reply.abstained or reply.parse == "abstained":
        return "abstained"
    if reply.parse == "refused":
        return "refused"
    return "uncertain" if reply.uncertain else "answered"


def cost(subject: SubjectScores) -> PredictionCost:
    """The mean cost of the predictions; tokens are those read and written."""
    made, calls, seconds, spent = 0, 0, 0.0, subject.table.spent
    for prediction in chain.from_iterable(subject.predictions.values()):
        made += 1
        seconds += prediction.seconds
        # If the calls weren't stored, their recorded number.
        calls += sum(len(reply.calls) or (reply.usage.tool_calls if reply.usage else 0) for reply in prediction.replies)
    n = made or 1
    return PredictionCost(
        calls=calls / n,
        tokens=(spent.input_tokens + spent.output_tokens) / n,
        money=None if spent.cost is None else spent.cost / n,
        seconds=seconds / n,
    )


def by_variant(subject: SubjectScores) -> Rows:
    """The mean of the predictions of each variant, in the order of the run, each as if it had been the only one."""
    found = rows(
        (key.variant, Observation(value, 1.0, subject.videos[key.item]))
        for key, value in subject.prediction_values.items()
        if value is not None and key.item in subject.videos
    )
    return {variant.name: found[variant.name] for variant in subject.card.variants if variant.name in found}


def further_groups(subject: SubjectScores) -> dict[str, Rows]:
    """Tables that the suite's scorer does not give, by what the items say of themselves."""

    def tagged(tag: str) -> Keys:
        return lambda item: [item.tags.get(tag, "")]

    tags = dict.fromkeys(tag for item in subject.items.values() for tag in item.tags)
    keys: dict[str, Keys] = {
        "task": lambda item: [item.task],
        "modality": lambda item: {tag for turn in item.turns for tag in turn.modalities},
        "duration": lambda item: [] if item.seconds is None else [duration_bucket(item.seconds, "repo")],
        "difficulty": lambda item: sorted({str(turn.difficulty) for turn in item.turns if turn.difficulty}),
        **{f"tag {tag}": tagged(tag) for tag in tags},
    }
    given = {name.partition(",")[0] for name in subject.table.groups}
    given |= {f"tag {name}" for name in given}
    found = {name: _rows(subject, key) for name, key in keys.items() if name not in given}
    shown = [table.keys() for table in subject.table.groups.values()]  # Video-TT calls its tasks capabilities
    return {name: rows for name, rows in found.items() if 1 < len(rows) <= _MAX_ROWS and rows.keys() not in shown}


def _rows(subject: SubjectScores, keys: Keys) -> Rows:
    groups = grouped((name, item.id) for item in subject.items.values() for name in keys(item))
    return {name: score_of(subject, groups[name]) for name in sorted(groups) if name}


class _AtFrames(NamedTuple):
    """A model with a number of frames."""

    frames: int
    subject: SubjectScores


def by_frames(subjects: Sequence[SubjectScores]) -> Plot | None:
    """The scores of models over numbers of frames; None if no model was asked with two."""
    asked: dict[str, list[_AtFrames]] = {}
    for name, held in _models(subjects, ("frames", "fps")).items():
        counts = [
            _AtFrames(count, subject) for given, subject in held if (count := _frames(given, subject)) is not None
        ]
        if len({one.frames for one in counts}) > 1:
            asked[name] = sorted(counts, key=lambda one: one.frames)
    if not asked:
        return None
    columns = sorted({one.frames for held in asked.values() for one in held})
    rows = [
        (name, measure, *(estimate(at[frames].get(measure)) if frames in at else "none" for frames in columns))
        for name, held in asked.items()
        for at in [{one.frames: _measures(one.subject.table) for one in reversed(held)}]
        for measure in _measures(held[0].subject.table)
    ]
    points = [
        Point(series, f"{name}, {counted(one.frames, 'frame')}", float(one.frames), one.subject.table.headline)
        for series, (name, held) in enumerate(asked.items())
        for one in held
        if one.subject.table.headline
    ]
    grid = Grid("", ("Model", "Figure", *(counted(frames, "frame") for frames in columns)), tuple(rows))
    return Plot("Frames and score", "Frames", tuple(points), tuple(asked), grid)


def by_helps(subjects: Sequence[SubjectScores]) -> Grid | None:
    """What a chain of thought and a transcript change, in percent of the figure without; None if no model had both."""
    rows: list[tuple[Cell, ...]] = []
    for name, held in _models(subjects, tuple(_HELPS)).items():
        asked = {tuple(getattr(given, field) for field in _HELPS): subject for given, subject in held}
        plain = asked.get((False, False))
        if plain is None or len(asked) < 2:
            continue
        helped = [asked.get(helps) for helps in ((True, False), (False, True), (True, True))]
        for measure, before in _measures(plain.table).items():
            after = [_measures(subject.table).get(measure) if subject else None for subject in helped]
            rows.append((name, measure, estimate(before), *(cell for one in after for cell in _changed(before, one))))
    if not rows:
        return None
    named = (*_HELPS.values(), "with both")
    columns = ("Model", "Figure", "As asked", *(cell for name in named for cell in (name.capitalize(), "Change")))
    return Grid("Chain of thought and transcript", columns, tuple(rows), "Change: in percent of the figure as asked.")


def people(subjects: Sequence[SubjectScores]) -> Grid | None:
    """What people scored on the items that they answered; None of fewer than two.

    The range is between persons. Their mean counts persons alike, and the last row their answers.
    """
    persons = _persons(subjects)
    if len(persons) < 2:
        return None
    tables = {one.name: _answered([one]) for one in persons}
    pooled = _answered(persons)
    names = tuple(_measures(pooled))
    rows: list[tuple[Cell, ...]] = []
    for name, table in [*tables.items(), ("All answers", pooled)]:
        rows.append((name, str(table.overall.n), *(estimate(_measures(table).get(each)) for each in names)))
    known = [
        [one.value for table in tables.values() if (one := _measures(table).get(name)) and one.value is not None]
        for name in names
    ]
    rows[-1:-1] = [
        ("Mean of persons", "", *(f"{fmean(values):.1f}" if values else "none" for values in known)),
        ("Lowest and highest", "", *(f"{min(values):.1f} to {max(values):.1f}" if values else "" for values in known)),
    ]
    return Grid("People", ("Who", "Answers", *names), tuple(rows), "Items that somebody did not answer don't count.")


def people_and_models(subjects: Sequence[SubjectScores]) -> tuple[Grid | None, Sequence[Plot]]:
    """Whether models find easy what people do, by item and kind of question: Figures 9 (a) and (b) of Video-TT.

    People count with what they answered, together, and models with their plain mean. Nothing if a run lacks either.
    """
    persons = _persons(subjects)
    models = [one for one in subjects if is_model(spec := one.card.spec_of(one.name)) or spec.startswith("agent")]
    if not persons or not models:
        return None, ()
    pairs, plots = {"item": list(_by_item(persons, models))}, list[Plot]()
    theirs = _answered(persons)
    for kind in _KINDS:
        found: dict[str, tuple[float, float]] = {}
        for row, person in theirs.groups.get(kind, {}).items():
            of_models = (one.table.groups.get(kind, {}).get(row) for one in models)
            ours = [one.value for one in of_models if one and one.value is not None]
            if person.value is not None and ours:
                found[row] = person.value, fmean(ours)
        if len(found) < _FEWEST:
            continue
        pairs[kind] = list(found.values())
        points = [Point(0, row, people, plain(ours, len(models))) for row, (people, ours) in found.items()]
        rows = tuple((row, f"{people:.1f}", f"{ours:.1f}") for row, (people, ours) in found.items())
        grid = Grid("", (f"{kind[:1].upper()}{kind[1:]}", "People", "Models"), rows)
        plots.append(Plot(f"People and models by {kind}", "People", tuple(points), ("Mean of the models",), grid))
    rows = tuple(
        (f"By {kind}", str(len(each)), "none" if (r := pearson(each)) is None else f"{r:.2f}")
        for kind, each in pairs.items()
    )
    caption = (
        "r: Pearson's correlation of what people and the models' mean score. Items that nobody answered don't count."
    )
    return Grid("People and models", ("What", "n", "r"), rows, caption), plots


def _persons(subjects: Sequence[SubjectScores]) -> list[SubjectScores]:
    return [one for one in subjects if is_recorded(one.card.spec_of(one.name))]


def _answered(persons: Sequence[SubjectScores]) -> ScoreTable:
    """The scores of what persons answered, each as if asked about videos of their own, so that no answer is lacking."""
    items, said, found = list[Item](), dict[str, list[Prediction]](), dict[str, list[Judgement]]()
    for number, one in enumerate(persons):
        for item in one.items.values():
            if stance(one, item.id) == "failed":
                continue
            name = f"{number} {item.id}"
            own = {"item": name, "subject": ""}
            group = {"group": f"{number} {item.tags['group']}"} if "group" in item.tags else {}
            changed = {"id": name, "video": f"{number} {item.video}", "tags": {**item.tags, **group}}
            items.append(item.model_copy(update=changed))
            said[name] = [each.model_copy(update=own) for each in one.predictions[item.id]]
            found[name] = [each.model_copy(update=own) for each in one.judgements.get(item.id, ())]
    card, reading = persons[0].card, reading_of(persons[0].card, persons[0].table.reading)
    scored = Scored(items, asked_in(persons[0].name, card), said, found)
    return score_table(card.suite, "", reading, suite_named(card.suite).score(scored, reading))


def _by_item(persons: Sequence[SubjectScores], models: Sequence[SubjectScores]) -> Iterator[tuple[float, float]]:
    """What persons that answered an item scored, and what models did, of each item that both have a score for."""
    for item in persons[0].items:
        answers = [one.values.get(item) for one in persons if stance(one, item) != "failed"]
        theirs, ours = (
            [value for value in values if value is not None]
            for values in (answers, [one.values.get(item) for one in models])
        )
        if theirs and ours:
            yield fmean(theirs), fmean(ours)


def _models(subjects: Sequence[SubjectScores], but: tuple[str, ...]) -> Mapping[str, list[tuple[Given, SubjectScores]]]:
    """The subjects that are the same model with the same input, but for some fields, by its name and that input."""
    models: dict[str, list[tuple[Given, SubjectScores]]] = {}
    for subject in subjects:
        spec = subject.card.spec_of(subject.name)
        if is_model(spec):
            given = read_given(spec)
            said = given.model_dump(include=_INPUT - {*but}, exclude_defaults=True)
            shown = [f"{field}={1 if value is True else value}" for field, value in said.items()]
            models.setdefault(" ".join((given.model, *shown)), []).append((given, subject))
    return models


def _frames(given: Given, subject: SubjectScores) -> int | None:
    """The number of frames that a model is shown at most; None if it is asked at a rate, or for the video itself."""
    if given.frames is not None:
        return given.frames
    return given.sampling(subject.card.variants[0]).most if given.sees and given.fps is None else None


def _measures(table: ScoreTable) -> Rows:
    """The headline, and where the suite has them the five ways of Video-TT and their robustness."""
    held = {"Headline": table.headline} if table.headline else dict(table.headlines)
    return {**held, **table.groups.get("way", {}), **table.groups.get("robustness", {})}


def _changed(before: Estimate, after: Estimate | None) -> tuple[Cell, Cell]:
    if after is None or after.value is None or not before.value:
        return estimate(after), ""
    return after, f"{100 * (after.value - before.value) / before.value:+.1f} %"
