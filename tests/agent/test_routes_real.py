"""Questions for eyes through the whole graph, with the real tools on real clips."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.clips import Picture, flat, write_clip, written
from helpers.drawing import BLUE, GREEN, RED, box, circle

from longtake.agent.ask import Asker
from longtake.config import load
from longtake.memory.gallery import EnrolledFace, Gallery
from longtake.memory.records import Answer
from longtake.preprocess.workspace import Workspace

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Asker:
    """Asks about whatever clip is named, in one library: engines are loaded once, and each clip is indexed once."""
    return Asker(Workspace(tmp_path_factory.mktemp("library"), load()))


def ask(asker: Asker, clip: Path, question: str) -> Answer:
    answer = asker.ask([str(clip)], question)
    assert all(claim.verdict == "supported" for claim in answer.claims)
    return answer


@pytest.mark.parametrize(
    ("clip", "question", "held"),
    [
        ("shared-assets/friday.mp4", "Is the film in colour?", "No: “black and white: none of"),
        ("shared-assets/flower.mp4", "Is the film in colour?", "Yes: “in colour: "),
        (
            "bgslibrary/video.avi",
            "In which direction do all vehicles move in the picture?",
            "goes to the right, from left to right: ",
        ),
        ("PySceneDetect/testvideo.mp4", "What happens at 18.2 s?", "dissolve to another shot"),
    ],
)
def test_what_is_measured_answers(media: Path, asker: Asker, clip: str, question: str, held: str) -> None:
    answer = ask(asker, media / clip, question)
    assert answer.status == "answered"
    assert held in answer.answer


@pytest.mark.parametrize(
    ("clip", "question", "reason"),
    [
        ("sam2/02_cups.mp4", "Where is the ball?", "cannot know a 'ball'"),
        ("bgslibrary/video.avi", "Is the clip reversed?", "the picture alone does not tell the direction of time"),
        ("bgslibrary/video.avi", "Is there a flash?", "No flash in"),
    ],
)
def test_what_cannot_be_told_is_an_abstention(media: Path, asker: Asker, clip: str, question: str, reason: str) -> None:
    answer = ask(asker, media / clip, question)
    assert (answer.status, answer.citations) == ("abstained", ())
    assert reason in answer.answer


def test_who_is_enrolled_is_named_when_seen(media: Path, tmp_path: Path) -> None:
    photos = media / "face_recognition"
    read = np.asarray(cv2.imread(str(photos / "obama2.jpg")), np.uint8)
    small = np.asarray(cv2.resize(read, (360, 360 * read.shape[0] // read.shape[1] // 2 * 2)), np.uint8)
    grey = flat((90, 90, 90), small.shape[1], small.shape[0])
    clip = write_clip(tmp_path / "clip.mp4", [*[grey] * 50, *[small] * 50])
    workspace = Workspace(tmp_path / "library", load(overrides=["engines.faces=[dlib]"]))
    engine = workspace.engines.load("faces")
    [face] = engine.find(np.asarray(cv2.imread(str(photos / "obama.jpg")), np.uint8))
    Gallery(workspace.library.root).enrol("Barack Obama", [EnrolledFace(engine=engine.id, embedding=face.embedding)])
    asker = Asker(workspace)
    when = asker.ask([str(clip)], "When is Barack Obama seen?")
    assert (when.status, [claim.verdict for claim in when.claims]) == ("answered", ["supported"])
    assert when.citations[0].start == pytest.approx(2.0, abs=0.3)
    assert asker.ask([str(clip)], "Is Joe Biden in the video?").status == "abstained"


@pytest.fixture(scope="module")
def crossing(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A slide, and 8 s in which a red disc and then two green squares go right, below a blue square in a corner."""

    def picture(time: float) -> Picture:
        shown = box(flat((215, 225, 230), 640, 360), 560, 40, 48, 48, BLUE)
        shown = circle(shown, (-40 + 400 * time, 180), 24, RED)
        for late in (2.5, 5.0):
            shown = box(shown, round(-60 + 400 * (time - late)), 156, 48, 48, GREEN)
        return shown

    slide = written(flat((90, 40, 20), 640, 360), "KETTLE 249", (80, 180), 2.0)
    clip = tmp_path_factory.mktemp("crossing") / "clip.mp4"
    return str(write_clip(clip, [*[slide] * 75, *(picture(number / 25) for number in range(200))]))


@pytest.mark.parametrize(
    ("question", "options", "chosen"),
    [
        ("Which way do the green squares go?", ("from left to right", "from right to left"), "from left to right"),
        ("Where does the blue square stand?", ("top left", "top right", "bottom right"), "top right"),
        ("Are more red circles or more green squares seen?", ("red circles", "green squares"), "green squares"),
        ("While the shapes cross the picture, is anybody's face seen?", ("yes", "no"), "no"),
        ("How many green squares cross the picture?", ("1", "2", "3"), "2"),
    ],
)
def test_options_about_shapes_are_chosen_by_what_is_seen(
    asker: Asker, crossing: str, question: str, options: tuple[str, ...], chosen: str
) -> None:
    answer = asker.ask([crossing], question, options=options)
    assert answer.option
    assert answer.option.text == chosen
    assert answer.citations[0].start == pytest.approx(5.0, abs=3.5)


def test_a_face_among_shapes_is_neither_overlooked_nor_denied(media: Path, tmp_path: Path, asker: Asker) -> None:
    read = np.asarray(cv2.imread(str(media / "face_recognition" / "obama2.jpg")), np.uint8)
    ground = flat((215, 225, 230), 640, 360)
    ground[40:320, 20:240] = cv2.resize(read, (220, 280))
    frames = [circle(ground, (260 + 3 * number, 300), 24, RED) for number in range(100)]
    answer = ask(asker, write_clip(tmp_path / "clip.mp4", frames), "Is a face seen while the circle moves?")
    assert answer.answer.startswith("Yes: “face 1 of 1") or answer.status == "abstained"


def test_a_photograph_is_found_by_its_face(media: Path, tmp_path: Path, asker: Asker) -> None:
    read = np.asarray(cv2.imread(str(media / "face_recognition" / "biden.jpg")), np.uint8)
    ground = flat((48, 48, 48), 640, 360)
    shown = ground.copy()
    shown[:, 200:440] = cv2.resize(read, (240, 360))
    clip = write_clip(tmp_path / "clip.mp4", [*[ground] * 100, *[shown] * 100])
    answer = ask(asker, clip, "When does a photograph of a person appear?")
    assert answer.answer.startswith("“face 1 of 1")
    assert answer.citations[0].start == pytest.approx(4.0, abs=0.6)
    assert ask(asker, clip, "Who is the person in the photograph?").status == "abstained"


def test_the_kind_of_a_change_from_slide_to_slide_is_told(tmp_path: Path, asker: Asker) -> None:
    ground = flat((90, 40, 20), 640, 360)
    slides = [
        written(written(ground, title, (40, 110), 3.0), line, (40, 240), 1.8)
        for title, line in (("Kettles", "copper and brass"), ("Gardens", "roses and thyme"), ("Harbour", "three boats"))
    ]
    shares = np.arange(1, 16) / 16
    dissolve = [cv2.addWeighted(slides[0], 1 - share, slides[1], share, 0) for share in shares]
    frames = [*[slides[0]] * 75, *dissolve, *[slides[1]] * 75, *[slides[2]] * 75]
    clip = write_clip(tmp_path / "clip.mp4", [np.asarray(frame, np.uint8) for frame in frames])
    ways = ("a cut", "a dissolve", "a fade")
    for title, way in (("Gardens", "a dissolve"), ("Harbour", "a cut")):
        answer = asker.ask([str(clip)], f'Which transition leads to the slide "{title}"?', options=ways)
        assert answer.option
        assert answer.option.text == way
