"""Which files are opened, and that no file opens another."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.media.clips import noise, write_clip

from longtake.errors import MediaError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.frames import encode_jpeg, read_frames
from longtake.preprocess.media.media import probe

CONCAT = "ffconcat version 1.0\nfile b.mp4\n"
HLS = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nb.mp4\n#EXT-X-ENDLIST\n"
SDP = "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n"
DASH = (
    '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-on-demand:'
    '2011" type="static"><Period><AdaptationSet><Representation id="1"><BaseURL>b.mp4</BaseURL></Representation>'
    "</AdaptationSet></Period></MPD>"
)


@pytest.mark.parametrize("name", ["list.mp4", "list.m3u8", "list.mpd", "list.sdp", "list.txt"])
@pytest.mark.parametrize("content", [CONCAT, HLS, SDP, DASH], ids=["concat", "hls", "sdp", "dash"])
def test_a_text_that_names_another_file_is_no_media_file(tmp_path: Path, content: str, name: str) -> None:
    write_clip(tmp_path / "b.mp4", [noise(0)] * 3)
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(MediaError) as caught:
        open_media(path)
    assert str(caught.value).startswith(f"{path} isn't a video or audio file")


@pytest.mark.parametrize("name", ["one.png", "one.jpg", "frame%d.jpg"])
def test_a_still_picture_is_no_media_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(encode_jpeg(noise(0), 90))
    with pytest.raises(MediaError, match="isn't a video or audio file"):
        open_media(tmp_path / name)


@pytest.mark.parametrize("name", ["10:30 talk.mp4", "http:talk.mp4", "concat:b.mp4", "50%d.mp4", "-i.mp4"])
def test_a_relative_name_is_a_file_whatever_stands_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(name)
    write_clip(tmp_path / "clip.mp4", [noise(0)] * 10, sound_seconds=0.4).rename(path)
    info = probe(path)
    assert len(list(read_frames(path, info, TimeSpan(start=0, end=0.2), lambda: None))) == 5
    assert sum(len(block.samples) for block in read_audio(path, info)) > 0


def test_a_message_names_the_path_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("10:30.mp4").write_text(CONCAT)
    with pytest.raises(MediaError, match=r"^10:30\.mp4 isn't a video or audio file"):
        probe(Path("10:30.mp4"))
    with pytest.raises(MediaError, match=r"gone:\.mp4: No such file"):
        open_media(Path("gone:.mp4"))
