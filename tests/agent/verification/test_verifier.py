"""Who judges a claim: words alone, or a language model about what words leave open."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from longtake.agent.verification.verdicts import Grounds
from longtake.agent.verification.verifier import BY_WORDS, EntailmentVerifier, billions
from longtake.memory.records import Evidence, Verdict
from longtake.memory.timespan import TimeSpan

PROOF = Evidence(
    video="v",
    span=TimeSpan(start=4, end=6),
    modality="speech",
    content="The blue kettle costs 249 dollars and was bought in Oslo last winter.",
    engine="subtitles-1",
)
PARAPHRASE = "The blue kettle was purchased in Oslo last winter."


@dataclass
class Judge:
    """Says always the same, and keeps what it was asked."""

    reply: str
    asked: list[str] = field(default_factory=list)

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        return self.reply


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("Yes.", "supported"),
        ("**yes**", "supported"),
        ("No.", "unverified"),
        ("", "unverified"),
        ("Eyes", "unverified"),
    ],
)
def test_a_judge_may_let_a_paraphrase_pass(reply: str, verdict: Verdict) -> None:
    judge = Judge(reply)
    assert BY_WORDS.verify(PARAPHRASE, [PROOF], Grounds()) == "unverified"
    assert EntailmentVerifier(judge).verify(PARAPHRASE, [PROOF], Grounds()) == verdict
    assert len(judge.asked) == 1
    assert PARAPHRASE in judge.asked[0]
    assert PROOF.content in judge.asked[0]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The blue kettle costs 299 dollars.", "contradicted"),
        ("The blue kettle was purchased in Oslo for 299 dollars.", "contradicted"),
        ("The blue kettle was purchased in Bergen last winter.", "unverified"),
        ("Napoleon drank wine.", "unverified"),
        ("The blue kettle costs 249 dollars.", "supported"),
    ],
)
def test_it_is_not_asked_where_words_settle_it_or_a_number_or_name_is_another(claim: str, verdict: Verdict) -> None:
    judge = Judge("Yes.")
    assert EntailmentVerifier(judge).verify(claim, [PROOF], Grounds()) == verdict
    assert judge.asked == []


def test_without_proof_there_is_nothing_to_judge() -> None:
    judge = Judge("Yes.")
    assert EntailmentVerifier(judge).verify(PARAPHRASE, [], Grounds()) == "unverified"
    assert judge.asked == []


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("Qwen/Qwen3-4B", 4.0),
        ("Qwen/Qwen2.5-0.5B-Instruct", 0.5),
        ("SmolLM2-360M", 0.36),
        ("meta-llama/Llama-3.1-70b", 70.0),
        ("gpt-5-mini", None),
        ("scripted", None),
        ("", None),
    ],
)
def test_how_large_a_model_is_by_its_name(model: str, size: float | None) -> None:
    assert billions(model) == size
