"""Moment-Video: what right, wrong, failed and unjudged answers come to, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from longtake.evalharness.items import Item, Judgement, ParseStatus, Prediction, Protocol, Reply, Turn, Variant
from longtake.evalharness.judges.judging import reply_hash
from longtake.evalharness.scoring.choice_scores import ChoiceScores
from longtake.evalharness.suites.moment_video import length_row, moment_variants, score_moment_video

SUBJECT = "subject"


def opened(number: int, **changed: Any) -> Item:
    return item(number, "open", Turn(question="What falls?", reference="A cup."), **changed)


def closed(number: int, options: int = 4, gold: int = 1, **changed: Any) -> Item:
    texts = tuple(f"option {n}" for n in range(options))
    return item(number, "choice", Turn(question="Which?", options=texts, gold=gold, reference=texts[gold]), **changed)


def item(number: int, form: Any, turn: Turn, task: str = "TO", domain: str = "Craft", seconds: float = 7.0) -> Item:
    tags = {"domain": domain, "subclass": f"{domain}/pottery"}
    name = f"{domain}/pottery/{number}"
    return Item(
        suite="moment-video", id=name, video=name, task=task, format=form, turns=(turn,), seconds=seconds, tags=tags
    )


def said(each: Item, reply: Reply, variant: str = "original") -> Prediction:
    return Prediction(item=each.id, variant=variant, subject=SUBJECT, replies=(reply,), seconds=0.0)


def choosing(
    each: Item, variants: Sequence[Variant], choice: int | None, parse: ParseStatus = "ok"
) -> list[Prediction]:
    """The same option of the item's own order in every order."""
    reply = Reply(text="reply", choice=choice, parse=parse)
    return [said(each, reply, variant.name) for variant in variants if variant.applies(each)]


def judged(each: Item, met: bool | None, variant: str = "original") -> Judgement:
    return Judgement(item=each.id, variant=variant, subject=SUBJECT, turn=0, criterion="", judge="j", met=met)


def scored(
    items: list[Item],
    predictions: list[Prediction],
    judgements: Sequence[Judgement] = (),
    protocol: Protocol = "paper",
    variants: Sequence[Variant] | None = None,
) -> ChoiceScores:
    return score_moment_video(items, variants or moment_variants(items, protocol), predictions, judgements, protocol)


def values(scores: ChoiceScores, group: str) -> dict[str, float | None]:
    return {name: row.value for name, row in scores.groups[group].items()}


def test_a_choice_counts_only_when_it_is_right_in_every_order() -> None:
    items = [closed(1), closed(2)]
    variants = moment_variants(items, "paper")
    firm, wavering = choosing(items[0], variants, 1), choosing(items[1], variants, 1)
    wavering[-1] = said(items[1], Reply(text="A", choice=0, parse="ok"), wavering[-1].variant)
    scores = scored(items, firm + wavering)
    assert scores.headline is not None
    assert scores.headline.value == 50.0
    assert values(scores, "multiple choice")["in the given order"] == 100.0


def test_always_the_same_letter_earns_nothing() -> None:
    items = [closed(n, gold=n % 4) for n in range(8)]
    variants = moment_variants(items, "paper")
    first = [
        said(each, Reply(text="A", choice=variant.order_of(each.turns[0])[0], parse="ok"), variant.name)
        for each in items
        for variant in variants
        if variant.applies(each)
    ]
    chosen = values(scored(items, first), "multiple choice")
    assert (chosen["in every order"], chosen["in the given order"]) == (0.0, 25.0)


def test_chance_and_what_is_above_it() -> None:
    """As in the release: 199 questions of 4 options, 8 of 3 and 29 of 2; 28.4 % once, 3.5 % in every order."""
    items = [closed(n, options) for n, options in enumerate([4] * 199 + [3] * 8 + [2] * 29)]
    chosen = values(scored(items, choosing(items[0], moment_variants(items, "paper"), 1)), "multiple choice")
    once, always = (199 / 4 + 8 / 3 + 29 / 2) / 236, (199 / 4**4 + 8 / 3**3 + 29 / 2**2) / 236
    assert chosen["in the given order: chance"] == pytest.approx(100 * once, abs=1e-3) == pytest.approx(28.4, abs=0.05)
    assert chosen["in every order: chance"] == pytest.approx(100 * always, abs=1e-3) == pytest.approx(3.5, abs=0.05)
    above = (1 / 236 - always) / (1 - always)
    assert chosen["in every order: above chance"] == pytest.approx(100 * above, abs=1e-3)


def test_tables_by_kind_task_domain_subclass_and_length() -> None:
    items = [
        opened(1, seconds=5.0),
        opened(2, task="TC", domain="Kitchen", seconds=5.01),
        opened(3, task="TC", seconds=180.5),
        closed(4, task="TC", seconds=60.0),
    ]
    predictions = [said(each, Reply(text="A cup.")) for each in items[:3]]
    predictions += choosing(items[3], moment_variants(items, "paper"), 1)
    verdicts = [judged(items[0], True), judged(items[1], False), judged(items[2], True)]
    scores = scored(items, predictions, verdicts)
    assert scores.headline is not None
    assert (scores.headline.value, scores.headline.n) == (75.0, 4)
    assert values(scores, "answer type") == {"open": pytest.approx(66.667, abs=1e-3), "choice": 100.0}
    assert values(scores, "task") == {"TO": 100.0, "TC": pytest.approx(66.667, abs=1e-3)}
    assert values(scores, "domain") == {"Craft": 100.0, "Kitchen": 0.0}
    assert values(scores, "subclass") == {"Craft/pottery": 100.0, "Kitchen/pottery": 0.0}
    assert values(scores, "duration") == {"up to 5 s": 100.0, "5-10 s": 0.0, "20-60 s": 100.0, "over 3 min": 100.0}
    assert "frame rate" not in scores.groups


@pytest.mark.parametrize(
    ("seconds", "bucket"),
    [(0.0, "up to 5 s"), (10.0, "5-10 s"), (10.1, "10-20 s"), (20.0, "10-20 s"), (60.1, "1-3 min"), (180.0, "1-3 min")],
)
def test_an_edge_belongs_to_the_shorter_bucket(seconds: float, bucket: str) -> None:
    assert length_row(opened(1, seconds=seconds).heading) == bucket


def test_a_video_of_unknown_length_is_in_no_bucket() -> None:
    assert length_row(opened(1).model_copy(update={"seconds": None}).heading) == ""


def test_what_failed_counts_as_wrong_and_is_told_apart() -> None:
    items = [*[closed(n) for n in range(5)], opened(5), opened(6), closed(7)]
    variants = moment_variants(items, "paper")
    predictions = [
        *choosing(items[0], variants, 1),
        *choosing(items[1], variants, None, "failed"),
        *choosing(items[2], variants, None, "abstained"),
        *choosing(items[3], variants, 1)[:-1],  # one order was never asked
        *[said(items[7], Reply(text="", status="timeout"), each.name) for each in variants if each.applies(items[7])],
        *choosing(items[4], variants, 0),
        said(items[5], Reply(text="", status="error", error="The endpoint is down.")),
        said(items[6], Reply(text="A cup.")),
    ]
    scores = scored(items, predictions, [judged(items[6], None)])
    assert (scores.errors.count, scores.parse_failures.count, scores.abstained.count) == (3, 1, 1)
    assert (scores.unjudged.count, scores.unjudged.n) == (1, 2)
    # Right is one of eight; of the three that did not fail, one.
    assert values(scores, "answer type") == {"choice": pytest.approx(100 / 6, abs=1e-3), "open": 0.0}
    assert scores.without_failures.value == pytest.approx(33.333, abs=1e-3)
    assert scores.headline is None


def test_uncertain_replies_are_counted_apart_and_right_only_where_an_abstention_is_due() -> None:
    due = Turn(question="What falls?", reference="It cannot be determined from the video.")
    items = [closed(1), opened(2), item(3, "open", due), opened(4)]
    variants = moment_variants(items, "repo")
    unsure = Reply(text="I'm not sure. Closest: a cup.", uncertain=True)
    leaning = unsure.model_copy(update={"choice": 1, "parse": "uncertain"})
    predictions = [said(items[0], leaning, each.name) for each in variants if each.applies(items[0])]
    predictions += [said(items[1], unsure), said(items[2], unsure), said(items[3], Reply(text="A cup."))]
    scores = scored(items, predictions, [judged(each, True) for each in items[1:]], "repo", variants)
    assert (scores.uncertain.count, scores.uncertain.n) == (3, 4)
    assert (scores.abstained.count, scores.errors.count, scores.parse_failures.count) == (0, 0, 0)
    assert values(scores, "answer type") == {"choice": 0.0, "open": pytest.approx(200 / 3, abs=1e-3)}


def test_verdicts_that_the_judge_is_not_sure_of_are_counted() -> None:
    items = [opened(1), opened(2), opened(3), closed(4), closed(5)]
    variants = moment_variants(items, "repo")
    predictions = [said(each, Reply(text="A cup.")) for each in items[:3]]
    predictions += [*choosing(items[3], variants, 1), *choosing(items[4], variants, None, "failed")]
    unsure = [judged(each, True).model_copy(update={"sure": False}) for each in items[:2]]
    left = judged(items[4], False, variants[0].name).model_copy(update={"sure": False})
    scores = scored(items, predictions, [*unsure, judged(items[2], True), left], "repo")
    assert (scores.unsure.count, scores.unsure.n) == (3, 4)


def test_there_is_a_headline_up_to_one_unjudged_answer_in_a_hundred() -> None:
    items = [opened(n) for n in range(100)]
    predictions = [said(each, Reply(text="A cup.")) for each in items]
    verdicts = [judged(each, True) for each in items]
    one, two = scored(items, predictions, verdicts[1:]), scored(items, predictions, verdicts[2:])
    assert one.headline is not None
    assert one.headline.value == 99.0
    assert two.headline is None


def test_the_text_of_an_option_counts_in_the_paper_and_goes_to_the_judge_in_the_code() -> None:
    items = [closed(1)]
    predictions = choosing(items[0], moment_variants(items, "repo"), 1, "fallback")
    first = predictions[0].variant
    paper, unjudged = scored(items, predictions), scored(items, predictions, protocol="repo")
    accepted = scored(items, predictions, [judged(items[0], True, first)], "repo")
    refused = scored(items, predictions, [judged(items[0], False, first)], "repo")
    headlines = [each.headline.value if each.headline else None for each in (paper, unjudged, accepted, refused)]
    assert headlines == [100.0, None, 100.0, 0.0]
    assert [each.parse_failures.count for each in (paper, unjudged, accepted, refused)] == [0, 1, 1, 1]


def test_what_is_left_to_the_judge_is_in_the_rates() -> None:
    items = [closed(n) for n in range(10)]
    variants = moment_variants(items, "repo")
    predictions = [each for item in items for each in choosing(item, variants, None, "failed")]
    verdicts = [judged(each, True, predictions[0].variant) for each in items]
    none, all_but_one, whole = (scored(items, predictions, verdicts[:n], "repo") for n in (0, 9, 10))
    rates = [(each.unjudged.count, each.unjudged.n, each.parse_failures.count) for each in (none, all_but_one, whole)]
    assert rates == [(10, 10, 10), (1, 10, 10), (0, 10, 10)]
    assert (none.headline, all_but_one.headline) == (None, None)
    assert whole.headline is not None
    assert (whole.headline.value, all_but_one.without_failures.value) == (100.0, 100.0)


def test_frame_rates_stand_beside_each_other() -> None:
    items = [opened(1), closed(2)]
    variants = moment_variants(items, "paper", (1.0, 8.0))
    assert [variant.name for variant in variants if variant.applies(items[1])] == [
        "original",
        "original/gold-1",
        "original/gold-3",
        "original/gold-4",
        "8fps",
        "8fps/gold-1",
        "8fps/gold-3",
        "8fps/gold-4",
    ]
    predictions = [
        *choosing(items[1], variants, 1),
        said(items[0], Reply(text="A cup."), "original"),
        said(items[0], Reply(text="A cup."), "8fps"),
    ]
    verdicts = [judged(items[0], False), judged(items[0], True, "8fps")]
    scores = scored(items, predictions, verdicts, variants=variants)
    assert values(scores, "frame rate") == {"1 fps, at most 64 frames": 50.0, "8 fps, at most 32 frames": 100.0}
    assert values(scores, "task and frame rate") == {"TO, 1 fps": 50.0, "TO, 8 fps": 100.0}
    assert values(scores, "domain and frame rate") == {"Craft, 1 fps": 50.0, "Craft, 8 fps": 100.0}
    assert scores.headline is not None
    assert scores.headline.value == 50.0


def test_who_was_asked_at_one_rate_has_no_table_of_rates() -> None:
    items = [closed(1)]
    variants = moment_variants(items, "paper", (8.0,))
    assert "frame rate" not in scored(items, choosing(items[0], variants, 1), variants=variants).groups


def test_each_seed_is_an_answer_of_its_own() -> None:
    items = [opened(1)]
    predictions = [said(items[0], Reply(text="x")).model_copy(update={"seed": seed}) for seed in (0, 1)]
    verdicts = [judged(items[0], met).model_copy(update={"seed": seed}) for seed, met in ((0, True), (1, False))]
    scores = scored(items, predictions, verdicts)
    assert scores.headline is not None
    assert (scores.headline.value, scores.headline.n, scores.headline.videos) == (50.0, 2, 1)


def test_a_verdict_about_an_earlier_reply_is_none() -> None:
    items = [opened(1)]
    earlier, later = Reply(text="A plate."), Reply(text="A cup.")
    stale = judged(items[0], False).model_copy(update={"reply": reply_hash(earlier)})
    fresh = judged(items[0], True).model_copy(update={"reply": reply_hash(later)})
    assert scored(items, [said(items[0], later)], [stale]).unjudged.count == 1
    both = scored(items, [said(items[0], earlier), said(items[0], later)], [stale, fresh])
    assert both.headline is not None
    assert both.headline.value == 100.0
