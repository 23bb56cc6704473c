"""Requests to search the web, made in so many words. What the web says proves nothing of a video."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.agent.errands import SEARCH_WEB
from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, Move, called, failures, not_found

TOOL = "web_search"
MOST = 3


def asks_web(orientation: Orientation) -> bool:
    """Whether a request is to search the web."""
    return _query(orientation) is not None


def search_web(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The first results, marked as what web pages say."""
    if not called(done, TOOL):
        return [Call(TOOL, {"query": _query(orientation)})]
    results = [found for step in done for found in step.result.output.get("results", ())][:MOST]
    if not results:
        return not_found(" ".join(failures(done)) or "The web search found nothing.")
    said = " ".join(f"“{found['title']}: {found['snippet']}” ({found.get('url', 'no address')})." for found in results)
    return not_found(f"Of the video nothing was asked. Web pages, which prove nothing of it, say: {said}")


def _query(orientation: Orientation) -> str | None:
    """What to search for, in the person's own words; None where the web is not to be searched."""
    match = SEARCH_WEB.match(orientation.own_words)
    return (match["query"] or match["other"]) if match else None
