"""The OpenAI-compatible endpoint: `/v1/models` and `/v1/chat/completions`, for existing clients.

A question asked here belongs to no thread: its messages are its conversation, and it is stopped when its client
disconnects. A stream sends what a language model writes as it writes it, then what the check has found; until then,
comments keep it open.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from longtake.errors import LongtakeError
from longtake.memory.layers import canonical_json
from longtake.memory.records import Answer, Record
from longtake.web.event_feed import EventStream, FeedEvent
from longtake.web.http.described import content
from longtake.web.http.refusals import Refusal, openai_error
from longtake.web.openai.openai_answers import Completion, Streamed, chunk, cited, completion, usage_chunk
from longtake.web.openai.openai_messages import MODEL, ChatRequest, asked_by, no_model
from longtake.web.runs import QuestionForm
from longtake.web.service import Served, Service

_TICK = 1.0  # seconds between two checks of indexing and of the client's connection
_GONE = 499  # nginx's status for a request whose client disconnected
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": Completion, **content("text/event-stream", what="The answer, or its chunks.")[200]}
}

router = APIRouter(prefix="/v1", tags=["openai"])


class Model(Record):
    """An available model."""

    id: Literal["longtake"] = MODEL
    object: Literal["model"] = "model"
    created: Literal[0] = 0
    owned_by: Literal["longtake"] = "longtake"


class ModelList(Record):
    """The available models: one."""

    object: Literal["list"] = "list"
    data: tuple[Model] = (Model(),)


@router.get("/models")
def models() -> ModelList:
    """The one model."""
    return ModelList()


@router.get("/models/{model}")
def show_model(model: str) -> Model:
    """The one model, if that is asked for."""
    if model != MODEL:
        raise no_model(model)
    return Model()


@router.post("/chat/completions", responses=_ANSWERS)
async def complete(body: ChatRequest, request: Request, service: Served) -> Response:
    """Answer the last message about the videos of the conversation; videos are indexed first if necessary."""
    asked = await run_in_threadpool(asked_by, body, service)
    head = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time())}
    if body.stream:
        with_usage = bool(body.stream_options and body.stream_options.include_usage)
        return EventStream(_stream(asked, service, head, with_usage=with_usage))
    async with aclosing(_run(asked, service)) as waiting:
        async for answer in waiting:
            if isinstance(answer, Answer):
                return JSONResponse(completion(answer, _names(asked, service), head).model_dump(mode="json"))
            if await request.is_disconnected():
                break
    return Response(status_code=_GONE)


async def _stream(
    asked: QuestionForm, service: Service, head: dict[str, Any], *, with_usage: bool
) -> AsyncIterator[str]:
    """The lines of a streamed completion; an error replaces the rest."""
    sent = Streamed()
    yield _line(chunk(head, {"role": "assistant", "content": ""}))
    try:
        async with aclosing(_run(asked, service)) as waiting:
            async for news in waiting:
                if news is None:
                    yield ": still at work\n\n"
                    continue
                if isinstance(news, FeedEvent):
                    if text := sent.take(news):
                        yield _line(chunk(head, {"content": text}))
                    continue
                answer, names = news, _names(asked, service)
                if text := sent.end(answer, names if len(names) > 1 else {}):
                    yield _line(chunk(head, {"content": text}))
                annotations = [each.model_dump() for each in cited(answer, names, sent.text)]
                yield _line(chunk(head, {"annotations": annotations}))
                yield _line(chunk(head, {}, end=True))
                if with_usage:
                    yield _line(usage_chunk(head, answer))
    except LongtakeError as error:
        yield _line(openai_error(error if isinstance(error, Refusal) else Refusal(500, str(error))))
        return
    yield "data: [DONE]\n\n"


async def _run(asked: QuestionForm, service: Service) -> AsyncGenerator[FeedEvent | Answer | None]:
    """Yield the run's events, None every so often, and finally the answer.

    Raises:
        Refusal: when too many questions are waiting, or the question failed.
    """
    while any(each and not each.over for each in map(service.indexing.progress, asked.videos)):
        yield None
        await asyncio.sleep(_TICK)
    run = service.runs.start(asked)
    try:
        async with aclosing(run.feed.follow(beat=_TICK)) as events:
            async for event in events:
                last = event is not None and event.kind in ("answer", "failed")
                yield _answer(event) if event and last else event
    finally:
        run.stop()


def _answer(event: FeedEvent) -> Answer:
    """The answer in a run's last event.

    Raises:
        Refusal: when the question failed.
    """
    if event.kind == "failed":
        raise Refusal(event.data["status"], event.data["message"])
    answer = Answer.model_validate(event.data["answer"])
    if answer.status == "failed":
        raise Refusal(500, answer.error or "Answering the question failed.")
    return answer


def _names(asked: QuestionForm, service: Service) -> dict[str, str]:
    return {video: service.video(video).name for video in asked.videos}


def _line(data: dict[str, Any]) -> str:
    return f"data: {canonical_json(data)}\n\n"
