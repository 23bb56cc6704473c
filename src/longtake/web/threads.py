"""Threads over HTTP: conversations, which the terminal's `chat` shares, and what can be made of their answers."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal
from uuid import uuid4

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask

from longtake.agent.graph.agent import MAX_OPTION_LENGTH, MAX_OPTIONS, MAX_QUESTION_LENGTH, MAX_VIDEOS
from longtake.errors import LibraryError
from longtake.memory.conversations import Conversation, Exchange
from longtake.memory.records import Record
from longtake.web.http.concurrency import Slots
from longtake.web.http.described import content
from longtake.web.http.refusals import Refusal
from longtake.web.proof.chapters import as_text, as_vtt, chapters_of
from longtake.web.proof.evidence_bundle import write_pack
from longtake.web.runs import Asked, StartedRun
from longtake.web.service import Served, Service

PACKING = Slots(2, "Other packs are being made: ask again in a while.", again=10)  # each encodes minutes of video

Videos = Annotated[list[str], Field(min_length=1, max_length=MAX_VIDEOS, description="Library ids.")]
Option = Annotated[str, Field(min_length=1, max_length=MAX_OPTION_LENGTH)]


class NewThread(BaseModel):
    """What a thread is about."""

    videos: Videos


class NewQuestion(BaseModel):
    """A question, with options where it is multiple choice, and other videos where it is about others."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_LENGTH, pattern=r"\S")
    options: list[Option] = Field(default=[], max_length=MAX_OPTIONS)
    videos: Videos | None = None


class Thread(Record):
    """A thread as a list shows it."""

    id: str
    title: str = Field(description="Its first question; empty before that.")
    videos: tuple[str, ...] = Field(description="Library ids, of its last question.")
    questions: int
    changed: float = Field(description="Seconds since the epoch.")
    running: str | None = Field(description="The run that answers it now, if one does.")
    asking: str | None = Field(description="What that run was asked.")


class ThreadList(Record):
    """The conversations."""

    threads: tuple[Thread, ...]


class WholeThread(Thread):
    """A thread with its questions and whole answers."""

    turns: tuple[Exchange, ...]


_PACK = content("application/zip", what="The pack.")
_CHAPTERS = content("text/plain", "text/vtt", what="The chapters.")

# A thread that was begun in the terminal may have any name, also one with a slash.
router = APIRouter(prefix="/api/threads", tags=["threads"])


@router.get("")
def list_threads(service: Served) -> ThreadList:
    """Every thread, the one last changed first."""
    return ThreadList(threads=tuple(_thread(each, service) for each in service.conversations.all()))


@router.post("", status_code=201)
def begin_thread(given: NewThread, service: Served) -> Thread:
    """Begin a thread about some videos."""
    thread = uuid4().hex
    service.conversations.begin(thread, _known(given.videos, service))
    return _thread(_conversation(thread, service), service)


@router.post("/{thread:path}/questions", status_code=202)
def ask_question(thread: str, given: NewQuestion, service: Served) -> StartedRun:
    """Ask the next question of a thread; `/api/runs/RUN/events` tells what is done for it."""
    conversation = _conversation(thread, service)
    videos = _known(given.videos, service) if given.videos else _left(conversation, service)
    if len(given.options) == 1:
        raise Refusal(400, "One option is no choice: give two or more, or none.")
    run = service.runs.start(Asked(videos, given.question, tuple(given.options), thread))
    for video in videos:
        job = service.indexing.job(video)
        if job and not job.progress().over:
            run.feed.notify("indexing", {"video": video, **job.progress().model_dump(mode="json")})
    return StartedRun(run=run.id)


@router.get("/{thread:path}/turns/{number}/pack", response_class=Response, responses=_PACK)
def pack_turn(thread: str, number: int, service: Served) -> Response:
    """An answer with all that proves it, as a zip file."""
    exchange = _exchange(thread, number, service)
    if exchange.answer.trace is None:
        raise Refusal(404, "This question was never begun: there is nothing that a pack could prove.")
    with tempfile.NamedTemporaryFile(prefix="longtake-pack-", suffix=".zip", delete=False) as file:
        pack = Path(file.name)
    try:
        with PACKING.slot():
            write_pack(pack, exchange, service.library)
    except BaseException:
        pack.unlink()
        raise
    name = f"longtake-{exchange.answer.trace}.zip"
    return FileResponse(pack, media_type="application/zip", filename=name, background=BackgroundTask(pack.unlink))


@router.get("/{thread:path}/turns/{number}/chapters", response_class=Response, responses=_CHAPTERS)
def chapters_of_turn(
    thread: str,
    number: int,
    service: Served,
    format: Literal["text", "vtt"] = "text",
    video: Annotated[str | None, Query(description="One of several; else the first that the answer cites.")] = None,
) -> Response:
    """What an answer cites of a video as chapters: lines for a description, or a WebVTT file for a player."""
    answer = _exchange(thread, number, service).answer
    if answer.status == "uncertain":
        raise Refusal(404, "This answer is not sure of any place: as chapters its closest lines would pass for proven.")
    cited = video or next((citation.video for citation in answer.citations), None)
    if cited is None:
        raise Refusal(404, "This answer cites no place of which a chapter could be made.")
    record = service.video(cited)
    chapters = chapters_of(answer, record.id, record.name, record.duration)
    if not chapters:
        raise Refusal(404, f"This answer cites no place of {record.name}.")
    made, kind = (as_vtt(chapters), "text/vtt") if format == "vtt" else (as_text(chapters), "text/plain")
    return PlainTextResponse(made, media_type=kind)


@router.get("/{thread:path}")
def show_thread(thread: str, service: Served) -> WholeThread:
    """A thread with its questions and whole answers."""
    told = _thread(_conversation(thread, service), service)
    return WholeThread(**told.model_dump(), turns=tuple(service.conversations.exchanges(thread)))


@router.delete("/{thread:path}", status_code=204)
def delete_thread(thread: str, service: Served) -> Response:
    """Forget a thread; its traces stay."""
    _conversation(thread, service)
    if service.runs.of_thread(thread):
        raise Refusal(409, "This thread is still being answered: stop that first.")
    service.agent.forget(thread)
    return Response(status_code=204)


def _known(videos: Sequence[str], service: Service) -> tuple[str, ...]:
    """The ids, each once.

    Raises:
        Refusal: 404 when the library does not hold one.
    """
    return tuple(dict.fromkeys(service.video(video).id for video in videos))


def _left(conversation: Conversation, service: Service) -> tuple[str, ...]:
    """The videos of a thread that were not deleted since.

    Raises:
        Refusal: 409 when all were.
    """
    videos = tuple(video for video in conversation.videos if service.library.get(video))
    if not videos:
        raise Refusal(409, "The videos of this thread were deleted: ask about others, by `videos`.")
    return videos


def _conversation(thread: str, service: Service) -> Conversation:
    conversation = service.conversations.get(thread)
    if conversation is None:
        raise Refusal(404, "There is no such thread; GET /api/threads lists those there are.")
    return conversation


def _exchange(thread: str, number: int, service: Service) -> Exchange:
    _conversation(thread, service)
    try:
        return service.conversations.exchange(thread, number)
    except LibraryError as error:
        raise Refusal(404, str(error)) from error


def _thread(conversation: Conversation, service: Service) -> Thread:
    run = service.runs.of_thread(conversation.thread)
    return Thread(
        id=conversation.thread,
        **conversation.model_dump(exclude={"thread"}),
        running=run.id if run else None,
        asking=run.asked.question if run else None,
    )
