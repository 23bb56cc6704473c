"""Captions: which pictures are described, what is kept when the endpoint dies, and what is left out."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from helpers.data.written_layers import write_keyframes, write_layer
from helpers.media.clips import flat, noise, write_clip
from helpers.models.colour_embedding import COLOURS
from helpers.servers.openai_server import Endpoint, Reply, openai_server, refuses, says

from longtake.config import load
from longtake.errors import Cancelled, EngineError, EngineUnavailable
from longtake.memory.building import build_layers
from longtake.memory.layers import Layer, LayerStore
from longtake.memory.search.search_types import SearchFilter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.endpoints.caption_engine import Description, NamedThing, TimedJpeg
from longtake.preprocess.engines.endpoints.picture_endpoint import CaptionEndpoint
from longtake.preprocess.layers.captions import Captions, CaptionScene, scenes_in, scenes_of
from longtake.preprocess.layers.layer_moments import moments_of
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.preprocess.pipeline.workspace import Workspace

MEDIA = MediaInfo("mp4", 12.0, 0.0, None, (), ())
SHOTS = ((0, 2), (2, 6), (6, 8), (8, 12))
TOLD = [f"Shot {number}." for number in range(len(SHOTS))]


@pytest.fixture
def keyframes(store: LayerStore) -> Layer:
    """Twelve seconds, a picture each, in four shots."""
    return write_keyframes(store, [noise(second) for second in range(12)], SHOTS)


def job_for(keyframes: Layer, url: str | None, *overrides: str, offline: bool = False) -> IndexJob:
    # One after the other and one picture each, so that a script tells which is which.
    chosen = (
        (f"captions.base_url={url}", "captions.model=seer", "captions.at_once=1", "captions.pictures=1") if url else ()
    )
    settings = load(overrides=(*chosen, "captions.every=3", *overrides), offline=offline)
    store = LayerStore(keyframes.path.parent.parent)
    shots = write_layer(store, "shots", *({"start": start, "end": end} for start, end in SHOTS))
    layers = {"keyframes": keyframes, "shots": shots}
    return IndexJob(Path("a.mp4"), MEDIA, settings, EngineTable(settings), layers)


def build(store: LayerStore, job: IndexJob, warn: Callable[[str], None] = pytest.fail) -> Layer:
    [recipe] = Captions().recipes(job)
    with build_layers(store.root, [recipe]) as building:
        following = replace(job, chunks=building.chunks, warn=warn)
        Captions().build(following, building.writers)
    layer = store.get("captions", recipe.key)
    assert layer
    return layer


def sent_pictures(endpoint: Endpoint) -> list[bytes]:
    urls = (request["messages"][0]["content"][1]["image_url"]["url"] for request in endpoint.requests)
    return [base64.b64decode(url.partition(",")[2]) for url in urls]


def test_the_picture_of_every_segment_is_described_once(store: LayerStore, keyframes: Layer) -> None:
    with openai_server([says(text) for text in TOLD]) as endpoint:
        layer = build(store, job_for(keyframes, endpoint.url))
    files = ["00001.jpg", "00004.jpg", "00007.jpg", "00010.jpg"]
    assert list(layer.items()) == [
        {"start": start, "end": end, "time": int(file[:5]) + 0.5, "text": text, "file": file, "named": []}
        for (start, end), text, file in zip(SHOTS, TOLD, files, strict=True)
    ]
    assert sent_pictures(endpoint) == [(keyframes.path / file).read_bytes() for file in files]
    assert layer.share(12) == 1


def test_segments_are_as_long_as_the_settings_say(store: LayerStore, keyframes: Layer) -> None:
    with openai_server([says("Noise.")]) as endpoint:
        layer = build(store, job_for(keyframes, endpoint.url, "captions.every=2"))
    assert [(item["start"], item["end"]) for item in layer.items()] == [(start, start + 2) for start in range(0, 12, 2)]
    assert all(item["start"] <= item["time"] < item["end"] for item in layer.items())
    assert len(set(sent_pictures(endpoint))) == 6


def second(number: int) -> dict[str, Any]:
    return {"kind": "second", "time": number + 0.5, "start": number, "end": number + 1, "file": f"{number}.jpg"}


def shot(start: float, end: float, time: float) -> dict[str, Any]:
    return {"kind": "shot", "time": time, "start": start, "end": end, "file": f"shot at {time:g}"}


def never(one: str, other: str) -> bool:
    return one == other


def files_of(scene: CaptionScene) -> list[str]:
    return [picture.file for picture in scene.pictures]


def spans(*edges: float) -> list[TimeSpan]:
    return [TimeSpan(start=start, end=end) for start, end in pairwise(edges)]


def test_the_pictures_of_a_segment_are_evenly_spread() -> None:
    scenes = list(scenes_of([*map(second, range(100)), shot(10, 80, 45.2)], spans(10, 34, 57, 80), 3, never))
    assert [files_of(scene) for scene in scenes] == [
        ["14.jpg", "22.jpg", "30.jpg"],
        ["37.jpg", "45.jpg", "53.jpg"],
        ["60.jpg", "68.jpg", "76.jpg"],
    ]


def test_a_picture_that_is_held_is_described_once() -> None:
    [scene] = scenes_of(map(second, range(100)), spans(*range(0, 101, 10)), 6, lambda one, other: True)
    assert (scene.span.start, scene.span.end, files_of(scene)) == (0, 100, ["0.jpg"])


def test_a_picture_of_another_colour_is_not_held_though_it_is_as_bright(store: LayerStore) -> None:
    red, green = flat((0, 0, 200)), flat((0, 102, 0))
    layers = {"keyframes": write_keyframes(store, [red, red, green])}
    scenes = list(scenes_in(layers, 3.0, load(overrides=["captions.every=1"]).captions))
    assert [(scene.span.start, scene.span.end) for scene in scenes] == [(0, 2), (2, 3)]


def test_a_segment_without_pictures_of_its_seconds_has_that_of_its_shot() -> None:
    elsewhere = [second(101), second(160)]
    [scene] = scenes_of([*elsewhere, shot(20, 60, 25)], spans(0, 20, 60, 90), 6, never)
    assert (scene.span.start, scene.span.end, files_of(scene)) == (20, 60, ["shot at 25"])


def long_job(folder: Path, url: str, *, at_once: int) -> IndexJob:
    """Twenty segments of a second each."""
    many = write_keyframes(LayerStore(folder / "layers"), [noise(number) for number in range(20)])
    job = job_for(many, url, "captions.every=1", f"captions.at_once={at_once}")
    return replace(job, layers={"keyframes": many}, media=replace(MEDIA, duration=20.0))


def test_a_segment_is_told_who_was_seen_long_before(tmp_path: Path) -> None:
    store = LayerStore(tmp_path / "layers")
    many = write_keyframes(store, [noise(second) for second in range(60)])
    layers, media = [], MediaInfo("mp4", 60.0, 0.0, None, (), ())
    replies = (says(f"It is noisy.\nperson | Guest {number} | hat {number}\n- thing|bell|") for number in count())
    for at_once in (1, 3):
        with openai_server([next(replies) for _ in range(30)]) as endpoint:
            job = job_for(many, endpoint.url, "captions.every=2", f"captions.at_once={at_once}")
            job = replace(job, layers={"keyframes": many}, media=media)
            layers.append(build(LayerStore(tmp_path / str(at_once)), job))
        told = [request["messages"][0]["content"][0]["text"] for request in endpoint.requests]
        assert not any("earlier parts show" in text for text in told[:13])  # several are under way
        assert all("thing | bell |" in text for text in told[20:])
    assert list(layers[0].items())[20]["named"] == [
        {"kind": "person", "name": "Guest 20", "looks": "hat 20"},
        {"kind": "thing", "name": "bell", "looks": ""},
    ]


def test_what_a_segment_is_told_is_the_same_however_many_are_described_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[int, Sequence[str]] = {}

    def describe(_: object, stills: Sequence[TimedJpeg], said: str, shown: str, known: Sequence[str]) -> Description:
        number = int(stills[0].time)
        told[number] = known
        time.sleep(0.2 * (number == 1))  # the others overtake it
        return Description("Noise.", (NamedThing("person", f"Guest {number}", ""),))

    monkeypatch.setattr(CaptionEndpoint, "describe", describe)
    runs = []
    for at_once in (1, 3):
        build(LayerStore(tmp_path / str(at_once)), long_job(tmp_path, "http://127.0.0.1:9/v1", at_once=at_once))
        runs.append(dict(told))
    assert runs[0] == runs[1]
    assert "person | Guest 1 | " in told[19]


def test_who_was_named_last_is_told_last_with_the_looks_of_the_first_time(tmp_path: Path) -> None:
    guests = ["person | Ana | red scarf", "person | Bo | cap", "person | ana | wet hair"]
    with openai_server([*(says(f"Noise.\n{guest}") for guest in guests), says("Noise.")]) as endpoint:
        build(LayerStore(tmp_path / "told"), long_job(tmp_path, endpoint.url, at_once=1))
    told = endpoint.requests[-1]["messages"][0]["content"][0]["text"]
    assert '["person | Bo | cap", "person | Ana | red scarf"]' in told


@pytest.mark.parametrize("reply", ["person | a man | tall", "?!", "the cat and " * 40])
def test_a_reply_that_describes_nothing_is_left_out(store: LayerStore, keyframes: Layer, reply: str) -> None:
    warnings: list[str] = []
    with openai_server([says(TOLD[0]), says(reply), says(TOLD[2]), says(TOLD[3])]) as endpoint:
        layer = build(store, job_for(keyframes, endpoint.url), warnings.append)
    assert [item["text"] for item in layer.items()] == [TOLD[0], TOLD[2], TOLD[3]]
    assert len(warnings) == 1


def test_what_was_left_out_is_tried_again_by_itself(store: LayerStore, keyframes: Layer) -> None:
    with openai_server([says(TOLD[0]), says(""), says(TOLD[2]), says(TOLD[3])]) as endpoint:
        job = job_for(keyframes, endpoint.url)
        lacking = build(store, job, lambda warning: None)
    store.record_run("captions", lacking.key, {"left_out": ["one"]})
    following = replace(job, layers={**job.layers, "captions": lacking})
    assert [recipe.key for recipe in Captions().recipes(replace(following, hurried=True))] == [lacking.key]
    with openai_server([says(TOLD[1])]) as endpoint:
        settings = job_for(keyframes, endpoint.url).settings
        whole = build(store, replace(following, settings=settings, engines=EngineTable(settings)))
    assert [item["text"] for item in whole.items()] == TOLD
    assert len(endpoint.requests) == 1
    assert [recipe.key for recipe in Captions().recipes(replace(job, layers={**job.layers, "captions": whole}))] == [
        whole.key
    ]


def test_a_part_is_shown_in_several_pictures_with_what_is_said_and_read(store: LayerStore, keyframes: Layer) -> None:
    spoken = write_layer(store, "subtitles", {"start": 2.5, "end": 5, "text": "The kettle\nboils."})
    read = write_layer(store, "scene_text", {"start": 2, "end": 6, "text": "ROOM 4417"})
    with openai_server([says(text) for text in TOLD]) as endpoint:
        job = job_for(keyframes, endpoint.url, "captions.pictures=6")
        layer = build(store, replace(job, layers={**job.layers, "subtitles": spoken, "scene_text": read}))
    assert [item["text"] for item in layer.items()] == TOLD
    second_one = endpoint.requests[1]["messages"][0]["content"]
    assert "The kettle boils." in second_one[0]["text"]
    assert "ROOM 4417" in second_one[0]["text"]
    assert [part["text"] for part in second_one[1:] if part["type"] == "text"] == [
        f"Picture at 00:00:0{number}.5:" for number in (2, 3, 4, 5)
    ]
    assert "kettle" not in endpoint.requests[0]["messages"][0]["content"][0]["text"]


def test_several_scenes_are_asked_about_at_once(
    store: LayerStore, keyframes: Layer, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, together = count(), Barrier(3, timeout=30)

    def describe(*_: object) -> Description:
        if 1 <= next(calls) <= 3:  # after the first one, which is asked about by itself
            together.wait()
        return Description("Noise.")

    monkeypatch.setattr(CaptionEndpoint, "describe", describe)
    job = job_for(keyframes, "http://127.0.0.1:9/v1", "captions.at_once=3", "captions.every=2")
    assert build(store, job).count == 6


def test_after_the_endpoint_died_only_the_rest_is_asked_for(
    tmp_path: Path, store: LayerStore, keyframes: Layer
) -> None:
    with openai_server([says(text) for text in TOLD]) as endpoint:
        undisturbed = build(LayerStore(tmp_path / "undisturbed"), job_for(keyframes, endpoint.url))
    with (
        openai_server([*(says(text) for text in TOLD[:3]), refuses(503, "going down")]) as endpoint,
        pytest.raises(EngineError, match="going down"),
    ):
        build(store, job_for(keyframes, endpoint.url))
    with openai_server([says(TOLD[3])]) as endpoint:
        layer = build(store, job_for(keyframes, endpoint.url))
    assert sent_pictures(endpoint) == [(keyframes.path / "00010.jpg").read_bytes()]
    for file in ("items.jsonl", "layer.json"):
        assert (layer.path / file).read_bytes() == (undisturbed.path / file).read_bytes()


def test_a_cancelled_build_asks_no_further_and_keeps_what_was_under_way(store: LayerStore, keyframes: Layer) -> None:
    slow = replace(says("Noise."), delay=0.8)
    with openai_server([says("Noise."), slow, says("Noise.")]) as endpoint:

        def cancel_after_two() -> None:
            if len(endpoint.requests) == 2:
                raise Cancelled("stopped")

        job = job_for(keyframes, endpoint.url)
        with pytest.raises(Cancelled):
            build(store, replace(job, check_cancelled=cancel_after_two))
        assert build(store, job).count == 4
        assert len(endpoint.requests) == 4


def test_a_refused_picture_is_left_out_and_said(store: LayerStore, keyframes: Layer) -> None:
    warnings: list[str] = []
    script = [says(TOLD[0]), refuses(400, "content policy"), says(TOLD[2]), says("")]
    with openai_server(script) as endpoint:
        layer = build(store, job_for(keyframes, endpoint.url), warnings.append)
    assert [item["text"] for item in layer.items()] == [TOLD[0], TOLD[2]]
    assert [(span.start, span.end) for span in layer.covered] == [(0, 2), (6, 8)]
    [warning] = warnings
    assert "2 of 4 segments" in warning
    assert " 00:00:04: " in warning
    assert "content policy" in warning


@pytest.mark.parametrize(("number", "time"), [(0, "00:00:01"), (2, "00:00:07")])
def test_a_picture_that_always_fails_is_left_out_while_others_are_described(
    store: LayerStore, keyframes: Layer, number: int, time: str
) -> None:
    warnings: list[str] = []
    before, after = ([says(text) for text in part] for part in (TOLD[:number], TOLD[number + 1 :]))
    fails, seen = refuses(500, "out of memory"), says("What was described is described again.")
    # At first it is put off; once others are described, one of them and then it are asked for again.
    script = [*before, fails, seen, fails, *after] if before else [fails, *after, fails, seen, fails]
    with openai_server(script) as endpoint:
        layer = build(store, job_for(keyframes, endpoint.url), warnings.append)
        sent = sent_pictures(endpoint)
    assert [item["text"] for item in layer.items()] == [*TOLD[:number], *TOLD[number + 1 :]]
    described = [shot for shot in SHOTS if shot != SHOTS[number]]
    assert sum(span.length for span in layer.covered) == sum(end - start for start, end in described)
    assert (len(sent), len(set(sent))) == (len(script), 4)
    [warning] = warnings
    assert "1 of 4 segments" in warning
    assert f" {time}: " in warning
    assert "out of memory. Check captions.base_url and captions.model." in warning


def test_a_picture_that_failed_in_passing_is_described_after_all(store: LayerStore, keyframes: Layer) -> None:
    script = [says(TOLD[0]), refuses(503, "busy"), says(TOLD[0]), says(TOLD[1]), says(TOLD[2]), says(TOLD[3])]
    with openai_server(script) as endpoint:
        layer = build(store, job_for(keyframes, endpoint.url))
    assert [item["text"] for item in layer.items()] == list(TOLD)


@pytest.mark.parametrize("reply", [refuses(500, "no memory"), refuses(401, "Wrong key")])
def test_an_endpoint_that_describes_nothing_is_not_sent_every_picture(
    store: LayerStore, keyframes: Layer, reply: Reply
) -> None:
    with openai_server([reply]) as endpoint, pytest.raises(EngineError, match="index again"):
        build(store, job_for(keyframes, endpoint.url))
    assert len(endpoint.requests) == 3


def test_a_model_that_takes_no_pictures_is_not_sent_all_of_them(store: LayerStore, keyframes: Layer) -> None:
    with (
        openai_server([refuses(400, "images are not supported")]) as endpoint,
        pytest.raises(EngineError, match="images are not supported"),
    ):
        build(store, job_for(keyframes, endpoint.url))
    assert len(endpoint.requests) == 3


def test_without_an_endpoint_the_layer_is_unavailable(keyframes: Layer) -> None:
    with pytest.raises(EngineUnavailable, match=r"captions\.base_url=.*captions\.model="):
        Captions().recipes(job_for(keyframes, None))
    with pytest.raises(EngineUnavailable, match="No engine for"):
        Captions().recipes(job_for(keyframes, "http://127.0.0.1:9/v1", "engines.captions=[]"))


def test_without_keyframes_nothing_is_built(keyframes: Layer) -> None:
    assert Captions().recipes(replace(job_for(keyframes, "http://127.0.0.1:9/v1"), layers={})) == ()


def test_half_an_endpoint_is_an_error(keyframes: Layer) -> None:
    with pytest.raises(EngineError, match=r"captions\.base_url=.*captions\.model="):
        Captions().recipes(job_for(keyframes, None, "captions.model=seer"))


def test_an_endpoint_elsewhere_is_not_asked_offline(keyframes: Layer) -> None:
    with pytest.raises(EngineError, match=r"--offline forbids the endpoint https://api\.example\.org/v1"):
        Captions().recipes(job_for(keyframes, "https://api.example.org/v1", offline=True))
    assert Captions().recipes(job_for(keyframes, "http://127.0.0.1:9/v1", offline=True))


@pytest.mark.parametrize("change", ["captions.model=other", "captions.every=2", "captions.pictures=2"])
def test_what_changes_a_caption_changes_the_key(keyframes: Layer, change: str) -> None:
    url = "http://127.0.0.1:9/v1"
    [one], [other] = (Captions().recipes(job_for(keyframes, url, *more)) for more in ((), (change,)))
    assert one.key != other.key


def test_captions_are_found_as_what_is_seen(store: LayerStore, keyframes: Layer) -> None:
    with openai_server([says(text) for text in TOLD]) as endpoint:
        layer = build(store, job_for(keyframes, endpoint.url))
    documents = moments_of("v", {"captions": layer})
    assert [(document.modality, document.text, document.trusted) for document in documents] == [
        ("visual", text, True) for text in TOLD
    ]


@pytest.mark.slow
def test_indexing_says_what_failed_and_goes_on_from_there(tmp_path: Path) -> None:
    colours = ("red", "green", "blue")
    clip = write_clip(tmp_path / "walls.mp4", [flat(COLOURS[colour]) for colour in colours for _ in range(50)])
    reported = [f"A wall painted {colour}." for colour in colours]
    with openai_server([says(reported[0]), refuses(503, "going down")]) as endpoint:
        report = workspace_of(tmp_path, endpoint).add(clip)
    [problem] = [layer.problem for layer in report.layers if layer.problem]
    assert endpoint.url in problem
    assert "going down" in problem
    with openai_server([says(text) for text in reported[1:]]) as endpoint:
        workspace = workspace_of(tmp_path, endpoint)
        report = workspace.add(clip)
    assert not [layer.problem for layer in report.layers if layer.problem]
    assert len(endpoint.requests) == 2
    for number, colour in enumerate(colours):
        [best, *_] = retrieve(f"painted {colour}", SearchFilter(), 5, workspace.engines, workspace.index)
        assert (best.moment.text, best.moment.modality) == (reported[number], "visual")
        assert best.moment.span.start == pytest.approx(2 * number, abs=0.1)


def workspace_of(folder: Path, endpoint: Endpoint) -> Workspace:
    overrides = (f"captions.base_url={endpoint.url}", "captions.model=seer", "captions.at_once=1", "captions.every=2")
    return Workspace(folder / "library", load(overrides=overrides))
