"""Several files picked at once in a real browser."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from helpers.browser import ask, opened, until
from helpers.media.small_video import SUBTITLES, write_small_video
from helpers.servers.loopback import site_of
from helpers.servers.web_server import WebServer, web_server

from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.uploads import MAX_UPLOADS

pytestmark = pytest.mark.nightly


def _clips(folder: Path, count: int) -> list[Path]:
    """Videos that differ in their last byte, which no player reads."""
    clip = write_small_video(folder / "0.mp4").read_bytes()
    files = [folder / f"{number}.mp4" for number in range(count)]
    for number, file in enumerate(files):
        file.write_bytes(clip + b"\0\0\0\x09free" + bytes([number]))
    return files


def test_more_files_than_uploads_are_allowed_all_arrive(browser: Any, tmp_path: Path) -> None:
    files = _clips(tmp_path, MAX_UPLOADS + 4)
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        page.locator("#files").set_input_files(files)
        until(page, "!document.querySelector('#uploads > li:not(:has(.problem))')")
        assert page.locator("#uploads .problem").all_inner_texts() == []
        with server.client() as client:
            videos = client.get("/api/videos").json()["videos"]
        assert {video["name"] for video in videos} == {file.name for file in files}


def test_a_file_waits_until_the_server_takes_another_upload_and_can_be_cancelled(browser: Any, tmp_path: Path) -> None:
    first, second = _clips(tmp_path, 2)
    with (
        web_server(Workspace(tmp_path / "library", load())) as server,
        server.client() as client,
        opened(browser, server.url) as page,
    ):
        begun = [client.post("/api/uploads", json={"name": "other.mp4", "size": 10}) for _ in range(MAX_UPLOADS)]
        page.locator("#files").set_input_files([first, second])
        page.locator("#uploads").get_by_text(f"{MAX_UPLOADS} uploads are unfinished").wait_for()
        page.locator("#uploads").get_by_text("Waiting for other uploads").wait_for()
        page.get_by_role("button", name=f"Cancel: {first.name}").click()
        client.delete(f"/api/uploads/{begun[0].json()['id']}")
        page.locator("#indexing").get_by_text(second.name).wait_for()
        assert [video["name"] for video in client.get("/api/videos").json()["videos"]] == [second.name]


def test_what_became_a_video_while_its_answer_was_lost_is_not_offered_again(browser: Any, tmp_path: Path) -> None:
    (file,) = _clips(tmp_path, 1)
    with (
        web_server(Workspace(tmp_path / "library", load())) as server,
        server.client() as client,
        opened(browser, server.url) as page,
    ):
        page.route("**/api/uploads/*", lambda route: (route.fetch(), route.abort()))
        page.locator("#files").set_input_files(file)
        page.locator("#uploads").get_by_text("Connection lost.").wait_for()
        assert [video["name"] for video in client.get("/api/videos").json()["videos"]] == [file.name]
        torn = client.post("/api/uploads", json={"name": "torn.mp4", "size": 10}).json()["id"]
        page.evaluate(
            """([key, id, kept]) => localStorage.setItem(key, JSON.stringify({
                 ...JSON.parse(localStorage.getItem(key)), [id]: kept }))""",
            ["longtake.uploads", torn, {"name": "torn.mp4", "size": 10, "modified": 0}],
        )
        page.unroute_all(behavior="wait")  # the page tries again by itself
        page.on("dialog", lambda leave: leave.accept())
        page.reload()
        page.locator("#uploads").get_by_text("Interrupted at 0%").wait_for()
        assert page.locator("#uploads > li strong").all_inner_texts() == ["torn.mp4"]


def _cancel_while_it_begins(page: Any, first: Path, second: Path) -> None:
    held: list[Any] = []
    page.route("**/api/uploads", lambda route: held.append(route), times=1)
    with page.expect_request("**/api/uploads"):
        page.locator("#files").set_input_files([first, second])
    page.get_by_role("button", name=f"Cancel: {first.name}").click()
    held[0].continue_()


def test_a_file_that_is_cancelled_while_its_upload_begins_leaves_nothing(browser: Any, tmp_path: Path) -> None:
    first, second = _clips(tmp_path, 2)
    library = tmp_path / "library"
    with web_server(Workspace(library, load())) as server, opened(browser, server.url) as page:
        _cancel_while_it_begins(page, first, second)
        page.locator("#indexing").get_by_text(second.name).wait_for()
        assert page.evaluate("localStorage.getItem('longtake.uploads')") == "{}"
        (kept,) = (library / "uploads" / "unfinished").glob("*.json")
        assert second.name in kept.read_text()


def test_a_file_that_is_cancelled_and_refused_then_does_not_try_again(browser: Any, tmp_path: Path) -> None:
    first, second = _clips(tmp_path, 2)
    with (
        web_server(Workspace(tmp_path / "library", load())) as server,
        server.client() as client,
        opened(browser, server.url) as page,
    ):
        for _ in range(MAX_UPLOADS):
            client.post("/api/uploads", json={"name": "other.mp4", "size": 10})
        _cancel_while_it_begins(page, first, second)
        page.locator("#uploads").get_by_text(f"{MAX_UPLOADS} uploads are unfinished").wait_for()


def test_a_file_that_could_not_be_written_goes_on_when_it_is_chosen_again(browser: Any, tmp_path: Path) -> None:
    (file,) = _clips(tmp_path, 1)
    library = tmp_path / "library"
    with web_server(Workspace(library, load())) as server, opened(browser, server.url) as page:
        (library / "videos").touch()  # where the library would keep it
        page.locator("#files").set_input_files(file)
        page.locator("#uploads .problem").get_by_text("Not a directory").wait_for()
        (library / "videos").unlink()
        page.locator("#files").set_input_files(file)
        page.locator("#indexing").get_by_text(file.name).wait_for()
        assert len(list((library / "uploads" / "unfinished").glob("*.json"))) == 1


def test_indexing_is_followed_again_after_its_progress_and_then_the_list_were_refused(
    browser: Any, tmp_path: Path
) -> None:
    (file,) = _clips(tmp_path, 1)
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        page.route("**/progress", _bad_gateway)
        page.locator("#files").set_input_files(file)
        page.locator("#indexing").get_by_text(file.name).wait_for()
        with page.expect_response(lambda answer: answer.url.endswith("/api/videos") and answer.status == 502):
            page.route("**/api/videos", _bad_gateway)
        page.unroute_all()
        page.locator("#indexing").get_by_text("Indexed", exact=True).wait_for()


def _bad_gateway(route: Any) -> None:
    """The answer of a proxy whose server is gone."""
    route.fulfill(status=502, body="Bad gateway")


def test_what_can_be_no_video_is_not_sent(browser: Any, server: WebServer, tmp_path: Path) -> None:
    empty = tmp_path / "empty.mp4"
    empty.touch()
    with opened(browser, server.url) as page:
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
        page.locator("#files").set_input_files(empty)
        page.get_by_text("The file is empty.").wait_for()
        page.get_by_role("button", name="Dismiss").first.click()
        assert page.locator("#uploads > li").count() == 0
        assert sent == []


def test_a_file_that_is_dropped_on_the_page_is_uploaded(browser: Any, tmp_path: Path) -> None:
    clip = write_small_video(tmp_path / "talk.mp4")
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        carried = page.evaluate_handle(
            "bytes => { const carried = new DataTransfer();"
            " carried.items.add(new File([new Uint8Array(bytes)], 'talk.mp4'));"
            " return carried; }",
            list(clip.read_bytes()),
        )
        page.dispatch_event("body", "dragover", {"dataTransfer": carried})
        assert page.evaluate("document.body.classList.contains('dropping')")
        page.dispatch_event("body", "drop", {"dataTransfer": carried})
        page.get_by_role("heading", name="talk.mp4").wait_for()
        assert not page.evaluate("document.body.classList.contains('dropping')")
        (video,) = server.service.library.videos()
        assert (video.name, video.size) == ("talk.mp4", clip.stat().st_size)


def test_subtitles_that_are_picked_with_their_video_or_later_are_read(browser: Any, tmp_path: Path) -> None:
    clip = write_small_video(tmp_path / "talk.mp4")
    transcript, later = tmp_path / "talk.txt", tmp_path / "later.fr.vtt"
    transcript.write_text("0:01 Ann: Welcome.\n0:02 Bob: Thanks.\n0:03 Ann: Let us begin.\n")
    later.write_text(SUBTITLES.replace("kettle", "bouilloire"), encoding="utf-8")
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        page.locator("#files").set_input_files([transcript, clip.with_suffix(".vtt"), clip])
        page.get_by_text("Subtitles added to talk.mp4.").wait_for()
        until(page, "document.querySelector('#uploads').children.length === 0")
        (video,) = server.service.library.videos()
        page.locator("li.card summary").click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Add subtitles to talk.mp4").click()
        chooser.value.set_files(later)
        page.locator("#indexing").get_by_text("Indexed", exact=True).wait_for(timeout=60_000)
        page.goto(f"{server.url}/#/new/{video.id}")
        page.get_by_text("From subtitles (en, fr)").or_(page.get_by_text("From subtitles (fr)")).wait_for()
        page.get_by_text("bouilloire").first.wait_for()


def test_a_library_without_videos_leads_on_to_the_demo(browser: Any, tmp_path: Path, demo_video: Path) -> None:
    library = tmp_path / "library"
    shutil.copytree(demo_video.parent, library / "demo")  # making it takes a while
    with web_server(Workspace(library, load())) as server, opened(browser, server.url) as page:
        page.get_by_text("longtake setup").first.wait_for()
        page.get_by_role("button", name="Try the demo video").click()
        page.get_by_role("link", name="Ask about demo.mp4").wait_for()
        page.get_by_role("button", name="Try the demo video").wait_for(state="hidden")
        server.service.indexing.close()


def test_a_link_is_offered_only_where_it_is_fetched(browser: Any, tmp_path: Path) -> None:
    pytest.importorskip("yt_dlp")
    with web_server(Workspace(tmp_path / "without", load())) as server, opened(browser, server.url) as page:
        page.get_by_role("button", name="Try the demo video").wait_for()
        assert page.get_by_label("Link to a video").is_hidden()
    write_small_video(tmp_path / "talk.mp4")
    with (
        site_of(tmp_path) as (site, _),
        web_server(Workspace(tmp_path / "with", load()), links="anywhere") as server,
        opened(browser, server.url) as page,
    ):
        for name in ("gone.mp4", "talk.mp4"):
            page.get_by_label("Link to a video").fill(f"{site}/{name}")
            page.get_by_role("button", name="Fetch").click()
        page.locator("#uploads .problem").get_by_text("can't be fetched").wait_for(timeout=60_000)
        # After indexing, it is a card of the library.
        page.locator("#indexing, li.card").get_by_text("talk").first.wait_for(timeout=60_000)
        assert page.locator("#uploads > li").count() == 1


def test_a_link_that_is_pasted_while_another_is_sent_stays(browser: Any, tmp_path: Path) -> None:
    pytest.importorskip("yt_dlp")
    held: list[Any] = []
    with (
        web_server(Workspace(tmp_path / "library", load()), links="anywhere") as server,
        opened(browser, server.url) as page,
    ):
        page.route(
            "**/api/links", lambda route: held.append(route) if route.request.method == "POST" else route.continue_()
        )
        page.get_by_label("Link to a video").fill("http://127.0.0.1:9/first.mp4")
        with page.expect_request("**/api/links"):
            page.get_by_role("button", name="Fetch").click()
        page.get_by_label("Link to a video").fill("http://127.0.0.1:9/second.mp4")
        held[0].continue_()
        page.locator("#uploads > li").first.wait_for()
        assert page.get_by_label("Link to a video").input_value() == "http://127.0.0.1:9/second.mp4"


def test_the_page_is_small_and_loads_nothing_from_other_hosts(browser: Any, server: WebServer) -> None:
    with opened(browser, "about:blank") as page:
        loaded: list[Any] = []
        page.on("response", lambda response: loaded.append(response))
        page.goto(server.url, wait_until="networkidle")
        assert {urlsplit(each.url).netloc for each in loaded} == {urlsplit(server.url).netloc}
        files = {each.url: len(each.body()) for each in loaded if "/api/" not in each.url}
        assert sum(files.values()) < 200_000
        assert len(files) > 10  # the scripts are among them


def test_a_transcript_alone_is_asked_without_a_player(browser: Any, tmp_path: Path) -> None:
    lines = [f"0:{second:02} Ann: This is remark {second} about the harbour." for second in range(0, 50, 5)]
    meeting, copy = tmp_path / "meeting.txt", tmp_path / "copy.txt"
    for file in (meeting, copy):
        file.write_text("\n".join([*lines, "0:55 Bob: The blue kettle costs 249 dollars."]))
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        page.locator("#files").set_input_files(meeting)
        page.locator("#videos").get_by_text("Indexed").wait_for()
        page.locator("#files").set_input_files(copy)
        page.get_by_text("copy.txt has the same bytes as meeting.txt").wait_for()
        page.locator("#files").set_input_files(meeting)
        page.get_by_text("meeting.txt is in the library already").wait_for()
        page.locator("#videos h2 a").click()
        page.locator(".reading").wait_for()
        assert page.locator("#player video, #player img").count() == 0
        turn = ask(page, "How much does the blue kettle cost?")
        turn.locator(".answer .chip").first.click()
        page.locator(".lines li[aria-current]").get_by_text("249 dollars").wait_for()
