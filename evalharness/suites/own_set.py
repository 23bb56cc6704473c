"""Loads your own question set, multiple-choice or open, as its card describes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Judgement, Prediction, Turn, Variant
from longtake.evalharness.judges.judge import Case
from longtake.evalharness.judges.judging import cases
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choice_scores import (
    Answers,
    ChoiceScores,
    Outcome,
    Said,
    beside_chance,
    by,
    by_tag,
    choice_outcome,
    open_outcome,
    replacements,
    rotations,
    summarise,
)
from longtake.evalharness.scoring.estimates import Estimate
from longtake.evalharness.suites.answer_options import split_options
from longtake.evalharness.suites.benchmark_rows import BadRow, Row, read_rows
from longtake.evalharness.suites.card import Card
from longtake.evalharness.suites.loading import Videos, choice_turn, items_of
from longtake.language.json_text import parse_json
from longtake.memory.timespan import TimeSpan


def load_own_set(card: Card, notify: Notify) -> list[Item]:
    """The questions of a set as items.

    Args:
        card: describes the set.
        notify: called with file, line and field for each skipped row, and for missing videos.

    Raises:
        ConfigError: if the file can't be read, lacks a column of the card, or has no usable question.
    """
    _check_columns(_rows(card, lambda sentence: None), card)
    videos = Videos(card.videos, notify)
    items = items_of(_rows(card, notify), lambda row: _item(row, card, videos), notify, card.fields.id or "line")
    if not items:
        raise ConfigError(f"{card.file} has no question that fits the card. Check the card's fields.")
    return items


def own_set_variants(card: Card, items: Sequence[Item]) -> tuple[Variant, ...]:
    """The questions as written; by the card also with the right option at every position, and with options replaced."""
    orders = rotations(Variant(), items) if card.rotate else (Variant(),)
    return (*orders, *replacements(Variant(), card.replace)) if card.replace else orders


def own_set_cases(item: Item, prediction: Prediction) -> Iterator[Case]:
    """The cases for the judge: whether an open reply says what the reference says, with the question visible."""
    return cases(item, prediction, with_question=True)


def score_own_set(
    items: Collection[Item],
    variants: Sequence[Variant],
    predictions: Iterable[Prediction],
    judgements: Iterable[Judgement],
) -> ChoiceScores:
    """Score one subject; a choice counts as right only if it is right in every variant's order and wording.

    Args:
        items: all items to be asked.
        variants: of the run.
        predictions: of the subject.
        judgements: of one judge.
    """
    answers = Answers(predictions, judgements)
    outcomes = _outcomes(items, variants, answers)
    orders = [variant for variant in variants if not variant.replaced]
    wordings = [variants[0], *(variant for variant in variants if variant.replaced)]
    ways: dict[str, Sequence[Variant]] = {"in the given order": variants[:1]}
    if len(wordings) > 1:
        ways = {"in every wording": wordings} | ways
    if len(orders) > 1:
        ways = {"in every order": orders} | ways
    if len(ways) > 2:
        ways = {"in every way": variants} | ways
    chosen: dict[str, Estimate] = {}
    for name, some in ways.items():
        found = outcomes if len(some) == len(variants) else _outcomes(items, some, answers)
        chosen |= beside_chance(found, name)
    tags = dict.fromkeys(tag for outcome in outcomes for tag in outcome.item.tags)
    return summarise(
        outcomes,
        {
            "answer type": by(outcomes, lambda item: item.format),
            "task": by(outcomes, lambda item: item.task),
            **{f"tag {tag}": by_tag(outcomes, tag) for tag in tags},
            "multiple choice": chosen,
        },
    )


def _graded(said: Said) -> float | None:
    """The verdict, or the grade (0 to 1) of an imported evaluator."""
    return said.met if said.points is None else said.points


def _outcomes(items: Collection[Item], variants: Sequence[Variant], answers: Answers) -> list[Outcome]:
    return [
        choice_outcome(item, variants, answers, seed)
        if item.format == "choice"
        else open_outcome(item, variants[0], answers, seed, _graded)
        for seed in answers.seeds
        for item in items
    ]


def _rows(card: Card, notify: Notify) -> Iterator[Row]:
    """A row for each question."""
    for row in read_rows(card.file, notify):
        try:
            yield from (row,) if card.each is None else row.each(card.each)
        except BadRow as error:
            notify(str(error))


def _check_columns(rows: Iterable[Row], card: Card) -> None:
    """Reject a missing column before anything is asked: items of a started run can't be corrected."""
    existing: dict[str, None] = {}
    missing = list(card.fields.columns)
    for row in rows:
        existing |= dict.fromkeys(row.fields)
        missing = [name for name in missing if name not in row.fields and row.value(name) is None]
    if existing and missing:
        raise ConfigError(
            f"{card.file} has no column {', '.join(missing)}. Its columns are {', '.join(existing)}; correct the card."
        )


def _item(row: Row, card: Card, videos: Videos) -> Item:
    fields = card.fields
    question, options = _options(row, card)
    if options or card.format == "choice":
        columns = fields.options or fields.question
        options_field = columns if isinstance(columns, str) else ", ".join(columns)
        turn = choice_turn(row, question, options, options_field, fields.answer, card.answer)
    else:
        turn = Turn(question=question, reference=row.needed(fields.answer))
    if fields.evidence:
        turn = turn.model_copy(update={"evidence": _spans(row, fields.evidence)})
    video = row.needed(fields.video)
    media = videos.find(video, row, fields.video)
    clip = _clip(row, fields.clip) if fields.clip else None
    return Item(
        suite=card.name,
        id=row.needed(fields.id) if fields.id else row.number,
        video=videos.id_of(video, media),
        media=media,
        task=row.text(fields.task) if fields.task else "",
        format="choice" if turn.options else "open",
        turns=(turn,),
        clip=clip,
        seconds=clip.length if clip else videos.seconds(media, row, fields.video),
        tags={tag: text for tag in fields.tags if (text := row.text(tag))},
    )


def _options(row: Row, card: Card) -> tuple[str, tuple[str, ...]]:
    """The question and its options; none if the question is open."""
    question, columns = row.needed(card.fields.question), card.fields.options
    if card.format == "open":
        return question, ()
    if columns is None:
        return split_options(question)
    if isinstance(columns, str):
        options = _listed(row.value(columns))
        return (question, options) if options else split_options(question)
    texts = [row.text(column) for column in columns]
    while texts and not texts[-1]:  # a row may have fewer options than columns, but no gap between them
        texts.pop()
    return question, tuple(texts)


def _listed(value: Any) -> tuple[str, ...]:
    """The options in one field: a list or an object by letters, either also as JSON text, or one a line."""
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except ValueError:
            value = [line for line in value.splitlines() if line.strip()]
    if isinstance(value, dict):
        value = [value[letter] for letter in sorted(value)]
    return tuple(str(each).strip() for each in value) if isinstance(value, list) else ()


def _spans(row: Row, columns: str | tuple[str, str]) -> tuple[TimeSpan, ...]:
    """The spans of a row, in seconds; none if its fields are empty.

    Args:
        row: of the table.
        columns: one with a [start, end] or a list of them, as JSON in a text table; or one each for start and end.

    Raises:
        BadRow: if a field has something else.
    """
    name = columns if isinstance(columns, str) else columns[0]
    try:
        if isinstance(columns, str):
            value = row.value(columns)
            value = parse_json(value) if isinstance(value, str) and value.strip() else value
        else:
            value = [text for column in columns if (text := row.text(column))]
        pairs = [] if not value else value if isinstance(value[0], list) else [value]
        return tuple(TimeSpan(start=float(start), end=float(end)) for start, end in pairs)
    except (LookupError, TypeError, ValueError):
        raise row.bad(name, "it has no spans in seconds, such as [[12, 15.5]]") from None


def _clip(row: Row, columns: str | tuple[str, str]) -> TimeSpan | None:
    """The one span of a row that isn't empty, in seconds; None if its fields are.

    Raises:
        BadRow: if a field has something else.
    """
    spans = _spans(row, columns)
    if len(spans) > 1 or any(not span.length for span in spans):
        raise row.bad(columns if isinstance(columns, str) else columns[0], "it isn't one clip, such as [12, 15.5]")
    return spans[0] if spans else None
