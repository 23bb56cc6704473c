"""Your own question set, multiple-choice or open: its card says what the columns of its table mean.

`docs/own-question-sets.md` shows a card, and a table that it fits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from longtake.config import parse_yaml
from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Judgement, Prediction, Turn, Variant
from longtake.evalharness.runs.journal import wrong_field
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choice_scores import (
    ChoiceScores,
    ScoredReply,
    SubjectAnswers,
    beside_chance,
    by,
    by_tag,
    outcomes_of,
    replacements,
    rotations,
    summarise,
)
from longtake.evalharness.scoring.estimates import Estimate
from longtake.evalharness.suites.benchmark_rows import BadRow, Row, read_rows
from longtake.evalharness.suites.loading import AnswerAs, Videos, choice_turn, items_of, split_options
from longtake.language.text import parse_json
from longtake.memory.records import Record
from longtake.memory.timespan import TimeSpan


class CardFields(Record):
    """Which column holds what; `meta.question` is the field `question` of the objects in the column `meta`."""

    question: str = Field(description="Without `options`, choices may stand in it: (a) ... (b) ..., or A. ... B. ...")
    answer: str
    video: str = Field(description="Path or name of the file, with or without its suffix.")
    id: str | None = Field(default=None, description="Else the line of the row is its id.")
    options: str | tuple[str, ...] | None = Field(
        default=None, description="A column for each, or one that holds a list, or an option a line."
    )
    task: str | None = None
    evidence: str | tuple[str, str] | None = Field(
        default=None, description="Seconds that show the answer: a column with [start, end] pairs, or one for each."
    )
    clip: str | tuple[str, str] | None = Field(
        default=None, description="Seconds of the part that a question is about: [start, end], or a column for each."
    )
    tags: tuple[str, ...] = Field(default=(), description="Columns that scores are broken down by.")

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are named."""
        options = (self.options,) if isinstance(self.options, str) else self.options or ()
        named = (self.question, self.answer, self.video, self.id, self.task)
        spans = [(each,) if isinstance(each, str) else each or () for each in (self.evidence, self.clip)]
        return (*filter(None, named), *options, *spans[0], *spans[1], *self.tags)


class Card(Record):
    """What a question set is."""

    name: str = Field(pattern=r"^[\w.-]+$")
    file: Path
    videos: Path | None = None
    each: str | None = Field(default=None, description="Column with a list of questions, if a row is a video.")
    fields: CardFields
    format: Literal["choice", "open", "mixed"] = "mixed"
    answer: AnswerAs = "letter"
    rotate: bool = Field(default=False, description="Whether the right option is put at every place once.")
    replace: str | None = Field(
        default=None, min_length=1, description="Text for an option that says that none of the others is right."
    )


def read_card(path: Path, media: Path | None = None) -> Card:
    """Read a card. Its paths are relative to its folder; `media` is the folder of the videos, where that is another.

    Raises:
        ConfigError: if it cannot be read, or a field of it is missing or wrong.
    """
    try:
        tree = parse_yaml(path.read_text(encoding="utf-8"))
        card = Card.model_validate(tree)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}; check its name.") from error
    except ValidationError as error:
        raise ConfigError(f"{path}, {wrong_field(error)}: correct this field.") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid YAML: {error}. Correct it.") from error
    videos = media or (path.parent / card.videos if card.videos else None)
    return card.model_copy(update={"file": path.parent / card.file, "videos": videos})


def load_own_set(card: Card, notify: Notify) -> list[Item]:
    """The questions of a set as items; skipped rows and missing videos are reported.

    Raises:
        ConfigError: if the file can't be read, lacks a column of the card, or has no usable question.
    """
    _check_columns(_rows(card, lambda sentence: None), card)
    videos = Videos(card.videos, notify)
    lacking = f"{card.file} has no question that fits the card. Check the card's fields."
    key = card.fields.id or "line"
    return items_of(_rows(card, notify), lambda row: _item(row, card, videos), notify, key, lacking)


def own_set_variants(card: Card, items: Sequence[Item]) -> tuple[Variant, ...]:
    """The questions as written; by the card also with the right option at every position, and with options replaced."""
    orders = rotations(Variant(), items) if card.rotate else (Variant(),)
    return (*orders, *replacements(Variant(), card.replace)) if card.replace else orders


def score_own_set(
    items: Collection[Item],
    variants: Sequence[Variant],
    predictions: Iterable[Prediction],
    judgements: Iterable[Judgement],
) -> ChoiceScores:
    """Score one subject; a choice counts as right only if it is right in every variant's order and wording."""
    answers = SubjectAnswers(predictions, judgements)
    outcomes = outcomes_of(items, variants, answers, _graded)
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
        found = outcomes if len(some) == len(variants) else outcomes_of(items, some, answers, _graded)
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


def _graded(said: ScoredReply) -> float | None:
    """The verdict, or the grade (0 to 1) of an imported evaluator."""
    return said.met if said.points is None else said.points


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

    One column has a [start, end] or a list of them, as JSON in a text table; of two, one has the start, one the end.

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
