"""When the extractive controller is sure of its best line, and what it says where there is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from longtake.agent.controllers.extractive.candidates import Candidate, candidates_of
from longtake.agent.controllers.extractive.forming import form, unsure
from longtake.agent.controllers.extractive.no_answer import Findings
from longtake.agent.controllers.extractive.planning import calls_for
from longtake.agent.controllers.extractive.ranking import most_telling
from longtake.agent.drafts.draft import Draft, Outcome
from longtake.agent.fitted import load_weights
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.query.query import SOURCES, TARGETS, Fact, Query, Reading, Scope, Source, Target
from longtake.language.words import content_stems, stems
from longtake.memory.records import Closest, Moment
from longtake.memory.search.search_types import Vectors
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.speaker_lines import SPEAKERS
from longtake.tools.core.result import ToolFailure, ToolResult

SHIPPED = load_weights("minilm")


def always(weights: Sequence[float], sure: float) -> tuple[float, ...]:
    """Weights that give every best line the same confidence."""
    return (*(0.0,) * (len(weights) - 1), sure)


# Of every best line as sure as can be.
TRUSTING = SHIPPED.model_copy(
    update={
        "on_clips": always(SHIPPED.on_clips, 10.0),
        "as_read": always(SHIPPED.as_read, 10.0),
        "as_searched": always(SHIPPED.as_searched, 10.0),
    }
)


def query(source: Source, target: Target, question: str, *, chance: float = 1.0) -> Query:
    sources: dict[Source, float] = {name: chance if name == source else 0.0 for name in SOURCES}
    targets: dict[Target, float] = {name: float(name == target) for name in TARGETS}
    return Query(
        question=question,
        reading=Reading(sources=sources, targets=targets),
        words=tuple(content_stems(question)),
        videos={"v": 100.0},
    )


def shared(reading: Reading, source: Source, chance: float) -> Reading:
    """A reading that may also ask for another source."""
    return reading.model_copy(update={"sources": {**reading.sources, source: chance}})


def line(text: str, start: float = 10.0, end: float | None = None) -> Candidate:
    span = TimeSpan(start=start, end=start + 5 if end is None else end)
    item = Moment(video="v", span=span, modality="speech", text=text, engine="e")
    return Candidate(evidence=item, line=(item,), cosine=0.5)


def formed(asked: Query, *lines: Candidate, results: tuple[ToolResult, ...] = ()) -> Draft:
    def embed(texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 2), np.float32)

    return form(Findings(asked, [(each, 0.9) for each in lines], TRUSTING, results, embed))


@pytest.mark.parametrize(
    ("question", "said", "answer"),
    [
        ("Is the shop open?", "The shop is open.", "Yes: “The shop is open.”"),
        (
            "Is the shop open?",
            "The shop, not far from here, is not open.",
            "No: “The shop, not far from here, is not open.”",
        ),
        ("Is the shop open?", "The shop is open. It is not far.", "Yes: “The shop is open. It is not far.”"),
        ("Does the lamp cost 40 dollars?", "The lamp costs 12 dollars.", "No: “The lamp costs 12 dollars.”"),
        ("Did she approve 340 dollars?", "She approved up to 500 dollars.", "“She approved up to 500 dollars.”"),
        ("Is the shop open?", "The shop is closed.", "“The shop is closed.”"),
    ],
)
def test_a_yes_or_no_needs_all_words_in_one_sentence(question: str, said: str, answer: str) -> None:
    assert formed(query("speech", "yesno", question), line(said)).claims[0].text == answer


def test_an_option_that_a_line_affirms_is_no_sure_answer_to_what_is_denied() -> None:
    options = {"options": ("a yacht", "a plane")}
    owned, lacking = (
        query("speech", "choice", question).model_copy(update=options)
        for question in ("What does Tom own?", "What does Tom not own?")
    )
    assert formed(owned, line("Tom owns a yacht.")).status == "answered"
    assert formed(lacking, line("Tom owns a yacht.")).status == "uncertain"


def test_an_option_is_chosen_by_a_line_of_an_unlikely_source() -> None:
    asked = query("sound", "time", "Where do people meet after the tone?")
    asked = asked.model_copy(update={"options": ("the lobby", "the gate")})
    reply = formed(asked, line("After the tone, meet at the gate."))
    assert reply.option == "B"


@pytest.mark.parametrize(
    ("target", "question", "heard", "outcome"),
    [
        ("time", "When does the siren sound?", "siren-like sound", "answered"),
        ("time", "When does the car horn sound?", "siren-like sound", "uncertain"),
        ("yesno", "Does a dog bark?", "dog barking", "answered"),
        ("yesno", "Does a dog bark?", "cat meowing", "uncertain"),
        ("name", "What sound is it?", "dog barking", "answered"),
        ("name", "What animal is it?", "dog barking", "answered"),
        ("name", "What sound is it?", "loud sound", "uncertain"),
        ("time", "When is there a loud sound?", "loud sound", "answered"),
    ],
)
def test_a_sound_is_sure_only_by_the_name_that_it_was_given(
    target: Target, question: str, heard: str, outcome: Outcome
) -> None:
    item = line(heard).evidence.model_copy(update={"modality": "audio"})
    sound = Candidate(evidence=item, line=(item,), cosine=0.5, tool="detect_audio_events")
    assert formed(query("sound", target, question), sound).status == outcome


@pytest.mark.parametrize(("source", "outcome"), [("file", "answered"), ("text", "uncertain")])
def test_a_fact_is_the_answer_if_it_is_what_is_asked_for(source: Source, outcome: Outcome) -> None:
    item = line("The recording is 100 seconds long.").evidence.model_copy(update={"modality": "metadata"})
    fact = Fact(evidence=item, source="file", targets=("duration",))
    asked = query(source, "duration", "How long is it?", chance=0.6)
    asked = asked.model_copy(update={"reading": shared(asked.reading, "file", 0.3)}) if source != "file" else asked
    assert formed(asked, Candidate(evidence=item, line=(item,), cosine=0.5, fact=fact)).status == outcome


def test_why_nothing_is_offered_agrees_with_what_was_looked_into() -> None:
    asked = query("sound", "name", "What animal roars?")
    unheard = formed(asked).text
    unknown = formed(asked.model_copy(update={"coverage": {"sounds": 1.0}})).text
    silent = formed(asked.model_copy(update={"lacks": {"sound": "There is no audio track."}})).text
    assert len({unheard, unknown, silent}) == 3
    assert silent == "There is no audio track."


def test_tools_that_look_are_not_called_for_a_recording_without_a_picture() -> None:
    asked = query("picture", "description", "What is seen?")
    assert calls_for(asked, Gathered())
    assert calls_for(asked.model_copy(update={"lacks": {"picture": "There is no picture."}}), Gathered()) == []


def test_without_a_picture_what_reads_as_a_question_about_one_is_answered_by_what_is_said() -> None:
    asked = query("picture", "name", "What animal did she find?")
    reply = formed(asked.model_copy(update={"lacks": {"picture": "There is no picture."}}), line("Once a hamster."))
    assert reply.status == "answered"
    assert "hamster" in reply.claims[0].text
    assert formed(asked, line("Once a hamster.")).status == "abstained"


def test_what_could_not_be_worked_out_says_why() -> None:
    failed = ToolResult(
        tool="translate_speech", output={}, failure=ToolFailure(kind="unavailable", message="No model.")
    )
    asked = query("speech", "translation", "Translate it.")
    reply = formed(asked, line("Guten Tag"), results=(failed,))
    assert (reply.status, reply.text) == ("uncertain", "No model.")
    assert unsure(reply, asked) == "No model. Closest words spoken at 00:00:10: “Guten Tag”."


def test_a_summary_of_a_moment_covers_what_was_searched_for_it() -> None:
    moment = TimeSpan(start=12, end=12)
    asked = query("speech", "summary", "What happens at 12 seconds?")
    asked = asked.model_copy(update={"scope": Scope(span=moment, point=True, named=True)})
    [call] = calls_for(asked, Gathered(window=TimeSpan(start=10, end=14)))
    assert call.arguments["timestamp"] == "10.000-14.000"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("person 1 of 1", "“person 1 of 1”."),
        ("at least 1: “person 1 of 1”", "at least 1: “person 1 of 1”."),
        ("It costs 9.", "“It costs 9.”"),
        ("Who sold it?", "“Who sold it?”"),
        ("at least 1: “Stop!”", "at least 1: “Stop!”"),
    ],
)
def test_the_closest_line_is_quoted_and_ended_once(text: str, shown: str) -> None:
    closest = Closest(text=text, start=1, end=2, modality="visual", video="v")
    asked = query("picture", "name", "Who?").model_copy(update={"options": ("Tom", "Nobody.")})
    assert unsure(Draft(status="uncertain", closest=(closest,)), asked).endswith(f": {shown}")
    assert unsure(Draft(status="uncertain", option="B"), asked) == "Probably B: Nobody."


def test_an_option_about_a_picture_that_nothing_examined_is_not_guessed() -> None:
    asked = query("picture", "list", "Which of these objects is not shown?")
    asked = asked.model_copy(update={"options": ("car", "bus"), "words": ("object", "shown")})
    reply = formed(asked, line("Wash the rice"))
    assert (reply.status, reply.option) == ("abstained", None)


@pytest.mark.parametrize(
    ("target", "question", "said", "end", "timed"),
    [
        ("time", "When is the market mentioned?", "The market is planned.", 15.0, True),
        ("time", "When is the market mentioned?", "The market is planned.", 99.0, False),
        ("time", "When is the market?", "The market is planned.", 15.0, False),
        ("duration", "How long is the market?", "The market lasts three hours.", 15.0, False),
    ],
)
def test_a_line_is_timed_if_that_is_asked_and_it_does_not_stay(
    target: Target, question: str, said: str, end: float, timed: bool
) -> None:
    reply = formed(query("speech", target, question), line(said, end=end))
    assert (f"{end} s" in reply.claims[0].text) == timed


@pytest.mark.parametrize(
    ("question", "offered"), [("How long does Ada speak?", True), ("How long is the bridge?", False)]
)
def test_how_often_somebody_speaks_is_offered_where_that_is_asked(question: str, offered: bool) -> None:
    spoken = line("Ada speaks 4 times, for 12 seconds in all.", start=40)
    counted = Candidate(evidence=spoken.evidence.model_copy(update={"engine": SPEAKERS}), line=spoken.line, cosine=0.5)
    shown = formed(query("speech", "duration", question), line("The bridge was built long ago."), counted)
    assert any("Ada speaks" in each.text for each in shown.closest) == offered


@pytest.mark.parametrize(("score", "offered"), [(3.0, True), (-3.0, False), (None, False)])
def test_what_reads_as_an_answer_is_offered_though_it_is_said_and_not_shown(score: float | None, offered: bool) -> None:
    asked = query("text", "quote", "Which error code does the machine show?")
    said = line("It shows the error code E 24.").model_copy(update={"score": score})
    shown = line("Part 12", start=40)
    shown = shown.model_copy(update={"evidence": shown.evidence.model_copy(update={"modality": "scene_text"})})
    assert any("E 24" in each.text for each in formed(asked, said, shown).closest) == offered


@pytest.mark.parametrize(("source", "first"), [("speech", "A storm came that night."), ("text", "Storm of 9 January")])
def test_of_what_has_the_very_words_what_is_said_or_shown_as_asked_comes_first(source: Source, first: str) -> None:
    asked = shared(query(source, "time", "").reading, "text" if source == "speech" else "speech", 0.3)
    when = query(source, "time", "When is the storm mentioned?").model_copy(
        update={"reading": asked, "words": ("storm",)}
    )
    said = line("A storm came that night.")
    shown = line("Storm of 9 January", start=40)
    shown = shown.model_copy(update={"evidence": shown.evidence.model_copy(update={"modality": "scene_text"})})
    assert formed(when, shown, said).closest[0].text == formed(when, said, shown).closest[0].text == first


def test_what_corrects_an_answer_is_quoted_with_it() -> None:
    asked = query("speech", "count", "How many spoons of sugar are in lemonade?")
    first, after = (line(text, start=start) for start, text in ((10, "Lemonade has nine."), (15, "No, it has seven.")))
    said = first.model_copy(update={"around": (*first.line, *after.line), "score": 5.0})
    assert "seven" in formed(asked, said).claims[0].text
    plain = said.model_copy(update={"around": (*first.line, *line("Cola has nine.", start=15).line)})
    assert "Cola" not in formed(asked, plain).claims[0].text


def test_that_the_transcript_does_not_tell_who_speaks_is_no_answer() -> None:
    item = line("The transcript doesn't say who speaks.").evidence
    fact = Fact(
        evidence=item.model_copy(update={"modality": "metadata"}), source="speech", targets=("name",), told=False
    )
    untold = Candidate(evidence=fact.evidence, line=(fact.evidence,), fact=fact)
    reply = formed(query("speech", "name", "Who speaks?"), untold, line("My name is Ada."))
    assert (reply.status, reply.text) == ("uncertain", fact.evidence.text)
    assert reply.closest[0].text == "My name is Ada."


@pytest.mark.parametrize(
    ("said", "cosine", "more", "outcome"),
    [
        ("It rained all day.", 0.1, {}, "abstained"),
        ("The game went four to two.", 0.5, {}, "uncertain"),
        ("The match ended four to two.", 0.1, {}, "uncertain"),  # has a word of the question
        ("It rained all day.", 0.1, {"refers_back": True, "earlier": ("Q: Who won the cup?\nA: Ada.",)}, "uncertain"),
        ("It rained all day.", 0.1, {"coverage": {"speech": 1.0}}, "uncertain"),  # nothing on screen was read
        ("It rained all day.", 0.1, {"scope": Scope(ordinal=0)}, "uncertain"),
        ("It rained all day.", 0.1, {"as_asked": "Wie ging das Spiel aus?"}, "uncertain"),
        ("It rained all day.", 0.1, {"as_asked": "¿Ganaron?"}, "uncertain"),
    ],
)
def test_what_no_line_is_near_is_not_said_or_written(
    said: str, cosine: float, more: dict[str, object], outcome: Outcome
) -> None:
    asked = query("speech", "number", "What was the score of the match?")
    asked = asked.model_copy(update={"coverage": {"speech": 1.0, "scene_text": 1.0}, **more})
    doubting = TRUSTING.model_copy(update={"as_read": always(SHIPPED.as_read, -10.0)})
    read = line(said).model_copy(update={"score": -11.0, "cosine": cosine})
    other = line("Nothing new.").model_copy(update={"score": -11.0, "cosine": 0.0})

    def formed_of(lines: Sequence[Candidate]) -> Draft:
        pairs = [(each, 0.1) for each in lines]
        return form(Findings(asked, pairs, doubting, (), lambda texts: np.ones((len(texts), 2), np.float32)))

    reply = formed_of([read, *[other] * 20])
    assert reply.status == outcome
    assert (reply.closest == ()) == (outcome == "abstained")
    assert formed_of([read]).status == "uncertain"  # the only line of a recording may be about anything


@pytest.mark.parametrize(
    ("question", "offered"),
    [("Is there music?", False), ("Does the recording come with sound?", True), ("Is there any sound?", True)],
)
def test_that_there_is_sound_is_offered_only_for_what_it_tells_of(question: str, offered: bool) -> None:
    there = line("There is sound: 1 audio track.").evidence.model_copy(update={"modality": "metadata"})
    asked = query("sound", "yesno", question)
    asked = asked.model_copy(update={"facts": (Fact(evidence=there, source="sound", targets=("yesno",)),)})
    found = candidates_of(asked, Gathered(), (), lambda texts: np.ones((len(texts), 2), np.float32))
    assert [each.text for each in found] == [there.text] * offered


@pytest.mark.parametrize(
    ("question", "any_language", "told"),
    [
        ("Wie ging das Spiel aus?", False, True),
        ("Wie ging das Spiel aus?", True, False),
        ("How did the match end?", False, False),
        ("match score", False, False),
    ],
)
def test_a_question_in_a_language_that_search_lacks_is_told_so(question: str, any_language: bool, told: bool) -> None:
    weights = TRUSTING.model_copy(
        update={"as_searched": always(SHIPPED.as_searched, -10.0), "any_language": any_language}
    )
    pairs = [(line("It rained all day."), 0.1)]
    asked = query("speech", "number", question)
    reply = form(Findings(asked, pairs, weights, (), lambda texts: np.ones((len(texts), 2), np.float32)))
    assert (reply.status, bool(reply.text)) == ("uncertain", told)


def test_a_question_is_quoted_with_its_reply() -> None:
    asked, reply = (
        line(text, start=start) for start, text in ((10, "Do you have a certificate?"), (15, "It ran out."))
    )
    both = Candidate(evidence=asked.evidence, line=(*asked.line, *reply.line), cosine=0.5, score=5.0)
    assert most_telling("Is there a certificate?", both, Echoing()).line == both.line


class Echoing:
    """A reranker that likes best what repeats the question."""

    id = "echo"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [len(stems(query) & stems(text)) - len(text.split()) / 100 for text in texts]
