"""Fetches the videos of links into the library, one at a time, where the owner of the server allows it."""

from __future__ import annotations

import logging
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from longtake.errors import Cancelled, LongtakeError
from longtake.memory.records import Record
from longtake.preprocess.media.links import fetch, is_link
from longtake.web.http.refusals import Refusal
from longtake.web.uploads import LARGEST

if TYPE_CHECKING:
    from longtake.web.service import Service

Reach = Literal["public", "anywhere"]  # addresses that links may lead to
MAX_WAITING = 8  # links
_KEPT = 100  # links whose end is remembered
_FORBIDDEN = "This server fetches no links. Its owner can allow them: longtake serve --links"
_OFFLINE = "This server is offline and fetches no links. Download the video elsewhere, and upload it."

log = logging.getLogger(__name__)


class FetchState(Record):
    """How far a link has been fetched."""

    id: str
    link: str
    state: Literal["waiting", "fetching", "done", "failed"] = "waiting"
    share: float | None = Field(default=None, description="0 to 1; null while unknown.")
    video: str | None = Field(default=None, description="Its id, once it is in the library.")
    error: str | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed")


class Links:
    """The links that a server fetches; thread-safe."""

    def __init__(self, reach: Reach | None, service: Service, *, offline: bool) -> None:
        """Start without links.

        Args:
            reach: the addresses they may lead to; None allows no links.
            service: takes what was fetched.
            offline: refuse every link.
        """
        self._reach = reach
        self._service = service
        self._offline = offline
        self._states: dict[str, FetchState] = {}
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="links")

    @property
    def problem(self) -> str | None:
        """Why no link is fetched here; None if links are."""
        if self._reach is None:
            return _FORBIDDEN
        return _OFFLINE if self._offline else None

    def add(self, link: str) -> FetchState:
        """Queue a link.

        Raises:
            Refusal: 403 if links aren't allowed, 400 if it is none, 429 if too many wait.
        """
        if self.problem:
            raise Refusal(403, self.problem)
        if not is_link(link):
            raise Refusal(400, "That isn't a link. It begins with http:// or https://")
        with self._lock:
            if sum(not state.over for state in self._states.values()) >= MAX_WAITING:
                sentence = f"{MAX_WAITING} links are being fetched. Add this one when one of them is done."
                raise Refusal(429, sentence, headers={"Retry-After": "30"})
            state = FetchState(id=secrets.token_hex(16), link=link)
            self._states[state.id] = state
            for old in [each for each in self._states.values() if each.over][:-_KEPT]:
                del self._states[old.id]
        self._worker.submit(self._fetch, state)
        return state

    def get(self, identifier: str) -> FetchState:
        """How far a link is.

        Raises:
            Refusal: 404 if there is no such link.
        """
        state = self._states.get(identifier)
        if state is None:
            raise Refusal(404, "There is no such link. It was cancelled, or the server was started again.")
        return state

    def all(self) -> tuple[FetchState, ...]:
        """Every link that is being fetched or waits."""
        with self._lock:
            return tuple(state for state in self._states.values() if not state.over)

    def cancel(self, identifier: str) -> None:
        """Forget a link, and stop fetching it.

        Raises:
            Refusal: 404 if there is no such link.
        """
        with self._lock:
            self.get(identifier)
            del self._states[identifier]

    def close(self) -> None:
        """Stop fetching."""
        with self._lock:
            self._states.clear()
        self._worker.shutdown(cancel_futures=True)

    def _fetch(self, state: FetchState) -> None:
        def check() -> None:
            if state.id not in self._states:
                raise Cancelled("The work was stopped.")

        def advance(share: float | None) -> None:
            self._say(state, state="fetching", share=share and round(share, 3))

        try:
            check()
            advance(None)
            with self._service.uploads.folder() as folder:
                file = fetch(
                    state.link,
                    folder,
                    offline=self._offline,
                    progress=advance,
                    check=check,
                    public=self._reach == "public",
                    largest=LARGEST,
                )
                check()
                video = self._service.keep(file)
            self._say(state, state="done", share=1.0, video=video.id)
        except Cancelled:
            return
        except LongtakeError as error:
            self._say(state, state="failed", error=str(error))
        except Exception as error:  # whatever breaks one link, the next are still fetched
            log.exception("fetching %s failed", state.link)
            self._say(state, state="failed", error=f"Fetching failed ({type(error).__name__}): see Longtake's log.")

    def _say(self, fetched: FetchState, **changes: object) -> None:
        with self._lock:
            if known := self._states.get(fetched.id):
                self._states[fetched.id] = known.model_copy(update=changes)
