"""Routes of threads: conversations, shared with the terminal's `chat`, and exports of their answers."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote
from uuid import uuid4

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask

from longtake.agent.graph.agent import MAX_OPTION_LENGTH, MAX_OPTIONS, MAX_QUESTION_LENGTH
from longtake.errors import LibraryError, LibraryUnavailable
from longtake.exports.chapters import as_text, as_vtt, chapters_of
from longtake.exports.chat_export import chat_html, chat_markdown
from longtake.exports.evidence_bundle import write_pack
from longtake.memory.conversations import TITLE_LENGTH, Conversation, Exchange
from longtake.memory.records import Record
from longtake.web.http.concurrency import Slots
from longtake.web.http.described import content
from longtake.web.http.refusals import Refusal
from longtake.web.runs import QuestionForm, StartedRun, unchanged
from longtake.web.service import Served, Service

# Each pack, and each chat with its clips, encodes minutes of video.
PACKING = Slots(2, "Other exports are being made. Try again in a while.", retry_after=10)

_MOST_VIDEOS = 10_000
Videos = Annotated[
    list[str],
    Field(
        min_length=1,
        max_length=_MOST_VIDEOS,
        description="Library ids. Of many, those with the closest lines are asked.",
    ),
]
Option = Annotated[str, Field(min_length=1, max_length=MAX_OPTION_LENGTH)]


class NewThread(BaseModel):
    """The videos of a new thread."""

    videos: Videos


class NewTitle(BaseModel):
    """Another title of a thread."""

    title: str = Field(min_length=1, max_length=TITLE_LENGTH, pattern=r"\S")


class NewQuestion(BaseModel):
    """A question, with options if it is multiple choice, and videos and a model if they aren't the usual ones."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_LENGTH, pattern=r"\S")
    options: list[Option] = Field(default=[], max_length=MAX_OPTIONS)
    videos: Videos | None = None
    model: str | None = Field(default=None, max_length=300, description="A controller that /api/models lists.")
    again: int | None = Field(
        default=None,
        ge=0,
        description="Number of the question that this one is asked in place of. Its answer replaces that one's and all "
        "later ones, unless it fails.",
    )


class Thread(Record):
    """A thread as listed."""

    id: str
    title: str = Field(description="Its first question, or what it was renamed to; empty before either.")
    videos: tuple[str, ...] = Field(description="Library ids of the last question's videos.")
    questions: int
    changed: float = Field(description="Seconds since the epoch.")
    running: str | None = Field(description="The run under way for it, if any.")
    asking: str | None = Field(description="The question of that run.")
    again: int | None = Field(description="Number of the question in place of which that run's is asked.")


class ThreadList(Record):
    """The public shape of the list of conversations."""

    threads: tuple[Thread, ...]


class WholeThread(Thread):
    """A thread with its questions and full answers."""

    turns: tuple[Exchange, ...]


_PACK = content("application/zip", what="The pack.")
_CHAPTERS = content("text/plain", "text/vtt", what="The chapters.")
_CHAT = content("text/markdown", "text/html", what="The chat.")

# A thread started in the terminal may have any name, including one with a slash.
router = APIRouter(prefix="/api/threads", tags=["threads"])


@router.get("")
def list_threads(
    service: Served,
    words: Annotated[
        str, Query(max_length=200, description="Only threads whose title, questions and answers have all of these.")
    ] = "",
) -> ThreadList:
    """The threads, most recently changed first."""
    return ThreadList(threads=tuple(_thread(each, service) for each in service.conversations.all(words)))


@router.post("", status_code=201)
def begin_thread(body: NewThread, service: Served) -> Thread:
    """Start a thread about some videos."""
    thread = uuid4().hex
    service.conversations.begin(thread, _known(body.videos, service))
    return _thread(_conversation(thread, service), service)


@router.post("/{thread:path}/questions", status_code=202)
def ask_question(thread: str, body: NewQuestion, service: Served) -> StartedRun:
    """Ask the next question of a thread; `/api/runs/RUN/events` streams its steps."""
    conversation = _conversation(thread, service)
    videos = _known(body.videos, service) if body.videos else _remaining(conversation, service)
    if len(body.options) == 1:
        raise Refusal(400, "A single option isn't a choice: give two or more, or none.")
    if body.again is not None:
        _exchange(thread, body.again, service)
    videos = tuple(service.agent.likeliest(body.question, videos))
    change = service.models.chosen(body.model) if body.model else unchanged
    run = service.runs.start(
        QuestionForm(videos, body.question, tuple(body.options), thread, body.again, change=change)
    )
    for video in videos:
        progress = service.indexing.progress(video)
        if progress and not progress.over:
            run.feed.notify("indexing", {"video": video, **progress.model_dump(mode="json")})
    return StartedRun(run=run.id)


@router.get("/{thread:path}/turns/{number}/pack", response_class=Response, responses=_PACK)
def pack_turn(thread: str, number: int, service: Served) -> Response:
    """An answer with its proof, as a zip file."""
    exchange = _exchange(thread, number, service)
    if exchange.answer.trace is None:
        raise Refusal(404, "This question was never started: there is nothing to prove.")
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
    video: Annotated[str | None, Query(description="The video; by default the first one the answer cites.")] = None,
) -> Response:
    """The places an answer cites in a video as chapters: lines for a description, or a WebVTT file for a player."""
    answer = _exchange(thread, number, service).answer
    if answer.status == "uncertain":
        raise Refusal(404, "This answer isn't sure, so it has no chapters: its closest lines aren't proven.")
    cited = video or next((citation.video for citation in answer.citations), None)
    if cited is None:
        raise Refusal(404, "This answer cites nothing, so it has no chapters.")
    record = service.video(cited)
    chapters = chapters_of(answer, record.id, record.name, record.duration)
    if not chapters:
        raise Refusal(404, f"This answer doesn't cite {record.name}.")
    made, kind = (as_vtt(chapters), "text/vtt") if format == "vtt" else (as_text(chapters), "text/plain")
    return PlainTextResponse(made, media_type=kind)


@router.get("/{thread:path}/export", response_class=Response, responses=_CHAT)
def export_thread(thread: str, service: Served, format: Literal["markdown", "html"] = "markdown") -> Response:
    """A thread as a file: Markdown, or one HTML page that contains clips of the cited places, up to its limits."""
    chat = _conversation(thread, service)
    exchanges = service.conversations.exchanges(thread)
    if format == "markdown":
        made, kind, ending = chat_markdown(chat, exchanges, service.library), "text/markdown", "md"
    else:
        with PACKING.slot():
            made, kind, ending = chat_html(chat, exchanges, service.library), "text/html", "html"
    name = quote(f"{chat.title or 'chat'}.{ending}", safe="")
    return Response(made, media_type=kind, headers={"Content-Disposition": f"attachment; filename*=utf-8''{name}"})


@router.get("/{thread:path}")
def show_thread(thread: str, service: Served) -> WholeThread:
    """A thread with its questions and full answers."""
    listed = _thread(_conversation(thread, service), service)
    return WholeThread(**listed.model_dump(), turns=tuple(service.conversations.exchanges(thread)))


@router.patch("/{thread:path}")
def rename_thread(thread: str, body: NewTitle, service: Served) -> Thread:
    """Rename a thread."""
    _conversation(thread, service)
    service.conversations.rename(thread, " ".join(body.title.split()))
    return _thread(_conversation(thread, service), service)


@router.delete("/{thread:path}", status_code=204)
def delete_thread(thread: str, service: Served) -> Response:
    """Delete a thread; its traces stay."""
    _conversation(thread, service)
    if service.runs.of_thread(thread):
        raise Refusal(409, "A question of this chat is still being answered: stop it first.")
    service.agent.forget(thread)
    return Response(status_code=204)


def _known(videos: Sequence[str], service: Service) -> tuple[str, ...]:
    """The distinct ids.

    Raises:
        Refusal: 404 if one isn't in the library.
    """
    return tuple(dict.fromkeys(service.video(video).id for video in videos))


def _remaining(conversation: Conversation, service: Service) -> tuple[str, ...]:
    """A thread's videos that haven't been deleted.

    Raises:
        Refusal: 409 if all have.
    """
    videos = tuple(video for video in conversation.videos if service.library.get(video))
    if not videos:
        raise Refusal(409, "The videos of this thread were deleted: name others in `videos`.")
    return videos


def _conversation(thread: str, service: Service) -> Conversation:
    conversation = service.conversations.get(thread)
    if conversation is None:
        raise Refusal(404, "There is no such thread; GET /api/threads lists them.")
    return conversation


def _exchange(thread: str, number: int, service: Service) -> Exchange:
    _conversation(thread, service)
    try:
        return service.conversations.exchange(thread, number)
    except LibraryUnavailable:
        raise
    except LibraryError as error:
        raise Refusal(404, str(error)) from error


def _thread(conversation: Conversation, service: Service) -> Thread:
    run = service.runs.of_thread(conversation.thread)
    return Thread(
        id=conversation.thread,
        **conversation.model_dump(exclude={"thread"}),
        running=run.id if run else None,
        asking=run.asked.question if run else None,
        again=run.asked.again if run else None,
    )
