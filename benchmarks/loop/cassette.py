"""Records what a model replies, or replays it.

A cassette has one line for each question: the question, and the replies of the controller, the judge and the vision
model in order. Ids of moments stand in it as places (`{00:27.0-00:40.0 on screen}`) and verdicts beside the statements
that they judge, so that a cassette outlives changes of the prompts.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import httpx
from pydantic import BaseModel, ConfigDict, Field

from longtake.benchmarks.loop.endpoint import Body, Role
from longtake.memory.timespan import parse_time

_LINE = re.compile(r"^(m\d+) \[([^\]]+)\] ([a-z ]+?)(?: \(recognised poorly\))?: ", re.MULTILINE)
_START = re.compile(r"(\d[\d:.]*)-")
_ID = re.compile(r"\bm\d+\b")
_PLACE = re.compile(r"\{((?:[^{}]* )?[\d:.]+-[\d:.]+) ([a-z ]+)\}")
_STATEMENT = re.compile(r'^(\d+)\. (".*") cites ', re.MULTILINE)
_TELLING = 1_500  # letters of a request that tell it from others
_LIKE = 0.8  # likeness from which a statement is the one that was judged
_LONGEST_WAIT = 3_000.0  # seconds for a reply, which a person may write


class Recorded(BaseModel):
    """One reply: who gave it, its message, and for a judge the statements that it judged."""

    model_config = ConfigDict(frozen=True)

    role: Role
    message: dict[str, Any]
    judged: tuple[str, ...] = ()
    asked: str = Field(default="", description="Of a vision model, whose requests come in any order: what was asked.")


class Question(BaseModel):
    """A question with what a right answer says: one of the spellings of every part, or that nothing tells."""

    model_config = ConfigDict(frozen=True)

    id: str
    video: str
    question: str
    options: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    abstain: bool = False
    replies: tuple[Recorded, ...] = Field(default=(), description="Of a cassette.")


class Player:
    """Replays the replies of one question after the other."""

    def __init__(self) -> None:
        self.requests: list[tuple[Role, Body]] = []
        self._waiting: dict[Role, deque[Recorded]] = defaultdict(deque)

    def load(self, question: Question) -> None:
        """Begin a question."""
        self.requests.clear()
        self._waiting.clear()
        for reply in question.replies:
            self._waiting[reply.role].append(reply)

    def __call__(self, role: Role, request: Body) -> Body:
        """The message for a request; an empty one when the cassette has no more."""
        self.requests.append((role, request))
        if not self._waiting[role]:
            return {"role": "assistant", "content": ""}
        reply = self._next(role, request)
        message = json.loads(_to_ids(json.dumps(reply.message, ensure_ascii=False), request))
        if role == "judge":
            message["content"] = _verdicts_for(request, message["content"], reply.judged)
        return dict(message)

    def _next(self, role: Role, request: Body) -> Recorded:
        """The next reply of a role; of a vision model, that to the request which is most like this one."""
        waiting = self._waiting[role]
        asked = _asked(request)
        like = [SequenceMatcher(None, reply.asked, asked, autojunk=False).ratio() for reply in waiting]
        reply = waiting[like.index(max(like))] if role == "vision" else waiting[0]
        waiting.remove(reply)
        return reply


class Recorder:
    """Passes requests on to an OpenAI-compatible endpoint, and keeps the replies."""

    def __init__(self, url: str, key: str | None) -> None:
        self.requests: list[tuple[Role, Body]] = []
        self.replies: list[Recorded] = []
        self._client = httpx.Client(timeout=_LONGEST_WAIT, headers={"Authorization": f"Bearer {key}"} if key else {})
        self._address = f"{url}/chat/completions"

    def load(self, question: Question) -> None:
        """Begin a question."""
        self.requests.clear()
        self.replies.clear()

    def __call__(self, role: Role, request: Body) -> Body:
        """The message for a request."""
        self.requests.append((role, request))
        answered = self._client.post(self._address, json=request).raise_for_status()
        message = dict(answered.json()["choices"][0]["message"])
        kept = json.loads(_to_places(json.dumps(message, ensure_ascii=False), request))
        asked = _asked(request) if role == "vision" else ""
        self.replies.append(Recorded(role=role, message=kept, judged=tuple(_statements(request)), asked=asked))
        return message


def moments_in(request: Body) -> dict[str, str]:
    """The moments that a request shows: place and kind, by id."""
    text = "\n".join(_text(message) for message in request["messages"])
    return {identity: f"{place} {kind}" for identity, place, kind in _LINE.findall(text)}


def _to_places(text: str, request: Body) -> str:
    known = moments_in(request)
    return _ID.sub(lambda match: "{" + known[match[0]] + "}" if match[0] in known else match[0], text)


def _to_ids(text: str, request: Body) -> str:
    known = {place: identity for identity, place in moments_in(request).items()}
    return _PLACE.sub(lambda match: known.get(f"{match[1]} {match[2]}") or _nearest(match, known) or "m0", text)


def _nearest(match: re.Match[str], known: Mapping[str, str]) -> str | None:
    """The moment of the same kind that lies nearest, if moments are cut differently today."""
    start = start_of(match[1])
    same = [(abs(start_of(place) - start), name) for place, name in known.items() if place.endswith(match[2])]
    return min(same)[1] if same else None


def start_of(place: str) -> float:
    """The seconds at which a place begins, as moments are shown: `00:27.0-00:40.0 on screen`."""
    found = _START.search(place)
    return parse_time(found[1]) if found else 0.0


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part.get("text", "") if isinstance(part, dict) else part for part in parts)


def _asked(request: Body) -> str:
    """The words of a request's last message, as far as they tell it from others."""
    return _text(request["messages"][-1])[:_TELLING]


def _statements(request: Body) -> list[str]:
    """The statements that a judge is asked about."""
    return [json.loads(text) for _, text in _STATEMENT.findall(_text(request["messages"][-1]))]


def _verdicts_for(request: Body, reply: str, judged: Sequence[str]) -> str:
    """A judge's reply with the numbers that its statements have today; what it never judged isn't shown."""
    try:
        told = json.loads(reply)
        verdicts = {judged[item["n"] - 1]: item for item in told["claims"]}
    except (ValueError, LookupError, TypeError):
        return reply  # nonsense is replayed as it was
    claims = []
    for number, text in enumerate(_statements(request), 1):
        near = max(verdicts, key=lambda known: SequenceMatcher(None, known, text).ratio(), default="")
        like = SequenceMatcher(None, near, text).ratio() >= _LIKE
        unknown = {"reason": "The cassette has no verdict on this.", "verdict": "not_shown", "answers": False}
        claims.append({**(verdicts[near] if like else unknown), "n": number})
    return json.dumps({**told, "claims": claims}, ensure_ascii=False)
