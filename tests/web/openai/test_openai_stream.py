"""What a stream of the OpenAI-compatible endpoint sends while an answer is written, and after its check."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import openai
import pytest
from helpers.asking import endpoint_asker
from helpers.doubted import FIRST, NOT_SHOWN, QUESTION, REMARK, SECOND, doubted, doubted_script, doubting
from helpers.servers.openai_server import Reply, openai_server, says
from helpers.servers.web_server import web_server

from longtake.memory.records import Answer
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.event_feed import FeedEvent
from longtake.web.openai.openai_answers import CHECKED, CORRECTED, HELD, IN_FULL, Streamed

LONG = (
    "The blue kettle costs 249 dollars [00:00:04], " + "and so it was said again and again, " * 6 + "until it was sold."
)


def _streamed(workspace: Workspace, script: Sequence[Reply], *settings: str) -> list[tuple[float, Any]]:
    """The deltas, each with the seconds after which it came."""
    with openai_server(script, doubting) as endpoint:
        agent = endpoint_asker(workspace, endpoint.url, *settings)
        with web_server(workspace, agent=agent) as server:
            client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0, timeout=60)
            started, messages = time.monotonic(), [{"role": "user", "content": QUESTION}]
            chunks: Any = client.chat.completions.create(model="longtake", messages=messages, stream=True)  # type: ignore[call-overload] # plain dicts
            return [(time.monotonic() - started, chunk.choices[0].delta) for chunk in chunks]


def test_drafts_come_as_they_are_written_and_the_verdicts_last(small_workspace: Workspace) -> None:
    deltas = _streamed(small_workspace, doubted_script(pause=0.02))
    spoken = [(at, delta.content) for at, delta in deltas if delta.content]
    text = "".join(content for _, content in spoken)
    first, _, rest = text.partition(f"\n\n{CORRECTED}\n\n")
    assert first == FIRST
    second, _, verdicts = rest.partition(f"\n\n{CHECKED}\n")
    assert second == SECOND
    assert verdicts.startswith("- not shown: It was made in a small town in Norway,")
    assert NOT_SHOWN.rstrip(".") in verdicts
    assert REMARK not in text
    assert len(spoken) > 4
    assert spoken[-1][0] - spoken[0][0] > 0.5
    [annotations] = [delta.model_extra["annotations"] for _, delta in deltas if delta.model_extra]
    cited = annotations[0]["url_citation"]
    assert text[cited["start_index"] : cited["end_index"]] == "[00:00:04]"
    assert cited["start_index"] > text.index(CORRECTED)


@pytest.mark.parametrize(
    ("script", "settings"),
    [
        ([says(SECOND)], ()),  # an endpoint that doesn't stream
        (doubted_script(), ("verification.mode=strict",)),
    ],
    ids=["whole", "strict"],
)
def test_what_is_not_streamed_comes_once_with_its_marks(
    small_workspace: Workspace, script: Sequence[Reply], settings: tuple[str, ...]
) -> None:
    spoken = [delta.content for _, delta in _streamed(small_workspace, script, *settings) if delta.content]
    assert len(spoken) == 1
    assert ("[not shown]" in spoken[0]) is not bool(settings)


class _Fed:
    """A stream that is fed with events."""

    def __init__(self) -> None:
        self.streamed, self.sent = Streamed(), ""

    def text(self, draft: int, text: str) -> str:
        return self._take("text", draft=draft, text=text)

    def step(self, kind: str, *calls: str) -> str:
        return self._take("step", type=kind, calls=[{"tool": name} for name in calls])

    def end(self, text: str, **facts: Any) -> str:
        return self.streamed.end(Answer(question=QUESTION, status="answered", answer=text, **facts), {})

    def _take(self, kind: str, **data: Any) -> str:
        return self.streamed.take(FeedEvent(0, kind, data))


def test_a_remark_before_calls_is_not_sent_and_a_short_answer_is_sent_when_it_is_whole() -> None:
    fed = _Fed()
    assert fed.text(1, REMARK) == ""
    assert fed.step("model", "transcribe_speech") == ""
    assert fed.text(2, "Yes, ") + fed.text(2, "it does.") == ""
    assert fed.step("model", "answer") == "Yes, it does."
    assert fed.step("judge") == ""
    assert fed.end("Yes, it does.") == ""


def test_a_long_answer_is_sent_before_it_is_whole() -> None:
    fed = _Fed()
    assert len(LONG) > HELD
    assert fed.text(1, LONG) == LONG
    assert fed.text(1, " And more.") == " And more."
    assert fed.step("model") == ""


@pytest.mark.parametrize(
    ("written", "whole", "rest"),
    [
        (LONG, f"{LONG} (This rests on little.)", " (This rests on little.)"),
        ("The kettle costs 249 dollars.", "The kettle costs 249 dollars. [00:00:04]", " [00:00:04]"),
        (LONG[:200], LONG + LONG, f"\n\n{IN_FULL}\n\n{LONG}{LONG}"),
        ("It is blue.", "It is red.", f"\n\n{IN_FULL}\n\nIt is red."),
    ],
)  # fmt: skip
def test_what_the_text_lacked_is_added(written: str, whole: str, rest: str) -> None:
    fed = _Fed()
    fed.text(1, written)
    fed.step("model")
    assert fed.end(whole) == rest


def test_every_doubted_statement_is_listed_with_its_reason() -> None:
    fed, answer = _Fed(), doubted()
    fed.text(1, "The blue kettle costs 249 dollars [00:00:04]. The red one costs 249. It is big. Hm.")
    fed.step("model")
    assert fed.streamed.end(answer, {}) == (
        f"\n\n{CHECKED}\n- contradicted: The red one costs 249. (It is the blue one) [00:00:04]"
        "\n- not shown: It is big. (No size is told)"
    )
