"""A benchmark built from small videos by a scripted model."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.building import asked_of, build, model_at, rows
from helpers.command import longtake
from helpers.eval_command import eval_
from helpers.libraries import copied
from helpers.media.clips import flat, write_clip, written
from helpers.media.small_video import write_small_video
from helpers.models.builder import builds, prompt_of, turns_in
from helpers.servers.openai_server import Endpoint, Reply, openai_server, refuses

from longtake.console import EXIT_FAILED, EXIT_PARTIAL
from longtake.evalharness.building import longshot
from longtake.evalharness.building.longshot import LEVELS, MEANINGS, alike, levels_of
from longtake.evalharness.suites.agentic import load_agentic
from longtake.evalharness.suites.longshot import TASKS, load_longshot
from longtake.preprocess.pipeline.workspace import Workspace

# One video of eight seconds is one segment. One viewer has two tasks, each with a single question and a conversation:
# four items with 2 * (1 + 3) = 8 questions.
WHOLE = Counter(fused=1, scenarios=1, tasks=1, questions=2, answers=4, verdicts=8, guesses=4, rubrics=4, calls=4)
FIRST = "information_retrieval"  # of the two tasks


@pytest.fixture
def place(own_workspace: Workspace) -> Path:
    """A folder with the library of the small video, and the video."""
    return own_workspace.library.root


def built(place: Path, model: Callable[[dict[str, Any]], Reply], *options: object) -> tuple[int, str, Endpoint]:
    """The exit code of a build of the small video, what it printed, and who was asked."""
    with openai_server([model]) as endpoint:
        done = build(endpoint, place, place / "talk.mp4", "--out", place / "set", *options)
    return done.code, done.stdout + done.stderr, endpoint


def test_a_set_is_built_whole_and_runs_in_the_harness(place: Path) -> None:
    code, printed, endpoint = built(place, builds())
    assert code == 0, printed
    assert Counter(asked_of(endpoint)) == WHOLE
    assert "4 items with 8 questions; 4 items with tool calls, 0 questions answered without the video, 0" in printed
    made = rows(place / "set/items.jsonl")
    assert [(row["sample_id"], row["sample_type"], row["task"]) for row in made] == [
        ("talk_s0_t0_single", "single_turn", FIRST),
        ("talk_s0_t0_conversation", "multi_turn", FIRST),
        ("talk_s0_t1_single", "single_turn", "summarization"),
        ("talk_s0_t1_conversation", "multi_turn", "summarization"),
    ]
    question, answer = made[0]["conversations"]
    single, conversation = levels_of("talk", 0)
    assert (question["difficulty"], question["modalities"], question["key_segments"]) == (single, ["speech"], [0])
    assert question["key_spans"] == [[0.0, 8.0]]
    assert [one["weight"] for one in answer["criteria"]] == [5.0, 1.0, -5.0]
    assert [one["is_penalty"] for one in answer["criteria"]] == [False, False, True]
    asked = [turn for turn in made[1]["conversations"] if turn["role"] == "user"]
    assert [turn["difficulty"] for turn in asked] == [*conversation]
    assert [turn["conversation_role"] for turn in asked] == ["opener", "deepener", "synthesizer"]

    remarks: list[str] = []
    items = load_longshot(place / "set/items.jsonl", place, remarks.append)
    assert (len(items), remarks) == (4, [])
    assert items[0].media == str(place / "talk.mp4")
    agentic = load_agentic(place / "set/agentic.jsonl", place, remarks.append)
    assert [turn.calls[0].tool for turn in agentic[0].turns] == ["transcribe_speech"]
    assert len(agentic[0].tools) == 16
    run = place / "run"
    where = ("--media", place, "--out", run, "--subject", "random")
    assert eval_("run", place / "set/items.jsonl", "--suite", "longshot", *where)[0] == 0
    assert eval_("judge", run, "--by", "rules")[0] == 0
    assert eval_("score", run)[0] == 0


def test_a_prompt_has_each_note_of_the_index_once_and_names_no_input_that_it_does_not_list(place: Path) -> None:
    _, _, endpoint = built(place, builds())
    prompts = [prompt_of(request) for request in endpoint.requests]
    # The three turns of a conversation rest on the same segment; checks, rubrics and calls are told what it holds.
    told = [prompt for prompt in prompts if len(turns_in(prompt)) == 3 and "249 dollars" in prompt]
    assert [prompt.count("249 dollars") for prompt in told] == [1] * 6
    tools = [json.loads(line) for line in told[-1].splitlines() if line.startswith('{"tool"')]
    named = {tool["tool"]: set(re.findall(r"`(\w+)`", tool["does"])) - tool["inputs"].keys() for tool in tools}
    assert {name: inputs for name, inputs in named.items() if inputs} == {}
    assert len(tools) == 16


def test_the_card_tells_what_a_set_is_made_of(place: Path) -> None:
    built(place, builds())
    card = json.loads((place / "set/card.json").read_text())
    assert (card["items"], card["turns"], card["agentic"], card["blind"], card["dropped"]) == (4, 8, 4, 0, {})
    assert card["categories"] == {"core_perception": 0, "reasoning": 0, "information": 4, "multimodal": 0}
    assert card["modalities"] == {"speech": 2, "visual": 6}
    assert sum(card["difficulties"].values()) == 8
    assert card["building"]["model"] == "scripted"
    # The server tells 100 tokens in and 20 out of each of the 29 requests; nobody knows its price.
    spent = card["building"]["spent"].values()
    assert sum(stage["calls"] for stage in spent) == WHOLE.total() == 29
    assert (sum(stage["input_tokens"] for stage in spent), sum(stage["output_tokens"] for stage in spent)) == (
        2900,
        580,
    )
    assert card["building"]["cost"] is None
    assert "Cost: unknown." in (place / "set/card.md").read_text()


def test_a_price_in_the_settings_makes_the_cost_known(place: Path) -> None:
    with openai_server([builds()]) as endpoint:
        settings = ("--set", "controller.price={input: 2, output: 10}")
        command = ("eval", "build", "longshot", place / "talk.mp4", "--out", place / "set", "--json")
        done = longtake(*model_at(endpoint), *settings, *command, library=place)
    # 2,900 tokens at 2 and 580 at 10 dollars per million: 0.0058 each.
    assert json.loads(done.stdout)["building"]["cost"] == pytest.approx(0.0116)


def test_a_build_that_stops_goes_on_and_asks_nothing_twice(place: Path) -> None:
    whole, left = builds(), [20]

    def dies(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            left[0] -= 1
            if left[0] < 0:
                return refuses(400, "out of credit")
        return whole(request)

    code, printed, endpoint = built(place, dies)
    assert code == EXIT_FAILED
    assert "out of credit" in printed
    assert len(asked_of(endpoint)) == 20 + 3  # three failures in a row end it
    assert not (place / "set/items.jsonl").exists()
    with (place / "set/stages/support.jsonl").open("a") as stream:
        stream.write('{"of": "talk_s0')  # as a killed process leaves it
    code, printed, endpoint = built(place, whole)
    assert code == 0, printed
    assert len(asked_of(endpoint)) == WHOLE.total() - 20
    code, _, endpoint = built(place, whole)
    assert (code, asked_of(endpoint)) == (0, [])


def test_an_endpoint_that_is_down_leaves_the_set_as_it_was(place: Path) -> None:
    built(place, builds())
    before = (place / "set/items.jsonl").read_text()
    with openai_server([builds()]) as endpoint:
        pass
    # Of one segment, only the description and the viewers can be asked about: two failures.
    done = build(endpoint, place, place / "talk.mp4", "--out", place / "set", model="another")
    assert done.code == EXIT_FAILED
    assert "can't be reached" in done.stderr
    assert (place / "set/items.jsonl").read_text() == before


def test_only_what_depends_on_a_change_is_made_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(place, builds())
    # The meaning of one task is told as the tasks are chosen, and as its questions are written. They are the same as
    # before, and so nothing else is asked.
    monkeypatch.setattr(longshot, "MEANINGS", MEANINGS)
    monkeypatch.setitem(MEANINGS, FIRST, "one detail")  # type: ignore[index]
    _, _, endpoint = built(place, builds())
    assert asked_of(endpoint) == ["tasks", "questions"]

    def answers(prompt: str) -> Any:
        if "alone" in prompt and FIRST in prompt:
            return {"turns": [{"answerable": True, "answer": "Another.", "segments": [0]}]}
        return None

    (place / "set/stages/answers.jsonl").unlink()
    _, _, endpoint = built(place, builds(answers=answers))
    # Four answers; the one that changed is checked, guessed at (as before), compared, and gets its rubric and calls.
    assert asked_of(endpoint) == [*["answers"] * 4, "verdicts", "verdicts", "rubrics", "calls"]
    with openai_server([builds()]) as endpoint:
        build(endpoint, place, place / "talk.mp4", "--out", place / "set", model="another")
    assert Counter(asked_of(endpoint)) == WHOLE


def test_pictures_are_described_once_and_what_follows_is_made_again(place: Path) -> None:
    built(place, builds())
    with openai_server([builds()]) as endpoint:
        seen = ("--set", f"captions.base_url={endpoint.url}", "--set", "captions.model=seer")
        command = ("eval", "build", "longshot", place / "talk.mp4", "--out", place / "set")
        done = longtake(*model_at(endpoint), *seen, *command, library=place)
        assert done.code == 0, done.stderr
        described = [one for one in endpoint.requests if one["model"] == "seer"]
        assert len(described) == 1  # one segment
        # It is told as the modalities are brought together, and as evidence of each item: to the check, for the rubric
        # and for the calls. Questions, answers and guesses stay.
        again = Counter(fused=1, verdicts=4, rubrics=4, calls=4)
        assert Counter(asked_of(endpoint)) == again
        (fusion,) = [one for one in endpoint.requests if "Below are consecutive segments" in str(one["messages"])]
        assert '"seen": "A talk Somebody talks."' in fusion["messages"][0]["content"]
        assert longtake(*model_at(endpoint), *seen, *command, library=place).code == 0
        assert Counter(asked_of(endpoint)) == again
        assert len([one for one in endpoint.requests if one["model"] == "seer"]) == 1
    (video,) = json.loads((place / "set/card.json").read_text())["building"]["videos"]
    assert "seer" in video["engines"]["captions"]


def only_first(made: Any) -> Callable[[str], Any]:
    """What is made of the prompts about the single question of the first task."""
    return lambda prompt: made if f"Which {FIRST} is alone?" in prompt or f"the kind {FIRST}" in prompt else None


def rubric(**line: str) -> dict[str, Any]:
    high = {"name": "fact", "description": "States the fact.", "category": "high_priority"}
    return {"turns": [{"criteria": [high, {"name": "other", "category": "penalty", "description": "", **line}]}]}


def calls(tool: str, **arguments: str) -> dict[str, Any]:
    given = [{"name": name, "value": value} for name, value in arguments.items()]
    return {"turns": [{"calls": [{"tool": tool, "arguments": given, "returns": "x"}]}]}


def asks(question: str, level: int = 1) -> dict[str, Any]:
    """A single question of level 1 and a conversation that begins with a question; no opener is asked for above 3."""
    plain = {"difficulty": 1, "modalities": ["speech"]}
    opener = {**plain, "question": question, "difficulty": level, "role": "opener"}
    return {
        "single": {**plain, "question": "What costs 5?"},
        "conversation": [opener, {**plain, "question": "Why?", "role": "deepener"}],
    }


ANSWERED = {"answerable": True, "answer": "So.", "segments": [0]}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("form", "made", "items", "agentic", "why"),
    [
        ("questions", "I'd rather not talk about this.", 2, 2, "questions: 1 of 2 requests had no usable reply"),
        ("questions", '{"single": {"question": "Wh', 2, 2, "single.difficulty: Field required"),
        ("questions", {"single": {}, "conversation": []}, 2, 2, "single.question: Field required"),
        ("answers", {"turns": [ANSWERED, ANSWERED]}, 3, 3, "it has 2 turns, and 1 are asked for"),
        ("answers", {"turns": [ANSWERED | {"segments": [9]}]}, 3, 3, "there is no segment 9"),
        ("answers", {"turns": [ANSWERED | {"answer": " "}]}, 3, 3, "needs an answer and its segments"),
        ("rubrics", rubric(description="Names another."), 3, 3, 'a penalty begins with "Must not"'),
        (
            "rubrics",
            rubric(description="Must not err.", category="low_priority"),
            3,
            3,
            "nothing else is a prohibition",
        ),
        ("questions", asks("And doesn't it cost too much?"), 2, 2, "is answered by yes or no"),
        ("questions", asks("What costs 5, according to the video?"), 2, 2, "says 'according to the video'"),
        ("questions", asks("Who?", level=4), 2, 2, "'Who?' has difficulty 4, and"),
        ("calls", calls("fly"), 4, 3, "there is no tool fly"),
        ("calls", calls("transcribe_speech"), 4, 3, "The argument 'timestamp' is missing"),
        ("calls", calls("transcribe_speech", timestamp="0:50-0:55"), 4, 3, "is outside the video"),
        ("calls", calls("calculator", expression="two and"), 4, 3, "isn't arithmetic"),
    ],
)
def test_a_useless_reply_costs_that_record_only(
    place: Path, form: str, made: Any, items: int, agentic: int, why: str
) -> None:
    code, printed, endpoint = built(place, builds(**{form: only_first(made)}))
    assert code == EXIT_PARTIAL
    assert why in printed
    # Asked three times, the faults told; of a question, only those of its task.
    (lost,) = rows(place / "set/dropped.jsonl")
    again = [one for one in endpoint.requests if len(one["messages"]) == 3]
    assert len(again) == 2
    assert "This can't be used: " in again[0]["messages"][2]["content"]
    assert (len(rows(place / "set/items.jsonl")), len(rows(place / "set/agentic.jsonl"))) == (items, agentic)
    assert lost["stage"] == form
    code, _, endpoint = built(place, builds())
    assert (code, asked_of(endpoint)) == (EXIT_PARTIAL, [])  # told again, and not asked
    code, _, endpoint = built(place, builds(), "--retry-errors")
    assert code == 0
    assert len(rows(place / "set/items.jsonl")) == 4


def test_a_mended_reply_counts(place: Path) -> None:
    tries = iter(["nonsense", 'Here you are:\n```json\n{"scenarios": [{"viewer": "Me.", "wants": "all"}]}\n```'])
    code, _, _ = built(place, builds(scenarios=lambda prompt: next(tries)))
    assert code == 0
    assert rows(place / "set/items.jsonl")[0]["scenario"] == "Me: all"
    assert rows(place / "set/stages/scenarios.jsonl")[0]["calls"] == 2


def test_a_reply_that_breaks_a_newer_rule_is_asked_for_again(place: Path) -> None:
    built(place, builds())
    kept = place / "set/stages/questions.jsonl"
    kept.write_text(kept.read_text().replace(f"Which {FIRST} is alone?", "Is it alone?"))
    assert "questions 1" in built(place, builds(), "--dry-run")[1]
    code, _, endpoint = built(place, builds())
    # The second time as at first: what follows is there already.
    assert (code, asked_of(endpoint)) == (0, ["questions"])


@pytest.mark.parametrize("written", ["['person', 'red circle']", '["person", "red circle"]', "person, red circle"])
def test_a_list_is_read_however_it_is_written(place: Path, written: str) -> None:
    wanted = calls("object_detection", timestamp="00:00:01-00:00:03", categories=written)
    code, printed, _ = built(place, builds(calls=only_first(wanted)))
    assert code == 0, printed
    (call,) = rows(place / "set/agentic.jsonl")[0]["conversations"][1]["tool_calls"]
    assert call["parameters"] == {"timestamp": "00:00:01-00:00:03", "categories": ["person", "red circle"]}


def test_segments_whose_description_is_useless_keep_what_the_index_has(place: Path) -> None:
    code, _, endpoint = built(place, builds(fused=lambda prompt: {"segments": []}))
    assert code == EXIT_PARTIAL
    assert rows(place / "set/dropped.jsonl")[0]["why"].startswith("none of 3 replies can be used: segment 0 is missing")
    asked = next(one for one in endpoint.requests if "Who would watch" in str(one["messages"]))
    assert "The blue kettle costs 249 dollars." in asked["messages"][0]["content"]
    assert len(rows(place / "set/items.jsonl")) == 4


def test_a_video_too_long_for_the_model_is_cut_and_told(place: Path) -> None:
    long = {"segments": [{"segment": 0, "text": "word " * 400}]}
    with openai_server([builds(fused=lambda prompt: long)]) as endpoint:
        command = ("eval", "build", "longshot", place / "talk.mp4", "--out", place / "set")
        done = longtake(*model_at(endpoint), "--set", "controller.context=512", *command, library=place)
    # Half of 512 tokens at four letters each are 1,024 letters, all for the only segment.
    assert done.code == EXIT_PARTIAL
    assert "talk: the model is told 1024 letters of each segment" in done.stderr
    asked = next(one for one in endpoint.requests if "Who would watch" in str(one["messages"]))
    (told,) = [line for line in asked["messages"][0]["content"].splitlines() if line.startswith('{"segment": 0')]
    assert json.loads(told)["text"] == ("word " * 205)[:1023] + "…"


def test_repeated_unshown_and_guessable_questions(place: Path) -> None:
    def verdicts(prompt: str) -> Any:
        turns = turns_in(prompt)
        if "Notes:" in prompt:  # of a conversation, the last turn isn't shown; of the second task's, the second
            shown = 1 if "summarization" in prompt else 2
            return {"turns": [{"reason": "no", "verdict": number < shown} for number in range(len(turns))]}
        return {"turns": [{"reason": "", "verdict": number == 0} for number in range(len(turns))]}

    def questions(prompt: str) -> Any:
        same = {"question": f"Which {FIRST} is alone?", "difficulty": 1, "modalities": ["audio"]}
        roles = ("opener", "deepener", "challenger")
        conversation = [{**same, "question": f"And what of summarization {role}?", "role": role} for role in roles]
        return None if f"the kind {FIRST}" in prompt else {"single": same, "conversation": conversation}

    code, printed, _ = built(place, builds(verdicts=verdicts, questions=questions))
    assert code == 0, printed
    made = {row["sample_id"]: row["conversations"] for row in rows(place / "set/items.jsonl")}
    assert {name: len(said) // 2 for name, said in made.items()} == {
        "talk_s0_t0_single": 1,
        "talk_s0_t0_conversation": 2,
    }
    assert [turn["answerable_blind"] for turn in made["talk_s0_t0_conversation"][::2]] == [True, False]
    assert [(one["of"], one["stage"], one["why"]) for one in rows(place / "set/dropped.jsonl")] == [
        ("talk_s0_t1_single", "duplicates", f"it asks what talk_s0_t0_single asks: 'Which {FIRST} is alone?'"),
        ("talk_s0_t0_conversation", "support", "turn 3 isn't shown: no; the turns before it stay"),
        ("talk_s0_t1_conversation", "support", "turn 2 isn't shown: no"),
    ]
    card = json.loads((place / "set/card.json").read_text())
    assert (card["blind"], card["dropped"], card["partly"]) == (2, {"duplicates": 1, "support": 1}, {"support": 1})
    page = (place / "set/card.md").read_text()
    assert "| support | 1 | 1 | talk_s0_t0_conversation: turn 3 isn't shown: no; the turns before it stay |" in page
    # Three questions, of which the model made up none of a level above: 3 are left, as the two of the conversation keep
    # the levels that were asked for.
    single, (opener, deepener, _) = levels_of("talk", 0)
    assert {int(level): count for level, count in card["difficulties"].items() if count} == Counter(
        (single, opener, deepener)
    )
    assert f"| {single} | 1 | 33 % |" in page


def test_what_cannot_be_answered_goes(place: Path) -> None:
    def answers(prompt: str) -> Any:
        lacking = {"answerable": False, "answer": "the price is never told", "segments": []}
        return {"turns": [lacking]} if len(turns_in(prompt)) == 1 else None

    code, _, _ = built(place, builds(answers=answers))
    assert code == 0
    assert [row["sample_type"] for row in rows(place / "set/items.jsonl")] == ["multi_turn", "multi_turn"]
    lost = rows(place / "set/dropped.jsonl")
    assert [one["why"] for one in lost] == ["turn 1 can't be answered from the video: the price is never told"] * 2


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("What does the blue kettle cost?", "How much does the blue kettle cost?", True),
        ("What does the blue kettle cost?", "What do the blue kettles cost?", True),
        ("What does the blue kettle cost?", "What does the red kettle cost?", False),
        ("Why?", "Why?", True),
    ],
)
def test_questions_repeat_each_other_by_their_words(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same


def test_a_dry_run_tells_what_would_be_asked_and_writes_nothing(place: Path) -> None:
    code, printed, endpoint = built(place, builds(), "--dry-run", "--json")
    assert (code, asked_of(endpoint), (place / "set").exists()) == (0, [], False)
    # At most three viewers with two tasks each: 6 requests for questions, and 12 items.
    told = json.loads(printed)
    assert told["calls"] == {"fusion": 1, "scenarios": 1, "tasks": 1, "questions": 6} | dict.fromkeys(
        ("answers", "support", "guesses", "blind", "rubrics", "calls"), 12
    )
    built(place, builds())
    assert "nothing would be asked" in built(place, builds(), "--dry-run")[1]
    (place / "set/stages/rubrics.jsonl").unlink()
    # Without its rubric an item gets no calls; the calls are there, but nobody can know that before.
    _, printed, _ = built(place, builds(), "--dry-run", "--json")
    assert {name: count for name, count in json.loads(printed)["calls"].items() if count} == {"rubrics": 4, "calls": 4}


@pytest.mark.slow
def test_the_demo_video_whole(demo_workspace: Workspace, demo_video: Path, tmp_path: Path) -> None:
    library = copied(demo_workspace, tmp_path / "library")
    with openai_server([builds()]) as endpoint:
        done = build(endpoint, library, demo_video, "--out", tmp_path / "set")
    assert done.code == 0, done.stderr
    # Thirteen segments, of which eight are described at a time; else as for one.
    assert Counter(asked_of(endpoint)) == WHOLE + Counter(fused=1)
    (video,) = json.loads((tmp_path / "set/card.json").read_text())["building"]["videos"]
    assert video["segments"] == 13
    told = next(one for one in endpoint.requests if "Who would watch" in str(one["messages"]))["messages"][0]["content"]
    assert [f'"text": "Scene {number}."' in told for number in range(13)] == [True] * 13


@pytest.mark.nightly
def test_two_videos_and_one_joined_of_both(tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    clips.mkdir()
    write_small_video(clips / "talk.mp4")
    pictures = [written(flat((60, 30, 10), 640, 360), f"ROOM {number}", (120, 190), 2.0) for number in (4417, 214)]
    write_clip(
        clips / "joined.mp4",
        [pictures[number // 100] for number in range(200)],
        times=lambda n: n / 5,
        sound_seconds=40,
    )
    with openai_server([builds()]) as endpoint:
        done = build(endpoint, tmp_path / "library", clips, "--out", tmp_path / "set")
        assert done.code == 0, done.stderr
        made = rows(tmp_path / "set/items.jsonl")
        assert Counter(row["video_id"] for row in made) == {"talk": 4, "joined": 4}
        (card,) = [json.loads((tmp_path / "set/card.json").read_text())["building"]["videos"]]
        assert {each["video"]: each["segments"] > 1 for each in card} == {"talk": False, "joined": True}
        assert f"--media {clips}" in done.stdout
        # A broken file is left out, and told.
        (clips / "broken.mp4").write_bytes(b"no video")
        done = build(endpoint, tmp_path / "library", clips, "--out", tmp_path / "set")
        assert done.code == EXIT_PARTIAL
        assert "broken.mp4" in done.stderr
        other = tmp_path / "other"
        other.mkdir()
        write_small_video(other / "talk.mkv")
        done = build(endpoint, tmp_path / "library", clips, other, "--out", tmp_path / "set")
        assert done.code == EXIT_FAILED
        assert "have one name" in done.stderr


def test_a_build_needs_a_language_model(place: Path) -> None:
    done = longtake("eval", "build", "longshot", place / "talk.mp4", "--out", place / "set", library=place)
    assert done.code == EXIT_FAILED
    assert "needs a language model at an endpoint" in done.stderr
    assert not (place / "set").exists()


def test_the_levels_have_the_mix_of_the_paper() -> None:
    levels = Counter(level for single, conversation in LEVELS for level in (single, *conversation))
    # Section 3.2: up to 15 % of levels 1 and 2, 25 to 30 % of 3, 35 to 40 % of 4, 25 to 30 % of 5; of 20: 3, 5, 7, 5.
    assert (levels[1] + levels[2], levels[3], levels[4], levels[5]) == (3, 5, 7, 5)
    assert {levels_of("talk", place) for place in range(5)} == set(LEVELS)
    assert set(MEANINGS) == set(TASKS)
