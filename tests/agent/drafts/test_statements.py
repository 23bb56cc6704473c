"""A draft becomes statements and the moments that they cite; nothing of its text is lost."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from longtake.agent.drafts.cited import citations_of, stated_times
from longtake.agent.drafts.draft import Draft, DraftClaim
from longtake.agent.drafts.statements import ReadDraft, read_draft
from longtake.memory.records import Modality, Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.speaker_lines import SPEAKERS

NAMES = {"v": "talk.mp4", "w": "my trip.mp4"}


def moment(content: str, start: float, end: float, modality: Modality = "speech", video: str = "v") -> Moment:
    span = TimeSpan(start=start, end=end)
    return Moment(video=video, span=span, modality=modality, text=content, engine="e")


MOMENTS = {
    "m1": moment("The blue kettle costs 249 dollars.", 14, 16),
    "m2": moment("Room 4417", 30, 34, "scene_text"),
    "m3": moment("A long talk about the river.", 60, 160),
    "m4": moment("30 pictures a second", 0, 900, "metadata"),
    "m5": moment("A bell", 847, 849, "audio"),
    "m6": moment("The kettle is 99 dollars here.", 14, 16, video="w"),
}


def read(text: str, *claims: DraftClaim) -> ReadDraft:
    return read_draft(Draft(text=text, claims=claims), MOMENTS, NAMES)


def ids(read: ReadDraft) -> list[list[str]]:
    return [list(dict.fromkeys(each.id for each in statement.cited)) for statement in read.statements]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        (
            "It sells for 249 dollars [m1]. You find it in room 4417 [m2].",
            ["It sells for 249 dollars.", "You find it in room 4417."],
        ),
        (
            "It sells for 249 dollars. [m1] You find it in room 4417. [m2][m3]",
            ["It sells for 249 dollars.", "You find it in room 4417."],
        ),
        (
            "The board has the same order: 4. Hold the collar, 5. Then the treat [m1].",
            ["The board has the same order: 4. Hold the collar, 5. Then the treat."],
        ),
        ("It sells for 249.\n[m1]\nIt is really blue.", ["It sells for 249.", "It is really blue."]),
        ("It sells for 249 dollars [m1] in room 4417 [m2] today.", ["It sells for 249 dollars in room 4417 today."]),
        (
            "[m1] The price is named first. [00:00:32] Then the room is.",
            ["The price is named first.", "[00:00:32] Then the room is."],
        ),
        ("- Price of it: $249 [m1]\n- Room: 4417 [m2]\n", ["Price of it: $249", "Room: 4417"]),
        ("1. A price is named [m1].\n2) A bell rings [m5].", ["A price is named.", "A bell rings."]),
        (
            "| Thing | Price |\n|---|---|\n| kettle | 249 [m1] |\n| pan | 99 |",
            ["Thing | Price", "kettle | 249", "pan | 99"],
        ),
        ("B. The kettle is the dearer one [m1].", ["B. The kettle is the dearer one."]),
        ("No. Nothing like that is shown [m2].", ["No. Nothing like that is shown."]),
        ("It rings [m5]. Then he leaves [m1].", ["It rings.", "Then he leaves."]),
        (
            "He says “It is cheap. Buy it now.” to us [m1]. Then he leaves.",
            ["He says “It is cheap. Buy it now.” to us.", "Then he leaves."],
        ),
        ("Dr. Lee weighs 3.5 kg, e.g. of tea, vs. 2 kg [m1].", ["Dr. Lee weighs 3.5 kg, e.g. of tea, vs. 2 kg."]),
        ("**Price**: 249 [m1]\n\n## What else\n\nThe room is 4417.", ["Price: 249", "What else", "The room is 4417."]),
        ("水壶的价格是249美元。[m1]它在4417号房间。[m2]", ["水壶的价格是249美元。", "它在4417号房间。"]),
    ],
    ids=[
        *(
            "sentences",
            "marks after stops",
            "numbers within",
            "a line of marks",
            "marks within",
            "marks before",
            "bullets",
            "numbers",
            "table",
            "letter",
        ),
        *("yes or no", "short with a mark", "quotation", "abbreviations", "headings", "no spaces"),
    ],
)
def test_a_draft_is_split_into_what_can_be_judged(text: str, statements: list[str]) -> None:
    found = read(text)
    assert [each.text for each in found.statements] == statements
    assert found.text == text
    # The pieces follow each other, and each mark lies in one of them.
    edges = [edge for each in found.statements for edge in (each.start, each.end)]
    assert edges == sorted(edges)
    assert all(any(each.holds(mark.end) for each in found.statements) for mark in found.marks)


@pytest.mark.parametrize(
    ("mark", "cited", "removed"),
    [
        ("[m1]", ["m1"], 0),
        ("(m1)", ["m1"], 0),
        ("【m1】", ["m1"], 0),
        ("[M1]", ["m1"], 0),
        ("[1]", ["m1"], 0),
        ("[see m1]", ["m1"], 0),
        ("[m1, m2 and m5]", ["m1", "m2", "m5"], 0),
        ("[m1; m2][m5]", ["m1", "m2", "m5"], 0),
        ("[m1-m3]", ["m1", "m2", "m3"], 0),
        ("[m1 to m3]", ["m1", "m2", "m3"], 0),
        ("[m1, m77]", ["m1"], 1),
        ("[m77]", [], 1),
        ("[m4]", ["m4"], 0),
        ("[talk.mp4 00:00:15]", ["m1"], 0),
        ("[talk 0:15]", ["m1"], 0),
        ("[my trip.mp4 00:00:15]", ["m6"], 0),
        ("[00:00:32-00:00:33]", ["m2"], 0),
        ("[14:08]", ["m5"], 0),
        ("(14:08-14:10)", ["m5"], 0),
        ("[00:00:35]", ["m2"], 0),  # a second beside it
        ("[00:00:36]", [], 1),
        ("[00:02:49]", ["m3"], 0),  # a tenth of a long one beside it
        ("[00:02:55]", [], 1),
        ("[00:00:32, m5]", ["m5", "m2"], 0),
        ("[m1-3]", ["m1", "m2", "m3"], 0),
        ("(see m2 at 0:32)", ["m2"], 0),
        ("[m2 (0:32)]", ["m2"], 0),
        ("[m5, my trip.mp4 0:15]", ["m5", "m6"], 0),
        ("[sic]", [], 0),
        ("(about 249)", [], 0),
        ("“as it has [9]”", [], 0),
        ("“as he has it [m1]”", ["m1"], 0),
        ("[2024]", [], 0),
        ("[754.2]", [], 1),
    ],
)
def test_what_a_mark_cites(mark: str, cited: list[str], removed: int) -> None:
    found = read(f"The price is named quite clearly {mark}.")
    assert (ids(found), found.removed, found.citations) == ([cited], removed, len(cited) + removed)


def test_a_range_stands_for_fifty_moments_at_most() -> None:
    many = {f"m{number}": moment("A bell", number, number + 1) for number in range(1, 61)}
    found = read_draft(Draft(text="All of it is heard [m1-m60]."), many, NAMES)
    assert ids(found) == [[f"m{number}" for number in range(1, 51)]]


@pytest.mark.parametrize(
    "text",
    [
        "She won the second set (21:19).",
        "It leaves at noon (14:30).",
        "He reads from John (3:16).",
        "A BMW (M1) and [2024].",
        "They are open all day (9:30-17:00).",
    ],
)
def test_what_is_no_mark_stays_as_it_was_written(text: str) -> None:
    found = read(text)
    assert (found.marks, found.removed, found.statements[0].text) == ((), 0, text)


def test_a_whole_second_may_be_any_time_within_it_and_is_rather_what_begins_there() -> None:
    moments = {"m1": moment("Nobody was hurt.", 60, 68.4), "m2": moment("budget@example", 68.9, 75, "scene_text")}
    found = read_draft(Draft(text="It is the address [01:08]. It takes 11 days [01:08.2]."), moments, {})
    assert [each.cited[0].id for each in found.statements] == ["m2", "m1"]


def test_a_time_cites_what_happens_then_and_not_silence_throughout() -> None:
    moments = {"m1": moment("silence", 0, 600, "audio"), "m2": moment("Buy two pairs of gloves.", 297.8, 305.9)}
    assert ids(read_draft(Draft(text="They need gloves [05:00]."), moments, {})) == [["m2"]]
    assert ids(read_draft(Draft(text="Nobody speaks [08:00]."), moments, {})) == [["m1"]]


@pytest.mark.parametrize("mark", ["[04:58-05:06]", "(04:58 to 05:06)", "[m9, 04:58-05:06]"])
def test_a_span_cites_what_fills_it_and_not_what_goes_on_around_it(mark: str) -> None:
    moments = {
        "m1": moment("silence", 0, 600, "audio"),
        "m2": moment("On the snow", 250, 400, "scene_text"),
        "m3": moment("Buy two pairs of gloves.", 297.8, 305.9),
        "m9": moment("Ana speaks 9 times.", 298, 305).model_copy(update={"engine": SPEAKERS}),
    }
    found = read_draft(Draft(text=f"They need gloves {mark}."), moments, {})
    assert ids(found) == [[*(["m9"] if "m9" in mark else []), "m3"]]
    assert citations_of(found.statements[0].cited, moments)[-1].start == 297.8  # all of it but 0.2 s


@pytest.mark.parametrize("mark", ["[00:00:00-00:10:00]", "(00:00:00 to 00:10:00)", "from 00:00:00 to 00:10:00"])
def test_a_span_that_holds_many_moments_says_where_and_cites_none(mark: str) -> None:
    moments = {f"m{number}": moment(f"Line {number}.", 60 * number, 60 * number + 5) for number in range(9)}
    found = read_draft(
        Draft(text=f"There are animals {mark}. A goose comes last [m8, 00:00:00-00:10:00]."), moments, {}
    )
    assert (ids(found), found.removed) == ([[], ["m8"]], 0)
    assert mark in found.statements[0].text


def test_what_leads_to_a_list_or_a_table_is_cited_by_its_lines_too() -> None:
    found = read(
        "The prices [m2]:\n\n| Pass | $15 |\n| Month | $98 [m3] |\n\nDogs travel free.\nAlso [m5]:\n- one\n- two"
    )
    assert ids(found) == [["m2"], ["m2"], ["m3"], [], ["m5"], ["m5"], ["m5"]]


def test_a_bare_number_is_no_id_where_ids_are_written_out() -> None:
    found = read("The array a[1] holds 5 [m3, 5]. The matrix is [1, 2] [m2].")
    assert ids(found) == [["m3", "m5"], ["m2"]]
    assert [each.text for each in found.statements] == ["The array a[1] holds 5.", "The matrix is [1, 2]."]


def test_marks_belong_to_what_they_stand_behind_or_else_before() -> None:
    assert ids(read("The price is named. [m1] The room comes next. [m2]")) == [["m1"], ["m2"]]
    assert ids(read("[m1] The price is named. [m2] The room comes next.")) == [["m1"], ["m2"]]


def test_an_id_may_have_a_time_of_its_own_within_its_moment() -> None:
    found = read("He names the river here [m3 00:01:30]. He ends the talk [m1 00:01:30].")
    first, second = (citations_of(each.cited, MOMENTS) for each in found.statements)
    assert [(each.start, each.end, each.quote) for each in first] == [(90, 160, MOMENTS["m3"].text)]
    assert [(each.start, each.end) for each in second] == [(14, 16), (90, 160)]  # it is in another one: both are cited


@pytest.mark.parametrize(
    ("text", "cited", "marks"),
    [
        ("The bell rings at 14:07, near the end.", ["m5"], 0),
        ("It is shown from 00:00:30 to 00:00:34.", ["m2"], 0),
        ("The bell at 14:07 is a loud one [m3].", ["m3"], 1),  # marks count before times
        ("The picture is 16:9 all along.", [], 0),
        ("The bell rings at 13:00.", [], 0),
    ],
)
def test_times_in_prose_cite_where_there_is_no_mark(text: str, cited: list[str], marks: int) -> None:
    found = read(text)
    assert (ids(found), len(found.marks), found.removed) == ([cited], marks, 0)


def test_claims_bring_their_moments_to_what_the_text_says() -> None:
    found = read(
        "The kettle is dear. It rings twice.",
        DraftClaim(text="the kettle is dear", moments=("m1",)),
        DraftClaim(text="It rings twice, says the bell", moments=("14:08", "m77")),
        DraftClaim(text="The room is 4417.", moments=("m2",)),
    )
    assert [each.text for each in found.statements] == ["The kettle is dear.", "It rings twice.", "The room is 4417."]
    assert (ids(found), found.statements[2].start, found.removed) == ([["m1"], ["m5"], ["m2"]], -1, 1)


@pytest.mark.parametrize(
    ("claim", "statements"),
    [
        ("The big blue kettle costs 249 dollars here today.", 1),
        ("The big blue kettle costs 99 dollars here today.", 2),
        ("The pan is sold out.", 2),
    ],
)
def test_a_claim_that_says_the_same_in_nearly_the_same_words_is_judged_once(claim: str, statements: int) -> None:
    found = read("The big blue kettle costs 249 dollars here.", DraftClaim(text=claim, moments=("m1",)))
    assert len(found.statements) == statements


def test_claims_without_a_text_are_the_text() -> None:
    found = read(
        "", DraftClaim(text="It is dear.", moments=("m1", "m77")), DraftClaim(text="It rings", moments=("14:08",))
    )
    assert (found.text, ids(found)) == ("It is dear. It rings", [["m1"], ["m5"]])
    assert (found.citations, found.removed) == (3, 1)


# Lines of a talk, as in a transcript; the slide stands behind all of them.
LINES = {
    "m1": moment("Is that normal?", 86.6, 97.0),
    "m2": moment("Her grandmother gave six thousand.", 97.4, 105.3),
    "m3": moment("There has to be a letter.", 105.7, 113.6),
    "m4": moment("Our example", 62.0, 130.0, "scene_text"),
    "c1": moment("They have to say where it came from.", 113.7, 120.5),
    "m5": moment("Ask early.", 200.0, 204.0),
}


def cited(text: str, moments: Mapping[str, Moment] = LINES) -> list[tuple[str, list[tuple[float, float, str]]]]:
    """Statements as a judge reads them, each with start, end and quote of its citations."""
    found = read_draft(Draft(text=text), moments, {})
    return [
        (each.text, [(at.start, at.end, at.quote) for at in citations_of(each.cited, moments)])
        for each in found.statements
    ]


GIFT = (97.4, 105.3, "Her grandmother gave six thousand.")
LETTER = (105.7, 113.6, "There has to be a letter.")


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("(01:37–01:45)", "(01:37–01:45)"),
        ("(01:37–01:45) [m2]", "(01:37–01:45)"),
        ("[m2] (01:37–01:45)", "(01:37–01:45)"),
        ("[01:37–01:45]", "[00:01:37-00:01:45]"),
        ("[m2, 01:37-01:45]", "[00:01:37-00:01:45]"),
        ("[m2 01:37 to 01:45]", "[00:01:37-00:01:45]"),
        ("(m2, 01:37–01:45)", "[00:01:37-00:01:45]"),
        ("from 01:37 to 01:45", "from 01:37 to 01:45"),
        ("between 1:37 and 1:45 [m2]", "between 1:37 and 1:45"),
    ],
)
def test_a_range_stays_to_be_read_and_is_one_citation_of_what_fills_it(mark: str, told: str) -> None:
    """The line from 97.4 to 105.3 s shares 7.6 s with 97 to 105 s; the next one, from 105.7 s, none."""
    assert cited(f"She gave it {mark}.") == [(f"She gave it {told}.", [GIFT])]


@pytest.mark.parametrize("text", ["(01:37–01:45)", "[01:37-01:45]", "01:37 to 01:45"])
def test_a_range_alone_is_an_answer(text: str) -> None:
    [(told, places)] = cited(text)
    assert [span.start for span in stated_times(told)] == [97]
    assert places == [GIFT]


def test_a_range_over_several_lines_is_one_place_and_quotes_all_of_them() -> None:
    both = (97.4, 113.6, f"{GIFT[2]} {LETTER[2]}")
    assert cited("She tells it all (01:37–01:54).") == [("She tells it all (01:37–01:54).", [both])]
    # Beside an id it adds what that doesn't cover, whether the writer has seen it or not.
    rest = (105.7, 120.5, f"{LETTER[2]} They have to say where it came from.")
    assert cited("She tells it all (01:37–02:00) [m2].")[0][1] == [GIFT, rest]


def test_a_range_elsewhere_than_its_id_is_read_but_cited_only_in_square_brackets() -> None:
    assert cited("She gave it (03:20–03:24) [m2].") == [("She gave it (03:20–03:24).", [GIFT])]
    asked = (200, 204, "Ask early.")
    assert cited("She gave it [m2, 03:20–03:24].") == [("She gave it [00:03:20-00:03:24].", [GIFT, asked])]
    assert cited("She gave it (03:20–03:24).")[0][1] == [asked]
    assert cited("She gave it [04:10–04:20].") == [("She gave it [00:04:10-00:04:20].", [])]


@pytest.mark.parametrize("time", ["[01:37]", "(01:37)", "at 01:37"])
def test_a_whole_second_cites_all_that_is_said_within_it(time: str) -> None:
    """Second 97 begins as m1 ends; m2 begins in it, at 97.4 s. With m1 until 97.2 s both are heard in it."""
    assert cited(f"She gave it {time}.")[0][1] == [GIFT]
    later = {**LINES, "m1": moment("Is that normal?", 86.6, 97.2)}
    assert cited(f"She gave it {time}.", later)[0][1] == [GIFT, (86.6, 97.2, "Is that normal?")]
    unseen = {name.replace("m2", "c2"): each for name, each in later.items()}
    assert cited(f"She gave it {time}.", unseen)[0][1] == [GIFT, (86.6, 97.2, "Is that normal?")]


def test_a_whole_second_beside_an_id_adds_what_begins_in_it_and_else_nothing() -> None:
    later = {**LINES, "m1": moment("Is that normal?", 86.6, 97.2)}
    assert cited("She gave it at 01:37 [m2].", later)[0][1] == [GIFT]
    assert cited("She gave it at 01:37 [m1].", later)[0][1] == [(86.6, 97.2, "Is that normal?"), GIFT]
    assert cited("She gave it at 01:35 [m1].", later)[0][1] == [(95, 97.2, "Is that normal?")]


def test_two_times_are_no_range() -> None:
    assert cited("She asks at 01:38 and 03:21.")[0][1] == [
        (98, 105.3, "Her grandmother gave six thousand."),
        (201, 204, "Ask early."),
    ]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Ruth asks about floors. He likes them open [m1].", [["m1"], ["m1"]]),
        ("Ruth asks about floors. He likes them open. [m1]", [["m1"], ["m1"]]),
        ("A bell rings [m5]. Ruth asks about floors. He likes them open. [m1]", [["m5"], ["m1"], ["m1"]]),
        ("It goes on. Ruth asks about floors. He likes them open [m1].", [[], ["m1"], ["m1"]]),  # directly before
        ("Ruth asks about floors.\nHe likes them open [m1].", [[], ["m1"]]),  # another paragraph
        ("Ruth asks about floors [m77]. He likes them open [m1].", [[], ["m1"]]),  # a mark of its own
        ("Ruth asks at 00:13:00 sharp. He likes them open [m1].", [[], ["m1"]]),  # a time of its own
        ("[m1] He likes them open. They rest here. [m2] It is so.", [["m1"], [], ["m2"]]),  # marks stand before
    ],
)
def test_a_mark_behind_two_sentences_counts_for_both(text: str, cited: list[list[str]]) -> None:
    assert ids(read(text)) == cited


def test_a_time_in_parentheses_belongs_to_the_sentence_before_it() -> None:
    assert cited("She gave it. (01:37–01:45) There is more. (01:46–01:53)") == [
        ("She gave it. (01:37–01:45)", [GIFT]),
        ("There is more. (01:46–01:53)", [LETTER]),
    ]


def test_a_time_in_one_file_says_nothing_of_a_moment_in_another() -> None:
    assert ids(read("Both name a price. [m1][my trip.mp4 00:15]")) == [["m1", "m6"]]
