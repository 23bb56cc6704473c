"""Reads an OpenAI-compatible request: the question, the turns before it, and the videos it is about."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Annotated, Final, Literal
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BaseModel, Field

from longtake.agent.graph.agent import MAX_QUESTION_LENGTH, MAX_VIDEOS, is_text
from longtake.agent.graph.state import Turn
from longtake.web.http.refusals import Refusal
from longtake.web.runs import QuestionForm
from longtake.web.service import Service
from longtake.web.uploads import Upload

MODEL: Final = "longtake"
MAX_MESSAGES = 200


def no_model(name: str) -> Refusal:
    """The refusal of an unknown model."""
    return Refusal(404, f"There is no model {name!r} here; use {MODEL!r}.", code="model_not_found")


def _text(words: str) -> str:
    if not is_text(words):
        raise ValueError("it contains an unpaired surrogate")
    return words


Text = Annotated[str, AfterValidator(_text)]


class VideoUrl(BaseModel):
    """The address of a video: `longtake://ID`, `data:video/...;base64,...` or `file:///...` under an allowed folder."""

    url: str


def _known(kind: str) -> str:
    if kind not in ("text", "video_url"):
        raise ValueError(f"a part of the type {kind!r} can't be read; send text and video_url")
    return kind


class MessagePart(BaseModel):
    """A part of a message: text, or a video."""

    type: Annotated[str, AfterValidator(_known)]
    text: Text = ""
    video_url: VideoUrl | None = None


class Message(BaseModel):
    """A message; those not from the user or the assistant are ignored."""

    role: str
    content: Text | list[MessagePart] | None = None

    @property
    def text(self) -> str:
        """The text of all its parts, which pictures and files have none of."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text").strip()
        return (self.content or "").strip()

    @property
    def videos(self) -> list[str]:
        """The addresses of its videos."""
        parts = self.content if isinstance(self.content, list) else []
        return [part.video_url.url for part in parts if part.video_url]


class StreamOptions(BaseModel):
    """What a stream includes besides the answer."""

    include_usage: bool = False


class ResponseFormat(BaseModel):
    """The format of the answer: only text."""

    type: Literal["text"]


class ChatRequest(BaseModel):
    """A request for a chat completion. Options that would change the kind of answer are refused; others are ignored."""

    model: str
    messages: Annotated[list[Message], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    tool_choice: Literal["auto", "none"] | None = Field(
        default=None, description="Tools of the client are never called, so none can be required."
    )
    response_format: ResponseFormat | None = None


def asked_by(request: ChatRequest, service: Service) -> QuestionForm:
    """The question to answer: the last message, about the videos of all messages, after the turns before it.

    A video that isn't in the library yet is added to it. Messages without a video are about the library: most clients
    can only send text.

    Raises:
        LibraryError: when no message names a video, and the library is empty.
        Refusal: when the model is unknown, the last message asks nothing, or a video isn't available.
    """
    if request.model != MODEL:
        raise no_model(request.model)
    question = request.messages[-1]
    if question.role != "user" or not question.text:
        raise Refusal(400, "The last message asks nothing: end with a user message that contains text.")
    if len(question.text) > MAX_QUESTION_LENGTH:
        raise Refusal(400, f"The question is longer than {MAX_QUESTION_LENGTH:,} characters.")
    addresses = list(dict.fromkeys(url for message in request.messages for url in message.videos))
    if len(addresses) > MAX_VIDEOS:
        raise Refusal(400, f"Name at most {MAX_VIDEOS} videos; without any, the question is about the whole library.")
    videos = tuple(dict.fromkeys(_video(url, service) for url in addresses))
    videos = videos or tuple(service.agent.likeliest(question.text))
    return QuestionForm(videos, question.text, earlier=_turns(request.messages[:-1]))


def _turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """The earlier questions with their answers; questions without an answer are left out."""
    turns = [message for message in messages if message.role in ("user", "assistant") and message.text]
    return tuple(
        Turn(question=one.text, answer=other.text)
        for one, other in pairwise(turns)
        if (one.role, other.role) == ("user", "assistant")
    )


def _video(url: str, service: Service) -> str:
    """The library id of the video at an address."""
    scheme, _, rest = url.partition(":")
    if scheme == "longtake":
        return service.video(rest.removeprefix("//").partition("#")[0]).id
    if scheme == "data":
        return _uploaded(rest, service)
    if scheme == "file":
        return service.add(service.folders.file(_path(url))).id
    raise Refusal(
        400, "A video_url is longtake://ID, file:///PATH or data:video/...;base64,...; other URLs aren't fetched."
    )


def _path(url: str) -> str:
    try:
        return unquote(urlsplit(url).path)
    except ValueError as error:
        raise Refusal(400, f"{url!r} isn't a file URL: write file:///PATH.") from error


def _uploaded(data: str, service: Service) -> str:
    """The library id of a video sent in a data URL (RFC 2397), which is stored like an upload."""
    kind, _, encoded = data.partition(",")
    try:
        if not kind.endswith(";base64"):
            raise ValueError("not base64")
        content = base64.b64decode(encoded, validate=True)
        upload = Upload(name="a video sent with a question", size=len(content))
    except ValueError as error:
        raise Refusal(
            400, "A data URL of a video is data:video/...;base64, followed by its bytes in base64."
        ) from error
    upload_id = service.uploads.begin(upload)
    try:
        service.uploads.append(upload_id, 0, content)
        return service.finish_upload(upload_id).id
    finally:  # nothing else knows this upload
        with suppress(Refusal):  # already deleted if it wasn't a media file
            service.uploads.delete(upload_id)
