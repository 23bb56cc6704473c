"""The layer `outline`: what the language model says of each section and of the whole video."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from math import ceil
from typing import Any

from longtake.errors import EngineError, EngineUnavailable
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.memory.timespan import clock
from longtake.preprocess.engines.endpoints.caption_engine import PictureRefused
from longtake.preprocess.engines.endpoints.picture_endpoint import PictureEndpoint, missing_model
from longtake.preprocess.layers.sections import Section, as_told
from longtake.preprocess.layers.step import IndexJob
from longtake.prompts import prompts_hash, render
from longtake.settings import EndpointSettings, Settings

NAME = "outline"
_PROMPTS = "longtake.preprocess.prompts"
_ENGINES = ("openai", "qwen_agent")  # controllers at an endpoint; a model in this process would take hours
_AT_ONCE = 4  # requests
_TOKENS = 300
_BEAT = 0.5  # seconds between two looks at whether it is to stop
_SAID, _SHOWN, _SEEN = 6000, 1500, 3000  # letters of a section that the model reads
_LONGEST = 100  # characters of a title
_SIGNS = "#*\"“”'_ .:"


class Outline:
    """Items {start, end, title, text}, one per section that the model told of, and at last one with the overview."""

    name = NAME
    capability = None

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer if a language model is set and the video has segments."""
        needed = ("sections", "segments")
        if any(name not in job.layers for name in needed):
            return ()
        if asked_of(job.settings) is None:
            if NAME in job.layers:  # it stays, and nobody who never had one is told of it
                raise EngineUnavailable("No language model at an endpoint is set.")
            return ()
        inputs = {name: job.layers[name].key for name in needed}
        return (LayerRecipe(NAME, 1, f"{job.settings.controller.model}-{prompts_hash(_PROMPTS)}", inputs=inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Ask about each section of which something is known, then about all. A failure keeps what was answered before.

        Raises:
            EngineError: if the model can't be used.
        """
        own = asked_of(job.settings)
        assert own, "`recipes` has checked it"
        endpoint = PictureEndpoint(own, "controller")
        sections = list(job.layers["sections"].items())
        segments = list(job.layers["segments"].items())
        asked = sections or _parts(job.media.duration, segments)
        prompts = [_asked(number, len(asked), part, segments) for number, part in enumerate(asked, 1)]
        writer, parts = writers[NAME], list[str]()
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            try:
                replies = [pool.submit(_reply, job, endpoint, str(n), prompt) for n, prompt in enumerate(prompts)]
                for done, (section, reply) in enumerate(zip(asked, replies, strict=True), 1):
                    while not wait([reply], timeout=_BEAT).done:
                        job.check_cancelled()
                    title, text = read_outline(reply.result())
                    if sections and text:
                        writer.add({"start": section["start"], "end": section["end"], "title": title, "text": text})
                    if text:
                        told = as_told(Section(**section), {"title": title})
                        parts.append(f"{clock(told.start)} {told.title}. {text}")
                    job.progress(done / (len(prompts) + 1))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        known = sum(map(bool, prompts))
        if known and not parts:
            raise EngineError("The language model told of no part of the video. Index again to ask it once more.")
        if lacking := known - len(parts):
            job.warn(f"The language model told nothing of {lacking} of {known} sections.")
        if parts:
            prompt = render(_PROMPTS, "overview", parts=parts, length=clock(job.media.duration))
            overview = " ".join(_reply(job, endpoint, "overview", prompt).split())
            span = {"start": 0.0, "end": round(job.media.duration, 3)}
            writer.add(span | {"title": "", "text": overview, "whole": True})
        writer.cover(job.layers["segments"].covered)


def asked_of(settings: Settings) -> EndpointSettings | None:
    """The endpoint of the language model, if one is set and may be asked."""
    own = settings.controller
    endpoint = EndpointSettings(
        base_url=own.base_url, model=own.model, api_key_env=own.api_key_env, timeout=own.timeout
    )
    able = own.engine in _ENGINES and missing_model(endpoint, "controller", offline=settings.offline) is None
    return endpoint if able else None


def read_outline(reply: str) -> tuple[str, str]:
    """The title in the first line of a reply, and the text after it; a reply of one line is text."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if len(lines) < 2:
        return "", " ".join(lines)
    title = re.sub(r"^\W*title\W+", "", lines[0], flags=re.IGNORECASE).strip(_SIGNS)
    return title[:_LONGEST], " ".join(lines[1:])


def _parts(duration: float, segments: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A video without sections in equal parts, of which the model can read everything that is said."""
    count = ceil(sum(len(each["said"]) + 1 for each in segments) / _SAID) or 1
    edges = [duration * number / count for number in range(count + 1)]
    return [{"start": start, "end": end, "title": ""} for start, end in pairwise(edges)]


def _asked(number: int, count: int, section: Mapping[str, Any], segments: Sequence[Mapping[str, Any]]) -> str:
    """What the model is asked about a section; nothing if nothing is known of it."""
    inside = [each for each in segments if section["start"] <= (each["start"] + each["end"]) / 2 < section["end"]]

    def told(name: str, most: int) -> str:
        text = " ".join(dict.fromkeys(each[name] for each in inside if each[name]))
        return text if len(text) <= most else f"{text[:most]}… (more follows)"

    told_of = {"said": told("said", _SAID), "shown": told("shown", _SHOWN), "seen": told("caption", _SEEN)}
    if not any(told_of.values()):
        return ""
    return render(
        _PROMPTS,
        "section",
        number=number,
        count=count,
        start=clock(section["start"]),
        end=clock(section["end"]),
        card=section["title"] if section.get("card") else "",
        **told_of,
    )


def _reply(job: IndexJob, endpoint: PictureEndpoint, chunk: str, prompt: str) -> str:
    if not prompt:
        return ""
    if kept := job.chunks.get(chunk):
        return kept.decode()
    try:
        reply = endpoint.ask([prompt], _TOKENS)
    except PictureRefused:  # this request; the section keeps the title that it has
        return ""
    job.chunks.put(chunk, reply.encode())
    return reply
