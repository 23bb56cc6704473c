"""What every route works with: the library, the indexing queue, uploads and runs."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from os.path import splitext
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request
from filelock import Timeout

from longtake.agent.graph.agent import Agent
from longtake.errors import MediaError
from longtake.memory.conversations import Conversations
from longtake.memory.layers import write_atomic
from longtake.memory.library import VideoRecord, file_id
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.plain_transcripts import names_speakers
from longtake.preprocess.media.sidecars import find_sidecars, takers
from longtake.preprocess.media.sources import source
from longtake.preprocess.media.subtitle_formats import SUFFIXES, is_transcript, parse_subtitles
from longtake.preprocess.media.subtitle_names import language_in
from longtake.preprocess.media.text_encodings import decoded
from longtake.preprocess.pipeline.pipeline import video_record
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.folders import Folders
from longtake.web.http.refusals import Refusal
from longtake.web.indexing import Indexing
from longtake.web.links import Links, Reach
from longtake.web.models import ServedControllers
from longtake.web.runs import Runs
from longtake.web.switches import SwitchBoard
from longtake.web.uploads import Uploads

_ID = re.compile(r"[0-9a-f]{16}")
SWEEP_EVERY = 3600.0  # seconds between two sweeps of abandoned uploads
_PATIENCE = 5.0  # seconds in which the indexing of a transcript stops


class Service:
    """A library being served; thread-safe."""

    def __init__(
        self, workspace: Workspace, agent: Agent, folders: Sequence[Path] = (), links: Reach | None = None
    ) -> None:
        """Open a library.

        Args:
            workspace: the library and its settings.
            agent: answers the questions.
            folders: their media files may be added without uploading.
            links: which addresses the videos of links may be fetched from; None allows no links.
        """
        self.workspace = workspace
        self.switches = SwitchBoard(workspace)
        self.agent = agent
        self.library = workspace.library
        self.index = workspace.index  # opened here, before several threads need it
        self.conversations = Conversations(self.library.memory)
        self.folders = Folders(folders)
        self._changing = self.library.lock("changes")  # guards changes to the library together with uploaded files
        self.uploads = Uploads(self.library.root / "uploads", self.library.lock)
        self.indexing = Indexing(workspace)
        self.models = ServedControllers(workspace)
        self.runs = Runs(agent, self.conversations, workspace.settings.budget.seconds)
        self.overviews: dict[str, tuple[str, bytes]] = {}  # by video: the tag of what it was made from, and the JSON
        self.links = Links(links, self, offline=workspace.settings.offline)
        self._warming = threading.Thread(target=agent.warm, name="warm")
        self._warming.start()
        self._closed = threading.Event()
        threading.Thread(target=self._sweep_hourly, name="sweep", daemon=True).start()
        for video in self.library.videos():
            video = self._rejoin(video)
            if not video.complete and source(video):
                self.indexing.add(video)

    def video(self, video_id: str) -> VideoRecord:
        """The video with this id; only a well-formed id reaches the disk.

        Raises:
            Refusal: 404 if there is none.
        """
        video = self.library.get(video_id) if _ID.fullmatch(video_id) else None
        if video is None:
            raise Refusal(404, "The library has no video with this id; GET /api/videos lists the videos.")
        return video

    def add(self, path: Path, name: str | None = None) -> VideoRecord:
        """Add a file to the library, if it isn't there, and index what is missing.

        Args:
            path: the file, which stays where it is.
            name: display name; the file's name by default.

        Raises:
            MediaError: if it isn't a media file.
        """
        known = self._known(path)
        return self._take(path, known.id if known else file_id(path), name)

    def finish_upload(self, upload_id: str) -> VideoRecord:
        """Add a complete upload to the library; bytes already there aren't stored twice.

        Raises:
            Refusal: when it isn't a media file, or its video was deleted; the upload is then deleted, too.
        """
        upload, _ = self.uploads.get(upload_id)
        if upload.video:
            if video := self.library.get(upload.video):
                return video
            self.uploads.delete(upload_id)
            raise Refusal(404, f"{upload.name} was deleted from the library: upload it again.")
        with self.uploads.finishing(upload_id, self._taker) as arrived:
            if arrived.target is None:
                video = self.video(arrived.video)
                self.add_subtitles(video, arrived.name, arrived.upload.read_bytes())
            else:
                video = self._take(arrived.upload, arrived.video, arrived.name, arrived.target)
                self._take_transcripts(video)
            return video

    def add_subtitles(self, video: VideoRecord, name: str, data: bytes) -> None:
        """Keep a subtitle file beside its video, in place of one in the same language, and read it.

        Args:
            video: a video whose file the library keeps.
            name: the subtitle file's name, of which the type and the language count.
            data: its bytes.

        Raises:
            Refusal: 400 if it can't be read, 409 if the video's file isn't the library's own or is a transcript.
        """
        file = self._kept_file(video)
        if file is None:
            raise Refusal(409, _kept_elsewhere(video))
        if is_transcript(file):
            raise Refusal(409, f"{video.name} is a transcript, which needs no subtitles. Upload {name} by itself.")
        sidecar = file.with_suffix(_ending(name))
        try:
            cues = parse_subtitles(data, name)
        except MediaError as error:
            raise Refusal(400, str(error)) from error
        if not cues:
            raise Refusal(400, f"{name} has no subtitles. Choose another file.")
        if sidecar.suffix == ".txt" and not names_speakers(decoded(data)[0]):
            raise Refusal(400, f"{name} doesn't name who speaks. Upload it by itself, or save it as .srt.")
        with self._changing:
            write_atomic(sidecar, data)
            self.indexing.add(self.video(video.id), again=True)

    def keep(self, file: Path) -> VideoRecord:
        """Move a fetched file, and the subtitles beside it, into the library, and index it.

        Raises:
            MediaError: if it isn't a media file.
        """
        video_id, sidecars = file_id(file), find_sidecars(file)
        target = self.uploads.place(video_id, probe(file), file.name)
        for each in sidecars:
            each.path.rename(target.with_name(target.stem + each.path.name.removeprefix(file.stem)))
        return self._take(file, video_id, file.name, target)

    def delete(self, video: VideoRecord, patience: float = 0.0) -> None:
        """Delete a video, its layers and search entries, and its file and subtitles if they were uploaded.

        Args:
            video: its record.
            patience: seconds to wait until nobody works on it.

        Raises:
            Refusal: 409 while it is being indexed or asked about.
        """
        busy = Refusal(409, f"{video.name} is being indexed or asked about: delete it when that's done.")
        try:
            with self._changing, self.library.lock(video.id).acquire(timeout=patience):
                if self.runs.asked_about(video.id) or not self.indexing.drop(video.id):
                    raise busy
                video = self.video(video.id)  # it may be gone meanwhile
                self.index.delete(video.id)
                self.library.delete(video)
        except Timeout as error:
            raise busy from error

    def rename(self, video: VideoRecord, names: Mapping[str, str]) -> VideoRecord:
        """Give names to entities of a video.

        Raises:
            Refusal: 409 while it is being indexed.
            LibraryError: if there is no entity of a name.
        """
        try:
            return self.workspace.rename(video, names)
        except Timeout as error:
            raise Refusal(409, f"{video.name} is being indexed: correct its names when that's done.") from error

    def close(self) -> None:
        """Stop all work; finished work is kept."""
        self._closed.set()
        self.links.close()
        self.indexing.close()
        self.runs.close()
        self._warming.join()

    def _sweep_hourly(self) -> None:
        while not self._closed.wait(SWEEP_EVERY):
            self.uploads.sweep()

    def _kept_file(self, video: VideoRecord) -> Path | None:
        """The file of a video, if the library keeps it."""
        file = source(video)
        return file if file and file.is_relative_to(self.library.root.resolve()) else None

    def _taker(self, name: str, file: Path) -> str | None:
        """The id of the video whose name a subtitle file or transcript bears, as it would in one folder; None if none.

        Raises:
            MediaError: if several have it, or the library doesn't keep the file of the one that has it.
        """
        videos = [video for video in self.library.videos() if not is_transcript(Path(video.path))]
        names = takers(name, file, {video.name for video in videos})
        found = [video for video in videos if video.name in names]
        if len(found) > 1:
            raise MediaError(f"Several videos have the name of {name}: add it in the details of its video.")
        if found and self._kept_file(found[0]) is None:
            raise MediaError(_kept_elsewhere(found[0]))
        return found[0].id if found else None

    def _take_transcripts(self, video: VideoRecord) -> None:
        """Make the transcripts of a video that arrived before it its subtitles, unless a chat is about them."""
        asked = {asked for thread in self.conversations.all() for asked in thread.videos}
        for other in self.library.videos():
            file = self._kept_file(other) if is_transcript(Path(other.path)) and other.id not in asked else None
            with suppress(Refusal, MediaError):  # then both stay as they are
                if file and takers(other.name, file, [video.name]) and self._taker(other.name, file) == video.id:
                    self.add_subtitles(video, other.name, file.read_bytes())
                    if job := self.indexing.job(other.id):
                        job.cancel()
                    self.delete(other, _PATIENCE)

    def _rejoin(self, video: VideoRecord) -> VideoRecord:
        """Update the path of an uploaded file, which moved with the library."""
        file = self.uploads.file(video.id)
        if file is None or source(video):
            return video
        video = video.model_copy(update={"path": str(file), "modified": file.stat().st_mtime_ns})
        self.library.save(video)
        return video

    def _known(self, path: Path) -> VideoRecord | None:
        """The video read from this very file, which then needn't be hashed again."""
        location = str(path.resolve())
        return next((video for video in self.library.videos() if video.path == location and source(video)), None)

    def _take(self, path: Path, video_id: str, name: str | None, target: Path | None = None) -> VideoRecord:
        """Add a file to the library, unless its bytes are already there, and index what is missing.

        Args:
            path: the file.
            video_id: the hash of its bytes.
            name: display name; the file's name if None.
            target: where to move the file; None leaves it where it is.
        """
        media = probe(path, name)
        with self._changing:
            video = self.library.get(video_id)
            if video is None or source(video) is None:
                video = video_record(target or path, path.stat(), video_id, self.library, media, name)
                self.library.save(video)  # first: a file without a record would never be found again
                if target:
                    path.rename(target)
            if not video.complete:
                self.indexing.add(video)
        return video


def _kept_elsewhere(video: VideoRecord) -> str:
    return (
        f"The file of {video.name} isn't kept in the library. Put the subtitles next to it, under the same name, and "
        "index it again."
    )


def _ending(name: str) -> str:
    """How the name of kept subtitles ends: `.en.srt` for `talk.en.srt`, `.srt` for `talk.srt`.

    Raises:
        Refusal: 400 if it isn't the name of a subtitle file.
    """
    kind = splitext(name.lower())[1]
    if not is_transcript(Path(name)):
        raise Refusal(400, f"{name} isn't a subtitle file. Give one of {', '.join(SUFFIXES)}, .txt.")
    language = language_in(name)
    return f".{language}{kind}" if language else kind


async def served(request: Request) -> Service:
    """The service of a request's app."""
    service: Service = request.app.state.service
    return service


Served = Annotated[Service, Depends(served)]
