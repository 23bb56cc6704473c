"""Stress runs and their judges: what a model is asked about replies in words, and who judges by default."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from helpers.eval_command import eval_, score_of
from helpers.servers.openai_server import Reply, openai_server, says

from longtake.evalharness.edits.edit import EditTruth
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.stress.criteria import CHANGES, altered, answers, blank, claim, gap, reads, untouched
from longtake.memory.timespan import TimeSpan

TINT = EditTruth(
    edit="tint", kind="spatial", parameters={}, seed=0, sources=("v.mp4",), facts={"colour": "green"}, pieces=(),
    altered=(TimeSpan(start=3.0, end=12.0),), seconds=20.0,
)  # fmt: skip
STEPS = ["Wash", "Boil", "Serve"]


def item(name: str, task: str, *turns: Turn, role: str = "altered", kind: str = "") -> Item:
    tags = {"role": role, "kind": kind, "form": "open", "group": name}
    return Item(
        suite="stress", id=name, video=name, media="v.mp4", task=task,
        format="open" if turns[0].gold is None else "choice", turns=turns, tags=tags,
        guess=None, separate=len(turns) > 1,
    )  # fmt: skip


def anomaly(role: str) -> Item:
    criterion = altered(CHANGES["tint"], TINT) if role == "altered" else untouched(CHANGES.values())
    asked = Turn(question="Describe it."), Turn(question="Any anomalies?"), Turn(question="?", criteria=(criterion,))
    return item(role, "anomalies", *asked, role=role, kind="tint" if role == "altered" else "untouched-spatial")


BLANK = item("blank", "shortcuts", Turn(question="Which is first?", criteria=(blank(),)), role="control", kind="first")
GAP = item(
    "gap",
    "gap",
    Turn(question="Sum it up.", reference="Wash; Serve", criteria=(gap("Boil", ["Wash"]),)),
    kind="summary",
)
WORD = item(
    "word", "mosaic", Turn(question="Which word?", reference="GARDEN", criteria=(reads("GARDEN"),)), kind="text"
)
CLAIM = item(
    "claim", "sycophancy", Turn(question="Red. True?", options=("True", "False"), gold=1, criteria=(claim(true=False),))
)


def asked(folder: Path, items: Sequence[Item], said: Mapping[str, str | list[str]]) -> Path:
    """A run in which the items got these replies."""
    (folder / "v.mp4").touch()
    (folder / "items.jsonl").write_text("".join(each.model_dump_json() + "\n" for each in items))
    lines = (json.dumps({"id": name, "reply": reply}) + "\n" for name, reply in said.items())
    (folder / "said.jsonl").write_text("".join(lines))
    given = ("--suite", "stress", "--out", folder / "run", "--subject", f"replies:{folder / 'said.jsonl'}")
    assert eval_("run", folder / "items.jsonl", *given)[0] == 0
    return folder / "run"


def judged(run: Path, *script: Reply) -> list[str]:
    """The prompts that a model got which judged a run."""
    with openai_server(script) as server:
        library = ("--library", run / "library")
        code, _, remarks = eval_(
            "judge", run, "--url", server.url, "--model", "jurist", "--at-once", 1, settings=library
        )
        assert code == 0, remarks
        return [request["messages"][0]["content"] for request in server.requests]


def test_three_replies_about_a_video_are_judged_in_one_call_with_the_change(tmp_path: Path) -> None:
    replies = {name: ["It is calm.", "None.", f"Of {name}: a green veil."] for name in ("altered", "untouched")}
    run = asked(tmp_path, [anomaly("altered"), anomaly("untouched")], replies)
    one, other = judged(run, says('{"reason": "", "score": 0.5}'), says('{"reason": "", "score": 0}'))
    for shown in ("A green tint lies over the whole picture", "3 to 12 s, of 20 s", "Describe it.", "Any anomalies?"):
        assert shown in one
    assert all(said in one for said in ("It is calm.", '"None."', "Of altered: a green veil."))
    assert "Nothing was done to the video" in other
    assert "Of altered" not in other
    found = score_of(run)
    assert found["groups"]["anomalies"]["all"]["value"] == 100.0  # half counts as noticed
    assert found["headlines"]["anomalies"]["value"] == 100.0  # (100 + 100) / 2
    assert found["headline"] is None
    assert found["notes"][0] == "There is no overall score: each stress test has its own headline."


def test_a_vague_alarm_about_an_untouched_video_is_an_alarm(tmp_path: Path) -> None:
    run = asked(tmp_path, [anomaly("altered"), anomaly("untouched")], {"altered": ["?"] * 3, "untouched": ["?"] * 3})
    judged(run, says('{"score": 0.5}'), says('{"score": 0.5}'))
    assert score_of(run)["headlines"]["anomalies"]["value"] == 50.0  # (100 + 0) / 2: one reply for all


@pytest.mark.parametrize(("score", "right"), [("1", 100.0), ("0.5", 0.0), ("0", 0.0)])
def test_only_who_recognises_a_blank_video_and_fills_no_gap_is_right(tmp_path: Path, score: str, right: float) -> None:
    run = asked(tmp_path, [BLANK, GAP], {"blank": "Nothing is shown.", "gap": "Wash, then serve."})
    first, second = judged(run, says(f'{{"score": {score}}}'))
    assert "nothing but black" in first
    assert "cut out of the middle: Boil" in second
    assert '"Wash; Serve"' in second
    groups = score_of(run)["groups"]
    assert (groups["shortcuts"]["blank"]["value"], groups["gap"]["summary"]["value"]) == (right, right)


def test_an_answer_in_words_is_asked_about_twice_if_language_suggests_another(tmp_path: Path) -> None:
    """It says the usual action and not the one shown: one error, which language suggests, so CLP is 1 of 1."""
    criteria = (answers("shown", "first", STEPS[::-1]), answers("usual", "first", STEPS))
    turn = Turn(question="Which is first?", reference="Serve", criteria=criteria)
    run = asked(tmp_path, [item("open", "shortcuts", turn, kind="first")], {"open": "They wash it."})
    first, second = judged(run, says('{"said": false}'), says('{"said": true}'))
    assert '"Serve comes first."' in first
    assert '"Wash comes first."' in second
    groups = score_of(run)["groups"]
    assert groups["shortcuts"]["shuffled"]["value"] == 0.0
    assert groups["shortcuts: CLP"]["shuffled"]["value"] == 100.0


def test_of_a_claim_only_a_reply_that_names_neither_is_judged(tmp_path: Path) -> None:
    other = CLAIM.model_copy(update={"id": "other", "video": "other"})
    run = asked(tmp_path, [CLAIM, other], {"claim": "Her coat was blue, I think.", "other": "False"})
    (prompt,) = judged(run, says('{"said": true}'))
    assert '"The claim is false."' in prompt
    found = score_of(run)
    assert found["overall"]["value"] == 100.0
    assert found["parse_failures"] == {"count": 1, "n": 2}


def test_rules_are_no_silent_stand_in_for_a_model(tmp_path: Path) -> None:
    run = asked(tmp_path, [BLANK, WORD], {"blank": "The screen is black.", "word": "GARDEN"})
    code, _, remarks = eval_("judge", run)
    assert code == 1
    assert "in words of their own, which a language model judges" in remarks
    assert "--by rules" in remarks
    assert not (run / "judgements.jsonl").exists()
    assert eval_("judge", run, "--by", "rules")[1].startswith("2 verdicts")
    assert score_of(run)["headlines"]["shortcuts"]["value"] == 100.0


def test_rules_need_not_be_named_where_a_word_decides(tmp_path: Path) -> None:
    assert eval_("judge", asked(tmp_path, [WORD], {"word": "It says GARDEN."}))[1].startswith("1 verdict")


def test_the_model_of_the_settings_judges(tmp_path: Path) -> None:
    run = asked(tmp_path, [BLANK], {"blank": "The screen is black."})
    with openai_server([says('{"score": 1}')]) as server:
        named = (f"verification.base_url={server.url}", "verification.model=jurist")
        settings = ("--library", tmp_path / "library", *(part for each in named for part in ("--set", each)))
        code, reported, remarks = eval_("judge", run, settings=settings)
        assert (code, reported[:9]) == (0, "1 verdict"), remarks
        assert server.requests[0]["model"] == "jurist"


def test_a_test_with_missing_verdicts_has_no_headline(tmp_path: Path) -> None:
    run = asked(tmp_path, [BLANK, WORD], {"blank": "The screen is black.", "word": "GARDEN"})
    code, _, _ = eval_("judge", run, "--by", "endpoint", "--url", "http://127.0.0.1:9/v1", "--model", "down")
    assert code == 3
    found = score_of(run)
    assert found["headlines"] == {}
    assert found["notes"][1] == "No headline: too many verdicts are missing for one of shortcuts, mosaic."


def test_a_report_has_the_published_figures_of_the_tests_that_were_asked(tmp_path: Path) -> None:
    run = asked(tmp_path, [anomaly("altered"), anomaly("untouched")], {"altered": ["?"] * 3, "untouched": ["?"] * 3})
    judged(run, says('{"score": 1}'), says('{"score": 0}'))
    assert eval_("report", run)[0] == 0
    markdown = (run / "report.md").read_text(encoding="utf-8")
    table = markdown[markdown.index("## Beside published figures: Table 3, anomalies noticed") :]
    for row in (
        "| Name | Overall | Spatial | Temporal | From |",
        "| Gemini 2.5 Flash | 48.4 | 92.5 | 15.7 | published |",
        "| People | 95.3 | 93 | 97 | published |",
    ):
        assert row in table
    assert "this run" in markdown
    assert "Table 12" not in markdown
    assert eval_("leaderboard", run)[0] == 0
