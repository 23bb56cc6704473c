"""What every route works with: the library, the videos on their way into it, and the questions under way."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request
from filelock import Timeout

from longtake.agent.graph.agent import Agent
from longtake.memory.conversations import Conversations
from longtake.memory.library import VideoRecord, file_id
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.sources import source
from longtake.preprocess.pipeline.pipeline import video_record
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.folders import Folders
from longtake.web.http.refusals import Refusal
from longtake.web.indexing import Indexing
from longtake.web.runs import Runs
from longtake.web.uploads import Uploads

_ID = re.compile(r"[0-9a-f]{16}")
SWEEP_EVERY = 3600.0  # seconds between two looks for uploads that nobody goes on with


class Service:
    """One library, served; safe to use from every thread."""

    def __init__(self, workspace: Workspace, agent: Agent, folders: Sequence[Path] = ()) -> None:
        """Open it.

        Args:
            workspace: the library and its settings.
            agent: answers the questions.
            folders: whose media files may be added where they lie.
        """
        self.workspace = workspace
        self.agent = agent
        self.library = workspace.library
        self.index = workspace.index  # opened here, before threads ask for it at once
        self.conversations = Conversations(self.library.memory_file)
        self.folders = Folders(folders)
        self._changing = threading.Lock()  # of what the library holds, together with the files of uploads
        self.uploads = Uploads(self.library.root / "uploads")
        self.indexing = Indexing(workspace)
        self.runs = Runs(agent, self.conversations, workspace.settings.budget.seconds)
        self._closed = threading.Event()
        threading.Thread(target=self._sweep_hourly, name="sweep", daemon=True).start()
        for video in self.library.videos():
            video = self._rejoin(video)
            if not video.complete and source(video):
                self.indexing.add(video)

    def video(self, video_id: str) -> VideoRecord:
        """The video of this id; only something that looks like one reaches the disk.

        Raises:
            Refusal: 404 when there is none.
        """
        video = self.library.get(video_id) if _ID.fullmatch(video_id) else None
        if video is None:
            raise Refusal(404, "The library holds no video of this id; GET /api/videos lists those it holds.")
        return video

    def add(self, path: Path, name: str | None = None) -> VideoRecord:
        """Take a file into the library, where it is not yet, and index what is missing.

        Args:
            path: of the file, which stays where it is.
            name: by which people know it; that of the file when not given.

        Raises:
            MediaError: when it is no media file.
        """
        known = self._known(path)
        return self._take(path, known.id if known else file_id(path), name)

    def finish_upload(self, upload_id: str) -> VideoRecord:
        """Take a whole upload into the library; bytes that it holds already are not kept twice.

        Raises:
            Refusal: when it is no media file, or the video that it became was deleted; the upload is gone then, too.
        """
        upload, _ = self.uploads.get(upload_id)
        if upload.video:
            if video := self.library.get(upload.video):
                return video
            self.uploads.delete(upload_id)
            raise Refusal(404, f"{upload.name} was deleted from the library: begin its upload anew.")
        with self.uploads.finishing(upload_id) as arrived:
            return self._take(arrived.upload, arrived.video, arrived.name, arrived.target)

    def delete(self, video: VideoRecord) -> None:
        """Forget a video, its layers and its place in the search index, and the file where it was uploaded.

        Raises:
            Refusal: 409 while it is indexed or asked about.
        """
        busy = Refusal(409, f"{video.name} is being indexed or asked about: delete it when that is over.")
        try:
            with self._changing, self.library.lock(video.id).acquire(timeout=0):
                if self.runs.asked_about(video.id) or not self.indexing.drop(video.id):
                    raise busy
                video = self.video(video.id)  # which may be gone meanwhile
                if file := self.uploads.file(video.id):  # first: without its video nobody would find it again
                    file.unlink()
                self.index.delete(video.id)
                self.library.delete(video)
        except Timeout as error:
            raise busy from error

    def close(self) -> None:
        """Stop all work; what was finished is kept."""
        self._closed.set()
        self.indexing.close()
        self.runs.close()

    def _sweep_hourly(self) -> None:
        while not self._closed.wait(SWEEP_EVERY):
            self.uploads.sweep()

    def _rejoin(self, video: VideoRecord) -> VideoRecord:
        """Join a video with its uploaded file again, which moved when the library did."""
        file = self.uploads.file(video.id)
        if file is None or source(video):
            return video
        video = video.model_copy(update={"path": str(file), "modified": file.stat().st_mtime_ns})
        self.library.save(video)
        return video

    def _known(self, path: Path) -> VideoRecord | None:
        """The video that was read from this very file, which need not be hashed again."""
        location = str(path.resolve())
        return next((video for video in self.library.videos() if video.path == location and source(video)), None)

    def _take(self, path: Path, video_id: str, name: str | None, target: Path | None = None) -> VideoRecord:
        """Take a file into the library, unless that has these bytes already, and index what is missing.

        Args:
            path: of the file.
            video_id: the hash of its bytes.
            name: by which people know it; that of the file when None.
            target: where the file is moved to; None when it stays where it is.
        """
        media = probe(path)
        with self._changing:
            video = self.library.get(video_id)
            if video is None or source(video) is None:
                video = video_record(target or path, path.stat(), video_id, self.library, media, name)
                self.library.save(video)  # first: a file that no video names would never be found again
                if target:
                    path.rename(target)
            if not video.complete:
                self.indexing.add(video)
        return video


async def served(request: Request) -> Service:
    """The service of the app that answers a request."""
    service: Service = request.app.state.service
    return service


Served = Annotated[Service, Depends(served)]
