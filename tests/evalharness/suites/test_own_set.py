"""A question set of one's own: its card, its rows in every form, and its scores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.media.clips import flat, write_clip

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Judgement, Prediction, Reply
from longtake.evalharness.scoring.choices import read_choice
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.suites.benchmark_rows import read_rows
from longtake.evalharness.suites.own_set import Card, load_own_set, own_set_variants, read_card, score_own_set
from longtake.evalharness.suites.suite_table import SUITES

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "own-question-sets.md"


def card(folder: Path, file: str = "questions.csv", **changed: Any) -> Card:
    """A card of the columns question, answer and video, with what is changed."""
    fields = {"question": "question", "answer": "answer", "video": "video"} | changed.pop("fields", {})
    path = folder / "card.yaml"
    path.write_text(yaml.safe_dump({"name": "workshop", "file": file, "fields": fields} | changed), encoding="utf-8")
    return read_card(path)


def example(folder: Path) -> Card:
    """The card and the table of the guide."""
    guide = GUIDE.read_text(encoding="utf-8")
    for language, name in (("yaml", "card.yaml"), ("csv", "questions.csv")):
        shown = re.search(rf"```{language}\n(.*?)```", guide, re.DOTALL)
        assert shown
        (folder / name).write_text(shown[1], encoding="utf-8")
    (folder / "clips").mkdir()
    write_clip(folder / "clips" / "one.mp4", [flat((9, 9, 9), 64, 48)] * 10, times=lambda number: number / 5)
    return read_card(folder / "card.yaml")


def rows(folder: Path, *values: dict[str, Any]) -> str:
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps({"video": "v"} | each) + "\n" for each in values), encoding="utf-8")
    return file.name


def loaded(which: Card) -> tuple[list[Item], list[str]]:
    reported: list[str] = []
    return load_own_set(which, reported.append), reported


def test_the_card_of_the_guide_describes_its_table(tmp_path: Path) -> None:
    which = example(tmp_path)
    (first, second), reported = loaded(which)
    assert reported == []
    assert (first.suite, first.id, first.task, first.format) == ("workshop", "q1", "object", "choice")
    assert (first.turns[0].options, first.turns[0].gold) == (("A saw", "A drill", "A kettle", "A lamp"), 2)
    assert first.tags == {"speaker": "Ann", "room": "shop"}
    assert first.seconds == pytest.approx(2.0, abs=0.3)
    assert (second.turns[0].options, second.turns[0].gold) == (("Ann", "Bob"), 1)
    assert first.media == second.media == str(tmp_path / "clips" / "one.mp4")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_tells_by_its_first_line_what_separates_its_fields(tmp_path: Path, separator: str) -> None:
    table = [["question", "answer", "video", "a", "b"], ["Which?", "B", "v", '"the saw; old, blunt"', "the drill"]]
    (tmp_path / "questions.csv").write_text("\n".join(map(separator.join, table)), encoding="utf-8")
    (item,), _ = loaded(card(tmp_path, fields={"options": ["a", "b"]}, answer="letter"))
    assert item.turns[0].options == ("the saw; old, blunt", "the drill")


@pytest.mark.parametrize(
    "row",
    [
        {"options": ["red", "green"]},
        {"options": '["red", "green"]'},
        {"options": "red\ngreen\n"},
        {"options": {"B": "green", "A": "red"}},
        {"options": '{"A": "red", "B": "green"}'},
        {"question": "Which?\n(A) red\n(B) green", "options": ""},
        {"question": "Which? (a) red (b) green"},
        {"question": "Which?\nA. red\nB. green"},
        {"question": "Which?\nA) red\nB) green"},
    ],
)
def test_options_stand_in_a_column_in_many_forms_or_in_the_question(tmp_path: Path, row: dict[str, Any]) -> None:
    fields = {"options": "options"} if "options" in row else {}
    (item,), _ = loaded(card(tmp_path, rows(tmp_path, {"question": "Which?", "answer": "B"} | row), fields=fields))
    (turn,) = item.turns
    assert (turn.question, turn.options, turn.reference) == ("Which?", ("red", "green"), "green")


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("letter", "B"),
        ("letter", "(b)"),
        ("letter", "b. the drill"),
        ("index", 1),
        ("index", "1"),
        ("number", 2),
        ("text", "the drill"),
        ("text", "The Drill"),
    ],
)
def test_the_right_option_is_recognised_in_four_ways(tmp_path: Path, written: str, answer: str | int) -> None:
    file = rows(tmp_path, {"question": "Which?", "answer": answer, "options": ["the saw", "the drill", "the kettle"]})
    (item,), reported = loaded(card(tmp_path, file, fields={"options": "options"}, answer=written))
    assert reported == []
    assert (item.turns[0].gold, item.turns[0].reference) == (1, "the drill")


@pytest.mark.parametrize("label", ["{}. ", "({}) ", "{}) ", "{}: "])
@pytest.mark.parametrize("answer", ["B", "red", "B. red", "(B) red"])
def test_labels_of_options_are_removed(tmp_path: Path, label: str, answer: str) -> None:
    options = [label.format(letter) + text for letter, text in zip("ABC", ("C. elegans", "red", "a red"), strict=True)]
    file = rows(tmp_path, {"question": "Which?", "answer": answer, "options": options})
    written = "letter" if answer == "B" else "text"
    (item,), reported = loaded(card(tmp_path, file, fields={"options": "options"}, answer=written, rotate=True))
    assert reported == []
    assert (item.turns[0].options, item.turns[0].gold) == (("C. elegans", "red", "a red"), 1)


def test_options_that_only_look_labelled_stay(tmp_path: Path) -> None:
    options = ["C. elegans", "E. coli"]
    (item,), _ = loaded(
        card(
            tmp_path,
            rows(tmp_path, {"question": "?", "answer": "A", "options": options}),
            fields={"options": "options"},
        )
    )
    assert item.turns[0].options == tuple(options)


def test_a_quoted_option_is_right_in_every_order(tmp_path: Path) -> None:
    file = rows(tmp_path, {"question": "Which?", "answer": "C", "options": ["A. saws", "B. bees", "C. berries"]})
    which = card(tmp_path, file, fields={"options": "options"}, rotate=True)
    (item,), _ = loaded(which)
    for variant in own_set_variants(which, [item]):
        asked = AskedTurn(item, 0, variant, 0, ())
        assert asked.own(read_choice("It shows berries.", asked.options).option) == 2


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_questions_nested_under_their_video(tmp_path: Path, suffix: str) -> None:
    questions = [{"meta": {"ask": f"Question {number}?"}, "answer": "B", "options": ["x", "y"]} for number in (1, 2)]
    videos = [{"video": "v", "qa": questions}, {"video": "w", "qa": questions[:1]}]
    file = tmp_path / f"questions.{suffix}"
    if suffix == "json":
        file.write_text(json.dumps({"version": 2, "data": videos}), encoding="utf-8")
    else:
        pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(videos), file)
    which = card(tmp_path, file.name, each="qa", fields={"question": "meta.ask", "options": "options"})
    items, reported = loaded(which)
    assert reported == []
    assert [(item.video, item.turns[0].question) for item in items] == [
        ("v", "Question 1?"),
        ("v", "Question 2?"),
        ("w", "Question 1?"),
    ]
    assert len({item.id for item in items}) == 3


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("Which vitamin (c) or (d) is on the label?", "mixed"),
        ("Say what (a) the man and (b) the woman do.", "open"),
    ],
)
def test_letters_in_parentheses_may_be_no_options(tmp_path: Path, question: str, form: str) -> None:
    (item,), _ = loaded(card(tmp_path, rows(tmp_path, {"question": question, "answer": "Vitamin D"}), format=form))
    assert (item.format, item.turns[0].question) == ("open", question)


def test_a_mixed_set_has_open_questions_where_there_are_no_options(tmp_path: Path) -> None:
    file = rows(
        tmp_path,
        {"question": "Which?", "answer": "a", "options": ["x", "y"]},
        {"question": "Why?", "answer": "It rains."},
    )
    items, _ = loaded(card(tmp_path, file, fields={"options": "options"}))
    assert [(item.format, item.id) for item in items] == [("choice", "1"), ("open", "2")]
    assert items[1].turns[0].reference == "It rains."
    said = [
        Prediction(item=i.id, variant="original", subject="s", replies=(Reply(text="a"),), seconds=0) for i in items
    ]
    cases = SUITES["own"].cases("repo")
    asked = [case for item, each in zip(items, said, strict=True) for case in cases(item, each)]
    assert [(case.item.id, case.asks, case.with_question) for case in asked] == [("2", "whole", True)]


def test_a_table_is_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_bytes(b"id\n" + b"q\n" * 100_000 + b"\xff\n")
    rows = read_rows(file, pytest.fail)
    assert next(rows).fields == {"id": "q"}
    with pytest.raises(ConfigError, match="UTF-8"):
        list(rows)


@pytest.mark.parametrize("fields", [{"question": "frage"}, {"task": "frage"}, {"tags": ["video", "frage"]}])
def test_a_column_that_the_table_lacks_is_one_sentence(tmp_path: Path, fields: dict[str, Any]) -> None:
    file = rows(tmp_path, *[{"question": "Why?", "answer": "It rains."}] * 2)
    with pytest.raises(ConfigError, match=r"questions\.jsonl has no column frage\b.*video, question, answer"):
        loaded(card(tmp_path, file, fields=fields))


def test_a_folder_of_videos_that_is_not_there_is_reported_once(tmp_path: Path) -> None:
    file = rows(tmp_path, *[{"question": "Why?", "answer": "It rains."}] * 3)
    items, reported = loaded(card(tmp_path, file, videos="nope"))
    assert [item.media for item in items] == [None] * 3
    assert len(reported) == 1
    assert str(tmp_path / "nope") in reported[0]


def test_each_bad_row_is_reported_with_line_and_field_and_the_rest_is_kept(tmp_path: Path) -> None:
    which = example(tmp_path)
    more = [
        "q3,Which?,x,,z,,a,one,object,Ann,shop",
        "q4,Which?,,,,,a,one,object,Ann,shop",
        "q5,Which?,x,y,,,d,one,object,Ann,shop",
        'q6,"Which,\nof these?",x,y,,,,one,object,Ann,shop',
        "q1,Which?,x,y,,,a,one,object,Ann,shop",
        "q7,Which?,x,y,,,a,one,object,Ann,shop,more",
        "q8,Which?,x,y,,,a,gone,object,Ann,shop",
        "q9,Which?",
    ]
    which.file.write_text(which.file.read_text(encoding="utf-8") + "\n".join(more) + "\n", encoding="utf-8")
    items, reported = loaded(which)
    assert [item.id for item in items] == ["q1", "q2", "q8"]
    assert items[-1].media is None
    assert [sentence.removeprefix(f"{which.file}, ").split(": ")[0] for sentence in reported] == [
        "line 4, a, b, c, d",
        "line 5, a, b, c, d",
        "line 6, right",
        "line 7, right",
        "line 9, number",
        "line 10",
        "line 11, clip",
        "line 12, a, b, c, d",
    ]


def test_lines_that_are_no_objects_are_reported(tmp_path: Path) -> None:
    file = tmp_path / rows(tmp_path, {"question": "Why?", "answer": "It rains."})
    file.write_text('"a word"\n{"question": \n' + file.read_text(), encoding="utf-8")
    items, reported = loaded(card(tmp_path, file.name))
    assert [item.id for item in items] == ["3"]
    assert [sentence.removeprefix(f"{file}, ").split(": ")[0] for sentence in reported] == ["line 1", "line 2"]


@pytest.mark.parametrize("indent", [None, 2])
def test_json_rows_without_ids_are_all_kept(tmp_path: Path, indent: int | None) -> None:
    questions = [{"question": f"Question {number}?", "answer": "Yes", "video": "v"} for number in range(3)]
    (tmp_path / "questions.json").write_text(json.dumps(questions, indent=indent), encoding="utf-8")
    items, messages = loaded(card(tmp_path, "questions.json", format="open"))
    assert [item.turns[0].question for item in items] == ["Question 0?", "Question 1?", "Question 2?"]
    assert len({item.id for item in items}) == 3
    assert messages == []


def test_a_bad_row_is_located_among_those_on_its_line(tmp_path: Path) -> None:
    good = {"question": "Is it open?", "answer": "Yes", "video": "v"}
    (tmp_path / "questions.json").write_text(json.dumps([good, {**good, "answer": ""}, good]), encoding="utf-8")
    items, (message,) = loaded(card(tmp_path, "questions.json", format="open"))
    assert [item.id for item in items] == ["1", "1.3"]
    assert "line 1.2, answer" in message


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("name: x\nfile: y.csv\n", "fields"),
        ("name: x\nfile: y.csv\nfields: {question: q, answer: a, video: v, colour: c}\n", "fields.colour"),
        ("name: x\nfile: y.csv\nanswer: word\nfields: {question: q, answer: a, video: v}\n", "answer"),
        ("name: a/b\nfile: y.csv\nfields: {question: q, answer: a, video: v}\n", "name"),
        ("name: x\n: : [\n", "card.yaml is not valid YAML: line 2: expected the end of the block"),
        ("", "it should hold named fields"),
        ("name: x\nfile: y.csv\nfields: {answer: a, video: v}\n", "fields.question: Field required"),
    ],
)
def test_a_wrong_card_is_refused_with_the_field_that_is_wrong(tmp_path: Path, text: str, reported: str) -> None:
    path = tmp_path / "card.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(reported)) as caught:
        read_card(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_card(tmp_path / "absent.yaml")


def test_a_set_that_the_card_does_not_describe_is_refused(tmp_path: Path) -> None:
    reported: list[str] = []
    which = card(tmp_path, rows(tmp_path, {"question": "", "answer": "x"}))
    with pytest.raises(ConfigError, match=r"questions\.\w+ has no question"):
        load_own_set(which, reported.append)
    assert "line 1, question: " in reported[0]


def test_scores_by_format_task_and_tag_beside_chance(tmp_path: Path) -> None:
    file = rows(
        tmp_path,
        {"question": "1", "answer": "a", "options": ["x", "y"], "kind": "k", "tone": "loud"},
        {"question": "2", "answer": "b", "options": ["x", "y"], "kind": "k", "tone": "soft", "video": "w"},
        {"question": "3", "answer": "It rains.", "kind": "l"},
    )
    which = card(tmp_path, file, fields={"options": "options", "task": "kind", "tags": ["tone"]}, rotate=True)
    items, _ = loaded(which)
    variants = own_set_variants(which, items)
    chosen = Reply(text="x", choice=0, parse="ok")
    predictions = [
        Prediction(item=item.id, variant=variant.name, subject="s", replies=(chosen,), seconds=0.0)
        for item in items
        for variant in variants
        if variant.applies(item)
    ]
    assert len(predictions) == 5
    verdict = Judgement(item="3", variant="original", subject="s", turn=0, criterion="", judge="j", met=True)
    scores = score_own_set(items, variants, predictions, [verdict])
    tables = {group: {name: row.value for name, row in table.items()} for group, table in scores.groups.items()}
    assert tables["answer type"] == {"choice": 50.0, "open": 100.0}
    assert tables["task"] == {"k": 50.0, "l": 100.0}
    assert tables["tag tone"] == {"loud": 100.0, "soft": 0.0}
    # Two options in two orders: chance 1/4, and (1/2 - 1/4) / (1 - 1/4).
    assert tables["multiple choice"]["in every order: chance"] == 25.0
    assert tables["multiple choice"]["in every order: above chance"] == pytest.approx(100 / 3, abs=1e-3)
    assert tables["multiple choice"]["in the given order: above chance"] == 0.0
    assert scores.headline is not None
    assert (scores.headline.n, scores.headline.videos) == (3, 2)


def test_a_replaced_option_must_be_chosen_where_it_is_right_and_nowhere_else(tmp_path: Path) -> None:
    file = rows(tmp_path, *({"id": str(n), "question": "Q", "answer": "b", "options": list("wxyz")} for n in range(30)))
    which = card(tmp_path, file, fields={"options": "options", "id": "id"}, replace="None of these")
    items, _ = loaded(which)
    written, right, wrong = own_set_variants(which, items)
    asked = {item.id: [AskedTurn(item, 0, each, 0, ()) for each in (written, right, wrong)] for item in items}
    assert all(one.options == tuple("wxyz") for one, _, _ in asked.values())
    assert all(one.options == ("w", "None of these", "y", "z") for _, one, _ in asked.values())
    places = [one.options.index("None of these") for _, _, one in asked.values()]
    assert set(places) == {0, 2, 3}
    assert places == [AskedTurn(item, 0, wrong, 1, ()).options.index("None of these") for item in items]

    def scored(chooses: Callable[[AskedTurn], int]) -> dict[str, float | None]:
        predictions = [
            Prediction(item=name, variant=one.variant.name, subject="s", replies=(reply,), seconds=0.0)
            for name, every in asked.items()
            for one in every
            for reply in [Reply(text="", choice=chooses(one), parse="ok")]
        ]
        scores = score_own_set(items, (written, right, wrong), predictions, [])
        return {name: row.value for name, row in scores.groups["multiple choice"].items()}

    def knows(one: AskedTurn) -> int:
        return one.options.index("x") if "x" in one.options else one.options.index("None of these")

    def always(one: AskedTurn) -> int:
        return one.options.index("None of these") if "None of these" in one.options else 1

    assert scored(knows)["in every wording"] == 100.0
    assert scored(knows)["in every wording: chance"] == pytest.approx(100 / 64, abs=1e-3)
    for fooled in (always, lambda one: 0):
        assert scored(fooled)["in every wording"] == 0.0
    assert scored(always)["in the given order"] == 100.0
    text = read_choice("None of these", asked["0"][1].options)
    assert (text.option, text.status) == (1, "fallback")
    both = own_set_variants(which.model_copy(update={"rotate": True}), items)
    assert [each.name for each in both] == [
        "original",
        *(f"original/gold-{n}" for n in (1, 2, 3, 4)),
        right.name,
        wrong.name,
    ]


def test_without_rotation_each_question_is_put_once(tmp_path: Path) -> None:
    which = example(tmp_path)
    items, _ = loaded(which)
    assert len(own_set_variants(which.model_copy(update={"rotate": False}), items)) == 1
    assert len(own_set_variants(which, items)) == 5


def test_an_answer_in_another_form_than_the_card_says_is_reported_with_that_form(tmp_path: Path) -> None:
    right, text = ({"question": "Which?", "answer": answer, "options": ["red", "green"]} for answer in ("B", "green"))
    which = card(tmp_path, rows(tmp_path, right, text), fields={"options": "options"}, format="choice", answer="letter")
    (_,), (reported,) = loaded(which)
    assert ("green" in reported, "letter" in reported) == (True, True)


def test_a_row_with_more_options_than_letters_is_reported_and_left_out(tmp_path: Path) -> None:
    options = [f"option {number}" for number in range(27)]
    full, over = ({"question": "Which?", "answer": "A", "options": options[:most]} for most in (26, 27))
    which = card(tmp_path, rows(tmp_path, full, over), fields={"options": "options"}, format="choice", answer="letter")
    (item,), (reported,) = loaded(which)
    assert len(item.turns[0].options) == 26
    assert "line 2, options: it has 27 options" in reported
