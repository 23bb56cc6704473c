"""Which option a reply chooses, without ever guessing."""

from __future__ import annotations

import pytest

from longtake.evalharness.scoring.choices import LABELS, read_choice

ANIMALS = ("a cat", "a dog", "a grey dog with a collar", "a horse", "none of them")

# Reply, number of options, label (- for none), status.
CASES = [
    ("Answer: C", 4, "C", "ok"),
    ("I think it is (D) because A is too early", 4, "D", "ok"),
    ("He stays until the man leaves, so the answer is C.", 4, "C", "ok"),
    ("The answer is not A but C", 4, "C", "ok"),
    ("A dog is running so I choose C", 4, "C", "ok"),
    ("b", 4, "B", "ok"),
    ("None of the options; I cannot answer", 4, "-", "abstained"),
    (r"\boxed{C}", 4, "C", "ok"),
    ("Answer: E", 5, "E", "ok"),
    ("B. A dog", 4, "B", "ok"),
    ("Answer: E", 4, "-", "failed"),
    ("", 4, "-", "failed"),
    ("C", 4, "C", "ok"),
    ("(c)", 4, "C", "ok"),
    ("**D**", 4, "D", "ok"),
    ("C.", 4, "C", "ok"),
    ("C) He opens the door", 4, "C", "ok"),
    ("Option B", 4, "B", "ok"),
    ("option (a)", 4, "A", "ok"),
    ("The correct option is B.", 4, "B", "ok"),
    ("The correct answer is (B) the door.", 4, "B", "ok"),
    ("Option B is correct.", 4, "B", "ok"),
    ("(B) is correct, since he leaves early.", 4, "B", "ok"),
    ("**Answer:** B", 4, "B", "ok"),
    ("Answer: **B**", 4, "B", "ok"),
    ("Answer: (B)", 4, "B", "ok"),
    ("Answer - B", 4, "B", "ok"),
    ("answer is b", 4, "B", "ok"),
    ("ANSWER: D", 4, "D", "ok"),
    ("The answer is: 'D'", 4, "D", "ok"),
    ("My answer would be C", 4, "C", "ok"),
    ("I would go with B here.", 4, "B", "ok"),
    ("I'll pick A.", 4, "A", "ok"),
    ("It must be D.", 4, "D", "ok"),
    ("Therefore the best choice is A", 4, "A", "ok"),
    ("A is tempting. B too. Final answer: D", 4, "D", "ok"),
    ("The answer could be A. On reflection, the answer is B.", 4, "B", "ok"),
    ("Final answer: B. (Someone might say the answer is C.)", 4, "B", "ok"),
    ("<think>The answer is A, no, B.</think>C", 4, "C", "ok"),
    ("<think>The answer is A and I will say so", 4, "-", "failed"),
    ("reasoning without an opening tag, answer: A</think>The answer is D", 4, "D", "ok"),
    ('{"answer": "B"}', 4, "B", "ok"),
    ('```json\n{"reasoning": "A is early", "answer": "C"}\n```', 4, "C", "ok"),
    ('{"answer": "A"}, no: {"answer": "C"} {"sure": true}', 4, "C", "ok"),
    ('{"frames": [1], "box": {"x": 1}} {"answer": "C"}', 4, "C", "ok"),
    ('{"choice": "b"}', 4, "B", "ok"),
    ('{"answer": "B. a dog"}', 4, "B", "ok"),
    (r"So we get \boxed{\text{B}}.", 4, "B", "ok"),
    (r"First \boxed{A}, corrected: \boxed{D}", 4, "D", "ok"),
    (r"\boxed{(C)}", 4, "C", "ok"),
    ("I looked at everything.\n\nB", 4, "B", "ok"),
    ("Both A and B are possible.", 4, "-", "failed"),
    ("A. early\nB. late", 4, "-", "failed"),
    ("Either (A) or (C).", 4, "-", "failed"),
    ("A man walks in and I see him sit down.", 4, "-", "failed"),
    ("I do not know.", 4, "-", "abstained"),
    ("It cannot be determined from the video.", 4, "-", "abstained"),
    ("NOT FOUND: nothing said or written answers this.", 4, "-", "abstained"),
    ("There is not enough information to choose.", 4, "-", "abstained"),
    ("The answer is not A.", 4, "-", "failed"),
    ("It isn't B, it's C", 4, "C", "ok"),
    ("The answer is a dog", 4, "-", "failed"),
    ("Answer: A dog", 4, "-", "failed"),
    ("Certainly! Here is what I see.", 4, "-", "failed"),
    ("The answer is B or C.", 4, "-", "failed"),
    ("Answer: b or c", 4, "-", "failed"),
    ("B or C", 4, "-", "failed"),
    ("Answer: A, C", 4, "-", "failed"),
    ("A, C", 4, "-", "failed"),
    ("Answer: A/B", 4, "-", "failed"),
    ("The answer is A and B.", 4, "-", "failed"),
    ("(B) or (C) is correct", 4, "-", "failed"),
    ("It is (B) or C", 4, "-", "failed"),
    ("The answer could be A. No, the answer is B or C.", 4, "-", "failed"),
    ("The answer is B, A is too early.", 4, "B", "ok"),
    ("The answer is B and C is wrong.", 4, "B", "ok"),
    ("C. Between A and B.", 4, "C", "ok"),
    ("(A) is incorrect because he sits; (C) fits.", 4, "-", "failed"),
    ("(A) is incorrect.", 4, "-", "failed"),
    ("(A) is tempting, yet (C) fits", 4, "-", "failed"),
    ("The answer is B-roll", 4, "-", "failed"),
    ("The answer is C++", 4, "-", "failed"),
    ("C++", 4, "-", "failed"),
    ('{"answer": "C++"}', 4, "-", "failed"),
    ("Answer: D-day", 4, "-", "failed"),
    (r"\boxed{B} or \boxed{C}", 4, "-", "failed"),
    ("答案是C", 4, "-", "failed"),
    ("Answer: A is wrong", 4, "-", "failed"),
    ("Answer: B (or C)", 4, "-", "failed"),
    ("Answer: B (A and C are too early)", 4, "B", "ok"),
    ("B\n\nExplanation: A is too early.", 4, "B", "ok"),
    ("**B**\n\n(A) is too early", 4, "B", "ok"),
    ("A\nB", 4, "-", "failed"),
    ("B is the answer.", 4, "B", "ok"),
    ("So B is my answer.", 4, "B", "ok"),
    ("So option B is the answer.", 4, "B", "ok"),
    ("B is not the answer.", 4, "-", "failed"),
    ("Therefore, B.", 4, "B", "ok"),
    ("He leaves late. Therefore, B.", 4, "B", "ok"),
    ("Therefore, B or C.", 4, "-", "failed"),
    ("Therefore, A man leaves.", 4, "-", "failed"),
    ("I'm going with D", 4, "D", "ok"),
    ("The answer is J", 10, "J", "ok"),
    ("Answer: I", 9, "I", "ok"),
]
BY_TEXT = [
    ("It is a horse.", "D", "fallback"),
    ("I see a grey dog with a collar in the garden", "C", "fallback"),
    ("a cat or a horse", "-", "failed"),
    ("none of them", "E", "fallback"),
    ("The animal is A HORSE!", "D", "fallback"),
    ("The answer is a horse", "D", "fallback"),
    ("A horse", "D", "fallback"),
    ("horses", "-", "failed"),
    ("B: not the horse", "B", "ok"),
    ("The answer is not the horse.", "-", "failed"),
    ("I see no horse", "-", "failed"),
    ("I do not see a horse.", "-", "failed"),
    ("Rule out the horse", "-", "failed"),
    ("A horse is wrong.", "-", "failed"),
    ("It is not a cat; it is a horse.", "D", "fallback"),
    ("It isn't a horse. A horse is bigger.", "D", "fallback"),
    ("I cannot tell whether it is a horse.", "-", "abstained"),
    ("I cannot see its legs, but it is a horse.", "D", "fallback"),
    ("I cannot say for certain, but it is a horse.", "D", "fallback"),
]
YES_OR_NO = [
    ("I cannot tell; no frame shows it.", "-", "abstained"),
    ("Not enough information; no person is named.", "-", "abstained"),
    ("NOT FOUND: no such thing is shown.", "-", "abstained"),
    ("No idea.", "-", "abstained"),
    ("There is no way to know.", "-", "abstained"),
    ("No.", "B", "fallback"),
    ("No, he does not.", "B", "fallback"),
    ("The answer is no.", "B", "fallback"),
    ("No\n\nHe does not.", "B", "fallback"),
    ("There is no evidence of a door.", "-", "failed"),
    ("I cannot tell, but no frame shows it.", "-", "abstained"),
]


@pytest.mark.parametrize(("reply", "options", "label", "status"), CASES)
def test_the_label_is_read(reply: str, options: int, label: str, status: str) -> None:
    choice = read_choice(reply, [f"what is called number{place}" for place in range(options)])
    assert ("-" if choice.option is None else LABELS[choice.option], choice.status) == (label, status)


@pytest.mark.parametrize(("reply", "label", "status"), BY_TEXT)
def test_the_text_of_one_option_is_read(reply: str, label: str, status: str) -> None:
    choice = read_choice(reply, ANIMALS)
    assert ("-" if choice.option is None else LABELS[choice.option], choice.status) == (label, status)


@pytest.mark.parametrize(("reply", "label", "status"), YES_OR_NO)
def test_who_cannot_tell_does_not_say_no(reply: str, label: str, status: str) -> None:
    choice = read_choice(reply, ("Yes", "No"))
    assert ("-" if choice.option is None else LABELS[choice.option], choice.status) == (label, status)
