"""Uncertain answers in the evaluation: a status of their own, whose letter is a choice like any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from helpers.unsure import QUESTION, TEXT, always_unsure

from longtake.agent.graph.agent import Agent
from longtake.evalharness.items import Item, Reply, Turn, Variant
from longtake.evalharness.judges.judging import reply_hash
from longtake.evalharness.scoring.choice_scores import choice_state
from longtake.evalharness.subjects.agent_subject import AgentSubject
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.memory.records import Answer, Option
from longtake.preprocess.pipeline.workspace import Workspace

OPTIONS = ("249 dollars", "12 dollars")


def asked_of(workspace: Workspace, *options: str) -> AskedTurn:
    turn = Turn(question=QUESTION, options=options, gold=0 if options else None)
    media = str(workspace.library.resolve("talk.mp4").path)
    form: Any = "choice" if options else "open"
    return AskedTurn(Item(suite="own", id="i", video="v", media=media, format=form, turns=(turn,)), 0, Variant(), 0, ())


@pytest.mark.parametrize("options", [(), OPTIONS])
def test_the_agent_replies_that_it_is_uncertain_and_its_letter_counts(
    small_workspace: Workspace, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    always_unsure(monkeypatch)
    leaning = AgentSubject("agent", small_workspace)
    ask: Callable[..., Answer] = Agent.ask
    option = Option(letter="A", text=OPTIONS[0]) if options else None
    monkeypatch.setattr(Agent, "ask", lambda *a, **k: ask(*a, **k).model_copy(update={"option": option}))
    reply = leaning.reply(asked_of(small_workspace, *options))
    assert (reply.text, reply.status, reply.uncertain, reply.abstained) == (TEXT, "ok", True, False)
    assert (reply.choice, reply.parse) == ((0, "ok") if options else (None, "none"))
    assert reply.cited == ()
    assert choice_state(reply) == ("ok" if options else "uncertain")


def test_an_uncertain_reply_has_a_hash_of_its_own_and_others_keep_theirs() -> None:
    assert reply_hash(Reply(text="A cup.")) == "ad295a0c8ebf"
    assert reply_hash(Reply(text="A cup.", uncertain=True)) != reply_hash(Reply(text="A cup."))
