"""What became of the replies to the scripted suite."""

from __future__ import annotations

from longtake.evalharness.items import Criterion, Item, Judgement, Prediction, Reply, Turn
from longtake.evalharness.judges.judging import reply_hash
from longtake.evalharness.scripted.scores import score_scripted

TAGS = dict.fromkeys(("wording", "seed", "tool", "kind", "events", "speech"), "any") | {"expects": "answer"}
RIGHT = Criterion(name="right", description="It rains.", weight=1)


def item(name: str, *turns: tuple[Criterion, ...]) -> Item:
    asked = tuple(Turn(question="Does it rain?", criteria=criteria) for criteria in turns or ((RIGHT,),))
    return Item(suite="scripted", id=name, video="v", format="rubric", turns=asked, tags=TAGS)


def said(name: str, *texts: str, seed: int = 0) -> Prediction:
    replies = tuple(Reply(text=text) for text in texts)
    return Prediction(item=name, variant="original", subject="s", seed=seed, replies=replies, seconds=0.0)


def met(made: Prediction) -> Judgement:
    reply = reply_hash(made.replies[0])
    return Judgement(**made.key._asdict(), turn=0, criterion="right", judge="j", met=True, reply=reply)


def outcomes(items: list[Item], made: list[Prediction], found: list[Judgement]) -> dict[str, int]:
    counts = score_scripted(items, made, found, "signed").outcomes["answer"]
    return {name: count for name, count in counts.items() if count}


def test_verdicts_of_an_older_run_count_and_those_of_another_reply_do_not() -> None:
    made = said("one", "It rains.")
    older, other = (met(made).model_copy(update={"reply": reply}) for reply in ("", "of another"))
    assert outcomes([item("one")], [made], [older]) == {"right": 1}
    assert outcomes([item("one")], [made], [other]) == {"unjudged": 1}


def test_what_was_never_asked_is_an_error_as_in_the_score() -> None:
    items = [item("one"), item("two")]
    right = said("one", "It rains.")
    assert outcomes(items, [right], [met(right)]) == {"right": 1, "error": 1}
    both_seeds = [said("one", "Yes."), said("one", "Yes.", seed=1), said("two", "Yes.", seed=1)]
    assert outcomes(items, both_seeds, []) == {"unjudged": 3, "error": 1}


def test_a_turn_that_has_no_reply_is_an_error() -> None:
    assert outcomes([item("one", (RIGHT,), (RIGHT,))], [said("one", "Yes.")], []) == {"unjudged": 1, "error": 1}


def test_an_uncertain_reply_is_right_only_where_an_abstention_is_due() -> None:
    unsure = said("one", "Closest: It rains.")
    unsure = unsure.model_copy(update={"replies": (unsure.replies[0].model_copy(update={"uncertain": True}),)})
    assert outcomes([item("one")], [unsure], [met(unsure)]) == {"uncertain": 1}
    assert outcomes([item("one")], [unsure], []) == {"uncertain": 1}
    due = item("one").model_copy(update={"tags": TAGS | {"expects": "abstention"}})
    counts = score_scripted([due], [unsure], [met(unsure)], "signed").outcomes["abstention"]
    assert counts == {"right": 1, "wrong": 0, "uncertain": 0, "abstained": 0, "error": 0, "unjudged": 0}


def test_an_item_without_tags_counts_in_the_score_and_in_no_row() -> None:
    tagged, bare = item("one"), item("two").model_copy(update={"task": "summarization", "tags": {"tool": "ocr"}})
    made = [said("one", "It rains."), said("two", "It rains.")]
    scores = score_scripted([tagged, bare], made, [met(each) for each in made], "signed")
    assert (scores.overall.value, scores.unjudged.n) == (100.0, 2)
    assert {name: sum(row.n for row in rows.values()) for name, rows in scores.groups.items()} == {
        "wording": 1,
        "seed": 1,
        "tool": 2,
        "kind": 1,
        "events": 1,
        "speech": 1,
        "expects": 1,
    }
    assert sum(scores.outcomes["answer"].values()) == 1


def test_a_prediction_whose_item_was_left_out_is_left_out_too() -> None:
    assert outcomes([item("one")], [said("one", "Yes."), said("lost", "Yes.")], []) == {"unjudged": 1}


def test_a_turn_without_criteria_has_no_outcome() -> None:
    assert outcomes([item("one", (), (RIGHT,))], [said("one", "Well.", "Yes.")], []) == {"unjudged": 1}
