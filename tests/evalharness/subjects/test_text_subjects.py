"""Subjects that only read, each with its real model, on the small video with its subtitles and slides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.media.small_video import SHOWN
from helpers.models.smollm2 import smollm2

from longtake.console import Session
from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Reply, Turn, Variant
from longtake.evalharness.subjects.subject import AskedTurn, Subject
from longtake.evalharness.subjects.subject_table import subject_named
from longtake.preprocess.pipeline.workspace import Workspace

READERS = ("lexical", "embedding:minilm", "likelihood")
Ask = Callable[..., Reply]


@pytest.fixture(params=READERS)
def subject(request: pytest.FixtureRequest, own_workspace: Workspace) -> Subject:
    """Each subject, with the library of the small video."""
    name: str = request.param
    full = f"{name}:{smollm2()}" if name == "likelihood" else name
    return subject_named(full, [], Session(library=own_workspace.library.root))


@pytest.fixture
def ask(subject: Subject, small_workspace: Workspace) -> Ask:
    """The reply to a question in a view."""
    video = str(small_workspace.library.root / "talk.mp4")

    def asked(question: str, options: tuple[str, ...], gold: int, view: str | None, item: str = "i") -> Reply:
        turn = Turn(question=question, options=options, gold=gold)
        made = Item(suite="own", id=item, video="v", media=video, format="choice", turns=(turn,), seconds=8.0)
        return subject.reply(AskedTurn(made, 0, Variant(view=view), 0, ()))

    return asked


@pytest.mark.slow
def test_what_is_said_is_chosen_with_the_transcript(ask: Ask) -> None:
    question, options = "What does the kettle cost?", ("17 dollars", "630 dollars", "249 dollars", "88 dollars")
    assert ask(question, options, 2, "audio").choice == 2


@pytest.mark.slow
def test_what_the_wording_gives_away_is_chosen_blind(ask: Ask) -> None:
    options = ("a green sofa", "a blue kettle for tea", "seven shy dogs", "an old bridge")
    assert ask("In which kettle is the tea made?", options, 1, "blind").choice == 1


def test_equal_options_are_guessed_and_none_is_favoured(own_workspace: Workspace) -> None:
    subject = subject_named("lexical", [], Session(library=own_workspace.library.root))
    turn = Turn(question="Which?", options=("alpha", "beta", "gamma"), gold=0)
    items = [Item(suite="own", id=str(n), video="v", format="choice", turns=(turn,)) for n in range(120)]
    replies = [subject.reply(AskedTurn(item, 0, Variant(view="blind"), 0, ())) for item in items]
    assert replies == [subject.reply(AskedTurn(item, 0, Variant(view="blind"), 0, ())) for item in items]
    counts = [[reply.choice for reply in replies].count(place) for place in range(3)]
    assert all(20 <= count <= 60 for count in counts)


@pytest.mark.slow
def test_text_in_the_frames_shown_is_read_from_the_index(own_workspace: Workspace, small_workspace: Workspace) -> None:
    subject = subject_named("lexical", [], Session(library=own_workspace.library.root))
    video = str(small_workspace.library.root / "talk.mp4")
    turn = Turn(question="What does the slide show?", options=("alpha beta", SHOWN, "gamma"), gold=1)
    items = [Item(suite="own", id=str(n), video="v", media=video, format="choice", turns=(turn,)) for n in range(12)]

    def right(view: str) -> int:
        return sum(subject.reply(AskedTurn(item, 0, Variant(view=view), 0, ())).choice == 1 for item in items)

    # The slide is shown in the first half.
    assert (right("standard"), right("chunk-1")) == (12, 12)
    assert right("chunk-8") < 12


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("embedding", "embedding:ENGINE"),
        ("embedding:nonesuch", "minilm"),
        ("likelihood", "likelihood:FILE"),
        ("likelihood:/none.gguf", "none.gguf"),
    ],
)
def test_a_reader_that_cannot_be_used_is_one_sentence(name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=why):
        subject_named(name, [], Session(library=tmp_path))
