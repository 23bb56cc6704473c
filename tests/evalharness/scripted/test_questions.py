"""Items over scripts: what they cover, and that their gold follows from what the video shows and says."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from longtake.evalharness import scripted
from longtake.evalharness.items import Item, Reply, Turn
from longtake.evalharness.judges.checks import decide
from longtake.evalharness.scripted.questions import filled, items_of, questions, read_wordings
from longtake.evalharness.scripted.script import ScriptedVideo, ScriptTruth, truth_of
from longtake.evalharness.scripted.suite import stills_in, write_script
from longtake.evalharness.scripted.voices import recordings_in
from longtake.evalharness.suites.longshot import TASKS
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.registry import SPECS
from longtake.tools.core.toolbox import Toolbox

pytestmark = pytest.mark.usefixtures("voice")
SEED = 3
SEEN = read_wordings("seen")


class Made(NamedTuple):
    """A script with its truth and items."""

    script: ScriptedVideo
    truth: ScriptTruth
    items: list[Item]

    def turns(self, kind: str) -> Iterator[Turn]:
        """The turns of a kind of question."""
        return (turn for item in self.items for turn in item.turns if turn.tags["kind"] == kind)

    def texts(self, turn: Turn) -> list[str]:
        """What is written while the proof of a turn is shown."""
        return [text.text for text in self.truth.texts if text.start <= turn.evidence[0].start < text.end]


@pytest.fixture(scope="module")
def made() -> list[Made]:
    scripts = [write_script(SEED, number) for number in range(24)]
    return [Made(script, truth_of(script), items_of(script, {"seen": SEEN})) for script in scripts]


def all_turns(made: list[Made], kind: str) -> list[tuple[Made, Turn]]:
    found = [(one, turn) for one in made for turn in one.turns(kind)]
    assert found
    return found


def value(turn: Turn) -> float:
    return float(next(c.check["value"] for c in turn.criteria if c.check and c.check["kind"] == "number"))


def perfect(turn: Turn) -> Reply:
    unknown = turn.criteria[0].name == "abstains"
    return Reply(text=turn.reference, choice=turn.gold, cited=turn.evidence, calls=turn.calls, abstained=unknown)


def test_all_tasks_tools_and_levels_are_asked_in_one_turn_and_in_several(made: list[Made]) -> None:
    items = [item for one in made for item in one.items]
    turns = [turn for item in items for turn in item.turns]
    assert {item.task for item in items} == set(TASKS)
    assert {call.tool for turn in turns for call in turn.calls} == {
        spec.name for tool in ALL_TOOLS if (spec := SPECS[tool]).group == "core"
    }
    assert {turn.difficulty for turn in turns} == {1, 2, 3, 4, 5}
    assert {len(item.turns) for item in items} == {1, 2, 3}
    assert len({item.id for item in items}) == len(items)
    assert {turn.gold for turn in turns if turn.options} >= {0, 1, 2, 3}


def test_gold_calls_have_the_arguments_of_the_tools(made: list[Made]) -> None:
    toolbox = Toolbox(ALL_TOOLS)
    for one in made:
        for item in one.items:
            for turn in item.turns:
                for call in turn.calls:
                    toolbox.check(call.tool, call.arguments, {})  # raises if they are wrong


def test_the_reference_meets_every_criterion(made: list[Made], media: Path) -> None:
    recordings, stills = recordings_in(media / "pocketsphinx"), stills_in(media / "face_recognition")
    supplied = [write_script(SEED, number, recordings, stills) for number in range(12)]
    items = [item for one in made for item in one.items]
    items += [item for script in supplied for item in items_of(script, {"seen": SEEN})]
    unmet = [
        (item.id, criterion.name)
        for item in items
        for turn in item.turns
        for criterion in turn.criteria
        if not decide(criterion, turn.reference, perfect(turn)).met
    ]
    assert unmet == []
    assert {turn.tags["kind"] for item in items for turn in item.turns} == set(questions().kinds)


def test_a_reply_about_something_else_meets_no_first_criterion(made: list[Made]) -> None:
    reply = Reply(text="It rains in Lisbon.")
    met = [
        item.id
        for one in made
        for item in one.items
        for turn in item.turns
        if decide(turn.criteria[0], reply.text, reply).met
    ]
    assert met == []


def test_sums_are_those_of_the_prices_on_the_slide(made: list[Made]) -> None:
    for one, turn in all_turns(made, "price_total"):
        prices = [int(text[1:]) for text in one.texts(turn) if text.startswith("$")]
        assert len(prices) == 3
        assert value(turn) == sum(prices)
    for one, turn in all_turns(made, "price_gap"):
        prices = [int(text[1:]) for text in one.texts(turn) if text.startswith("$")]
        assert value(turn) == max(prices) - min(prices)


def test_programs_print_what_the_gold_says(made: list[Made]) -> None:
    for one, turn in all_turns(made, "code_prints"):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec("\n".join(one.texts(turn)))
        assert value(turn) == float(printed.getvalue())


def test_expressions_come_to_their_gold(made: list[Made]) -> None:
    for one, turn in all_turns(made, "expression_value"):
        left, right, rest = map(int, re.findall(r"\d+", " ".join(one.texts(turn))))
        assert value(turn) == left * right + rest


def test_shapes_are_counted_as_they_are_drawn(made: list[Made]) -> None:
    for one, turn in all_turns(made, "circles_counted"):
        start, end = (moment * one.truth.fps for moment in (turn.evidence[0].start, turn.evidence[0].end))
        drawn = [track for track in one.truth.shapes if start <= track.first < end and track.shape == "circle"]
        assert value(turn) == len(drawn)


def test_an_order_on_a_slide_must_not_be_obeyed(made: list[Made]) -> None:
    for one, turn in all_turns(made, "visitors_counted"):
        penalty = next(criterion for criterion in turn.criteria if criterion.penalty)
        ordered = next(text.rsplit(" ", 1)[1] for text in one.texts(turn) if text.startswith("Ignore"))
        assert not decide(penalty, f"{ordered}.", Reply(text=f"{ordered}.")).met
        assert decide(penalty, turn.reference, Reply(text=turn.reference)).met


def test_what_is_only_said_is_to_be_left_open_where_there_are_no_subtitles(made: list[Made]) -> None:
    expected = Counter((one.script.subtitled, item.tags["expects"]) for one in made for item in one.items
                       if item.tags["kind"] == "day_said")  # fmt: skip
    assert set(expected) == {(True, "answer"), (False, "abstention")}
    for one, turn in all_turns(made, "day_said"):
        if not one.script.subtitled:
            names = {criterion.name: criterion for criterion in turn.criteria}
            guess = "It is on Sunday 21 June."
            assert not decide(names["abstains"], guess, Reply(text=guess)).met
            assert not decide(names["hallucination"], guess, Reply(text=guess)).met
            assert names["hallucination"].penalty


def test_halves_of_the_wordings_take_turns_whether_or_not_there_are_subtitles(made: list[Made]) -> None:
    counted = Counter(
        (item.tags["wording"], item.tags["speech"])
        for one in made
        for item in items_of(one.script, {"seen": SEEN, "unseen": SEEN})
    )
    assert len(counted) == 4
    assert max(counted.values()) < 1.25 * min(counted.values())


def test_development_seeds_count_as_seen_and_others_do_not() -> None:
    def tag(seed: int) -> str:
        return items_of(write_script(seed, 0), {"seen": SEEN})[0].tags["seed"]

    assert (tag(7), tag(10)) == ("seen", "unseen")


def test_every_kind_of_question_has_several_wordings_whose_slots_are_facts() -> None:
    assert set(SEEN) == set(questions().kinds)
    assert all(len(set(wordings)) >= 3 for wordings in SEEN.values())
    with pytest.raises(KeyError):
        filled("When is the {nothing} shown?", {"something": 1})


@pytest.mark.slow
def test_the_unseen_wordings_are_opened_by_one_module_of_the_suite_alone() -> None:
    harness = Path(scripted.__file__ or "").resolve().parents[1]
    naming = [file.name for file in harness.rglob("*.py") if "{half}_wordings" in file.read_text(encoding="utf-8")]
    assert naming == ["questions.py"]
