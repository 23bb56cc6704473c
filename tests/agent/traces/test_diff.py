"""Two runs of a question beside each other."""

from __future__ import annotations

import pytest
from helpers.data.recorded import EVENTFUL, LISTEN, PRICE, PRICES, SEARCH, recorded
from helpers.servers.openai_server import says

from longtake.agent.traces.diff import Diff, diff_of, lines_of
from longtake.agent.traces.lenient_run import LenientRun
from longtake.errors import LibraryError
from longtake.preprocess.pipeline.workspace import Workspace

BEGINNING = ("transcribe_speech", {"timestamp": "00:00:00-00:00:02"})
ELSEWHERE = ("cross_modal_search", {"query": "the cost", "modalities": []})


def _calls(diff: Diff) -> list[tuple[str, str]]:
    pairs = [(pair.change, pair.after or pair.before) for pair in diff.calls]
    return [(change, step.tool or "") for change, step in pairs if step]


@pytest.fixture(scope="module")
def before(small_workspace: Workspace) -> LenientRun:
    return recorded(small_workspace, says(None, SEARCH, LISTEN), says(PRICE))


def test_a_run_does_not_differ_from_itself_nor_from_one_that_did_the_same(
    small_workspace: Workspace, before: LenientRun
) -> None:
    again = recorded(small_workspace, says(None, SEARCH, LISTEN), says(PRICE))
    for other in (before, again):
        diff = diff_of(before, other)
        assert _calls(diff) == [("same", "cross_modal_search"), ("same", "transcribe_speech")]
        assert (diff.answer_changed, diff.videos_changed, diff.cited_before, diff.cited_after) == (False, False, (), ())
        assert set(diff.settings) <= {"controller.base_url"}


def test_what_came_went_and_changed_is_told_apart(small_workspace: Workspace, before: LenientRun) -> None:
    after = recorded(small_workspace, says(None, BEGINNING, ELSEWHERE), says(None, ("nonsense", {})), says(PRICE))
    assert _calls(diff_of(before, after)) == [
        ("came", "transcribe_speech"),
        ("changed", "cross_modal_search"),
        ("went", "transcribe_speech"),
        ("came", "nonsense"),
    ]
    assert _calls(diff_of(after, before)) == [
        ("went", "transcribe_speech"),
        ("changed", "cross_modal_search"),
        ("went", "nonsense"),
        ("came", "transcribe_speech"),
    ]


def test_an_equal_call_stands_beside_its_equal_not_beside_one_that_is_alike(
    small_workspace: Workspace, before: LenientRun
) -> None:
    after = recorded(small_workspace, says(None, SEARCH, BEGINNING, LISTEN), says(PRICE))
    changes = _calls(diff_of(before, after))
    assert changes == [("same", "cross_modal_search"), ("came", "transcribe_speech"), ("same", "transcribe_speech")]


def test_an_answer_and_its_citations_that_changed_are_reported(small_workspace: Workspace, before: LenientRun) -> None:
    welcome = says("Welcome to the workshop [00:00:00].")
    after = recorded(small_workspace, says(None, LISTEN), welcome)
    diff = diff_of(before, after)
    assert (diff.before.status, diff.after.status, diff.answer_changed) == ("answered", "answered", True)
    assert [cited.quote for cited in diff.cited_before] == ["The blue kettle costs 249 dollars."]
    assert [cited.quote for cited in diff.cited_after] == ["Welcome to the workshop."]
    reported = list(lines_of(diff))
    assert "The answer changed:" in reported
    assert f"- {diff.answers[0]}" in reported
    assert "- cited: 00:00:04-00:00:06  speech  The blue kettle costs 249 dollars." in reported


def test_settings_that_differ_are_reported_without_a_password(small_workspace: Workspace, before: LenientRun) -> None:
    after = recorded(
        small_workspace,
        *EVENTFUL,
        settings=(*PRICES, "budget.rounds=7", "web.searxng_url=http://me:hunter22@127.0.0.1:1/"),
    )
    settings = diff_of(before, after).settings
    assert settings["budget.rounds"] == ("8", "7")
    assert settings["web.searxng_url"] == ("null", '"http://***@127.0.0.1:1/"')
    assert "controller.model" not in settings


def test_a_call_that_came_to_something_else_is_changed_though_it_was_asked_alike(
    small_workspace: Workspace, before: LenientRun
) -> None:
    after = recorded(small_workspace, says(None, SEARCH, LISTEN), says(PRICE), settings=("tools.timeout=0.000001",))
    diff = diff_of(before, after)
    assert ("changed", "transcribe_speech") in _calls(diff)
    (line,) = [line for line in lines_of(diff) if line.startswith("~ transcribe_speech")]
    assert "1 found -> failed (timeout: No result within 1e-06 s." in line


def test_runs_of_different_questions_are_not_compared(small_workspace: Workspace, before: LenientRun) -> None:
    other = recorded(small_workspace, says(PRICE), question="Which room is it?")
    with pytest.raises(LibraryError, match=r"was asked “What does the blue kettle cost\?” and .* “Which room is it\?”"):
        diff_of(before, other)
