"""Replies that refuse to answer, and replies that look like it."""

from __future__ import annotations

import pytest

from longtake.language.abstaining import refuses

REFUSALS = (
    "I'm sorry, but I can't assist with that.",
    "I’m sorry, but I can’t assist with that request.",
    "Sorry, I can't help with that.",
    "I cannot assist with this request.",
    "I can't help with identifying people in videos.",
    "I'm sorry, I cannot help with that. Is there anything else?",
    "I am unable to assist with that.",
    "I'm unable to help with identifying the man.",
    "I'm not able to identify people in images.",
    "I apologize, but I cannot comply with this request.",
    "My apologies, but I can't fulfill that request.",
    "Unfortunately, I cannot process this request.",
    "I must decline to answer.",
    "I have to respectfully decline.",
    "I decline to say who that is.",
    "I won't answer that.",
    "I will not describe this scene.",
    "I won't be able to help with that.",
    "As an AI language model, I cannot watch videos.",
    "As an AI, I don't have the ability to view images.",
    "I'm not comfortable answering questions about this person.",
    "That's not something I can help with.",
    "This request violates the usage policy, so it stays unanswered.",
    "It's against my guidelines to answer.",
    "I understand your interest in the video, but I can't discuss this.",
    "**I'm sorry, but I can't do that.**",
    "I can't provide assistance with this.",
)
ANSWERS = (
    "I can't tell from the video.",
    "I'm sorry, but I cannot determine the colour.",
    "Sorry, the video does not show that.",
    "I cannot see any door.",
    "I can't answer this question from the frames.",
    "It cannot be answered.",
    "I can't identify the speaker.",
    "I'm unable to determine who speaks.",
    "I am not able to see the sign.",
    "I can't help but notice the red car.",
    "He refuses to help.",
    "She says: I can't help with that.",
    "The clerk says he can't assist with that.",
    "\"I'm sorry, I can't help you,\" says the nurse.",
    "The man apologizes and declines.",
    "Sorry for the confusion: the answer is B.",
    "I'm sorry, my earlier answer was wrong. It is the second one.",
    "Unfortunately, the runner falls.",
    "I will go with B.",
    "I won't lie, it is the blue one.",
    "I decided it is the second door.",
    "We are not alone, says the caption.",
    "This question is about the ending: he leaves.",
    "As an artist, I would say it is blue.",
    "I can help: it is a cat.",
    "They cannot engage the gear.",
    "It's against the wall.",
    "Apologies are exchanged by the two drivers.",
    "The request violates the rules of the game, so the referee whistles.",
    "I could say it is the left one.",
    "B",
    "",
)
# No expression was changed because of these.
LATER_REFUSALS = (
    "I can't help you with that question.",
    "I'm sorry, I can't assist with identifying this person.",
    "I am unable to help with this request.",
    "Sorry, I cannot comply with that.",
    "As an AI assistant, I can't view the video you mention.",
    "I cannot continue with this request.",
    "I won't answer questions about this person.",
    "I'm not allowed to discuss that.",
    "I politely decline.",
    "My apologies, but I am not able to assist further.",
    "I'm sorry but I cannot do that.",
    "That is against my guidelines.",
    "I don't think I should answer this.",
    "No comment.",
    "I can't share that.",
)
LATER_ANSWERS = (
    "I can't be certain, but the left one.",
    "I cannot make out the number.",
    "I won two points, says the player.",
    "As an alternative, I can name the blue car.",
    "I am not sure.",
    "I'm allowed to guess: C.",
    "I have to guess: C.",
    "I need to see more frames.",
    "Sorry, I cannot see that.",
    "No, I can't see it.",
    "It is against the wall that he leans.",
    "I cannot help but think it is B.",
    "I can't do more than guess: B.",
    "I am afraid I can't tell.",
    "I understand the question: two people, then three.",
)


def test_refusals_are_found_and_nothing_else_is() -> None:
    assert [text for text in REFUSALS if not refuses(text)] == []
    assert [text for text in ANSWERS if refuses(text)] == []


def test_precision_and_recall_on_replies_written_later() -> None:
    """12 of 15 refusals and none of 15 others: precision 12 / 12 = 100 %, recall 12 / 15 = 80 %."""
    missed = [text for text in LATER_REFUSALS if not refuses(text)]
    assert missed == ["I don't think I should answer this.", "No comment.", "I can't share that."]
    assert [text for text in LATER_ANSWERS if refuses(text)] == []


@pytest.mark.parametrize("text", ["The sign says no. I can't assist with that.", "B. I can't help with more."])
def test_a_refusal_opens_a_reply(text: str) -> None:
    assert refuses(text) is None
