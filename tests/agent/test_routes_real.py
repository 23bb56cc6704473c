"""Questions for eyes through the whole graph, with the real tools on real clips."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.clips import flat, write_clip

from longtake.agent.ask import Asker
from longtake.config import load
from longtake.memory.gallery import EnrolledFace, Gallery
from longtake.memory.records import Answer
from longtake.preprocess.workspace import Workspace

pytestmark = pytest.mark.slow


def ask(root: Path, clip: Path, question: str) -> Answer:
    answer = Asker(Workspace(root, load())).ask([str(clip)], question)
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
            "goes from left to right: ",
        ),
        ("PySceneDetect/testvideo.mp4", "What happens at 18.2 s?", "dissolve to another shot"),
    ],
)
def test_what_is_measured_answers(media: Path, tmp_path: Path, clip: str, question: str, held: str) -> None:
    answer = ask(tmp_path, media / clip, question)
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
def test_what_cannot_be_told_is_an_abstention(
    media: Path, tmp_path: Path, clip: str, question: str, reason: str
) -> None:
    answer = ask(tmp_path, media / clip, question)
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
