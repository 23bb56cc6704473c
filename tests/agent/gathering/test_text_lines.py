"""The line that a moment stands in."""

from __future__ import annotations

from longtake.agent.gathering.gathered import joined_text
from longtake.agent.gathering.text_lines import Lines
from longtake.memory.records import Modality, Moment
from longtake.memory.timespan import TimeSpan

Box = tuple[float, float, float, float]


def moment(
    content: str,
    start: float,
    end: float,
    *,
    modality: Modality = "speech",
    box: Box | None = None,
    score: float = 1.0,
) -> Moment:
    span = TimeSpan(start=start, end=end)
    return Moment(video="v", span=span, modality=modality, text=content, engine="e", box=box, score=score)


def text(content: str, start: float, end: float, box: Box | None = None, score: float = 1.0) -> Moment:
    return moment(content, start, end, modality="scene_text", box=box, score=score)


def test_cues_that_go_on_with_a_sentence_are_one_line() -> None:
    first, second = moment("The blue kettle", 1, 2), moment("costs 249 dollars.", 2, 3)
    lines = Lines([second, first, moment("Next comes the lamp.", 9, 10)])
    assert lines.line_of(first) == lines.line_of(second) == (first, second)
    assert joined_text(lines.line_of(first)) == "The blue kettle costs 249 dollars."


def test_a_question_and_its_reply_are_one_line() -> None:
    asked, reply = moment("Where can people buy your honey?", 1, 3), moment("At the market", 4, 5)
    rest = moment("on Saturdays.", 5, 6)
    assert Lines([asked, reply, rest]).line_of(asked) == (asked, reply, rest)
    assert Lines([asked, moment("Music.", 20, 21)]).line_of(asked) == (asked,)


def test_a_pause_ends_a_line() -> None:
    first = moment("The blue kettle", 1, 2)
    assert Lines([first, moment("costs 249 dollars.", 9, 10)]).line_of(first) == (first,)


def test_a_line_has_what_is_said_just_before_and_after_it() -> None:
    before, first = moment("We tried the pump.", 0, 1), moment("It failed.", 1, 2)
    reason, rest = moment("The cable", 2, 3), moment("was loose.", 3, 4)
    lines = Lines([before, first, reason, rest, moment("So we went home.", 4, 5), moment("Goodbye.", 20, 21)])
    assert lines.line_of(first) == (before, first, reason, rest)


def test_a_line_of_speech_does_not_grow_without_end() -> None:
    cues = [moment("and then ten more words of it come along here", number, number + 1) for number in range(20)]
    assert 1 < len(Lines(cues).line_of(cues[9])) < 9


def test_texts_of_one_row_stand_together_in_reading_order() -> None:
    price = text("$249", 10, 20, (0.6, 0.4, 0.1, 0.1))
    thing = text("Kettle", 10, 20, (0.1, 0.4, 0.2, 0.1))
    title = text("Prices", 10, 20, (0.1, 0.1, 0.2, 0.1))
    later = text("Goodbye", 30, 40, (0.1, 0.1, 0.2, 0.1))
    assert Lines([price, thing, title, later]).line_of(price) == (thing, price)


# Read from a slide: the cells of a row don't start at the same height.
LEDGER = [
    ("What it cost", (0.064, 0.049, 0.434, 0.086)),
    ("Ferry", (0.073, 0.179, 0.12, 0.125)),
    ("Guesthouse", (0.084, 0.324, 0.367, 0.1)),
    ("Food", (0.076, 0.447, 0.113, 0.115)),
    ("36", (0.623, 0.185, 0.109, 0.108)),
    ("190", (0.62, 0.311, 0.131, 0.119)),
    ("36", (0.623, 0.451, 0.128, 0.107)),
]


def test_a_table_below_its_title_is_read_row_by_row() -> None:
    title, *cells = (text(content, 0, 9, box) for content, box in LEDGER)
    shown = "What it cost · Ferry · 36 · Guesthouse · 190 · Food · 36"
    assert joined_text(Lines([title, *cells]).line_of(title)) == shown


def test_of_readings_in_one_place_of_a_row_the_best_is_in_the_line() -> None:
    label = text("Total", 0, 9, (0.076, 0.719, 0.11, 0.107))
    upper = text("254", 0, 9, (0.623, 0.719, 0.127, 0.051), score=0.85)
    lower = text("354", 0, 9, (0.623, 0.771, 0.127, 0.051), score=0.94)
    lines = Lines([label, upper, lower])
    assert lines.line_of(label) == (label, lower)
    assert lines.line_of(upper) == (label, upper)


def test_a_row_that_does_not_fit_ends_the_line() -> None:
    title, long, last = "Notes", "a sentence that fills the whole width of the slide " * 2, "The end"
    shown = [text(content, 0, 9, (0.1, 0.1 + 0.2 * row, 0.5, 0.1)) for row, content in enumerate((title, long, last))]
    assert Lines(shown).line_of(shown[0]) == (shown[0],)


def test_several_readings_of_one_text_are_one_in_the_line() -> None:
    title = text("Timetable", 0, 10, (0.1, 0.1, 0.3, 0.1))
    poor = text("Safetv rules", 0, 4, (0.1, 0.3, 0.3, 0.1), score=0.6)
    good = text("Safety rules", 1, 10, (0.1, 0.3, 0.3, 0.1), score=0.9)
    assert Lines([title, poor, good]).line_of(title) == (title, good)


def test_a_sound_is_a_line_of_its_own() -> None:
    tone = moment("tone of 1000 Hz", 1, 3, modality="audio")
    assert Lines([tone, moment("Hello.", 1, 3)]).line_of(tone) == (tone,)


def test_a_reader_also_sees_the_sentence_that_follows_and_all_that_is_shown_with_a_text() -> None:
    cues = [moment(text, start, start + 1) for start, text in enumerate(("We asked.", "They said", "no.", "Why?"))]
    assert joined_text(Lines(cues).around(cues[:1])) == "We asked. They said no."
    rows = [text(each, 0, 9, (0.1, 0.1 + 0.2 * row, 0.5, 0.1)) for row, each in enumerate(("Quotes", "Door", "x" * 95))]
    lines = Lines(rows)
    assert lines.line_of(rows[0]) == tuple(rows[:2])
    assert lines.around(lines.line_of(rows[0])) == tuple(rows)


def test_what_stays_on_the_screen_is_not_part_of_what_is_shown_beside_it() -> None:
    menu = text("Orders", 0, 100, (0.05, 0.4, 0.1, 0.1))
    first, second = (
        text(each, start, start + 20, (0.4, 0.4, 0.3, 0.1)) for each, start in (("Door £9", 0), ("Lamp", 80))
    )
    lines = Lines([menu, first, second])
    assert lines.line_of(first) == (first,)
    assert menu in lines.line_of(menu)
    assert Lines([menu]).line_of(menu) == (menu,)


def test_a_line_names_each_speaker_once() -> None:
    said = ("Ada: It is broken.", "Ada: Since May.", "Bo: Why?", "Ada: A sensor.")
    cues = tuple(moment(text, start, start + 1) for start, text in enumerate(said))
    assert joined_text(cues) == "Ada: It is broken. Since May. Bo: Why? Ada: A sensor."
