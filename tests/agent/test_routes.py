"""Which questions go to which tools, in many wordings, and which only sound like it."""

from __future__ import annotations

import pytest

from longtake.agent.orientation import Orientation, classify, quoted
from longtake.agent.rules.routes import ERRANDS, ROUTES, route_of

HITS = {
    "inspect": (
        "Is the camera moving?",
        "Does the camera ever shake?",
        "Which way does the camera pan?",
        "When does the camera start to zoom?",
        "Is the camera static between 0:10 and 0:20?",
        "Is the clip played backwards?",
        "Is the picture frozen somewhere?",
        "When is the screen black?",
        "Is the video noisy?",
        "Is the footage in slow motion?",
        "Is the film in colour?",
        "Is this clip black and white or in color?",
    ),
    "find_direction": (
        "In which direction does the red ball move?",
        "Which way do the vehicles drive?",
        "In what direction is the person walking?",
        "Where do the green discs go?",
        "From which side to which does the red triangle travel?",
        "What is the direction of the blue squares?",
        "The red circles move in which direction?",
    ),
    "compare_numbers": (
        "Do more red circles or more blue squares cross the picture?",
        "Are there more triangles than circles?",
        "Which are more numerous, the red or the blue circles?",
        "Do the red squares outnumber the green squares?",
        "Is the number of green discs larger than that of red squares?",
    ),
    "find_corner": (
        "Where is the red circle?",
        "In which corner does the green triangle stand?",
        "Which corner of the picture holds the blue square?",
        "What is the position of the square that does not move?",
        "The yellow square is in which part of the picture?",
    ),
    "count_seen": ("How many vehicles drive through?", "Is there ever more than one person in view?"),
    "find_blank": ("Is there ever a black screen?", "Is there any white picture?", "Is there ever a red screen?"),
    "find_amount": ("How much honey did Cairo harvest?", "How many hives does Oslo have?"),
    "abstain": (
        "Does the slide price of the kettle agree with what is said?",
        "Is the price on the sign the same as the one the speaker names?",
        "Do the hours shown on the poster coincide with those that are announced?",
        "The price on the screen and the one that is said: do they differ?",
        "Thanks!",
    ),
    "look_everywhere": ("Is there ever a dog in the picture?",),
    "add_up": ("What is the total of the prices?",),
    "find_flash": (
        "Is there a flash?",
        "What flashes briefly?",
        "Which code flashes up for a moment?",
        "When does something pop up for an instant?",
        "Which word is shown for a single frame?",
        "A word stands there for an instant. Which word is seen for two frames only?",
        "When can a word be read for just a moment?",
        "Read the word that flashes by.",
        "What does the word say that flashes up?",
    ),
    "find_faces": (
        "Who is this?",
        "Who can be seen at 0:05?",
        "Is Ada Lovelace in the video?",
        "When is Ada seen?",
        "Who is in the picture at the end?",
    ),
    "find_thing": (
        "Where is the red circle at 0:05?",
        "Where is the ball at 0:05?",
        "Is there a person in the picture?",
        "What colour is the ball?",
    ),
    "calculate": (
        "Which calculation is shown?",
        "What does the expression on the board come to?",
        "What is the outcome of the sum in the picture?",
    ),
    "find_formula": (
        "What formula is written on the board?",
        "Solve the equation on the slide.",
        "What is the result of the formula at 0:42?",
    ),
    "translate": (
        "Translate what is said at 0:10 into English.",
        "What does the sign mean in English?",
        "In Spanish, what does the narrator say?",
        "Translate the French lines to German",
        "What is said in German?",
        "What is said at 1:56 in Spanish?",
        "What is the English translation of the notice?",
        "Put the French sentence into English, please.",
        "What would the sign be in English?",
    ),
    "keep_notes": (
        "Remember that the exam is in room 4.",
        "Please note down: ask about the dome",
        "What did I note about the exam?",
        "What are my notes?",
        "Do you remember what I said about the exam?",
        "Forget the note about the exam.",
        "Delete note 3",
    ),
    "look_up": (
        "Look up on the internet when the lake that the slide names was found.",
        "What is the capital of the country? Search the web for it.",
        "Using the web, tell me the height of the tower named on the screen.",
    ),
    "search_web": (
        "Search the web for the Kestrel observatory.",
        "Look up the dome on the internet",
        "Please search for telescope prices online.",
    ),
    "run_code": ("Run this code: `print(6 * 7)`", "Execute ```python\nprint(1)\n```"),
}
NEAR_MISSES = (
    "What does the blue kettle cost?",
    "Which camera does he recommend?",
    "What does she say about the camera moving?",
    "Is the sound noisy?",
    "What is said about slow motion?",
    "Where is the word “flash” written?",
    "What is stored on the flash drive?",
    "Who says that the dome is closed?",
    "Who built the telescope?",
    "Who is Edith Marlow?",
    "When is the title shown?",
    "What does the narrator remember about the storm?",
    "What should visitors note about the gate?",
    "What web address is shown?",
    "What does `dome` mean here?",
    "What colour of shirt is mentioned?",
    "Where do the visitors meet?",
    "Where do the people go after the talk?",
    "Are there more visitors than members?",
    "What is the number of visitors?",
    "In which corner of the garden is the shed?",
    "Does he use a frying pan or a zoom lens?",
    "What does the camera cost?",
    "What is said for a moment?",
    "What does the man wear where the picture is black?",
    "In which year did the work start?",
    "Who discovered the equation?",
    "When was the formula written?",
    "In which year was the equation found?",
    "Is the formula explained?",
    "Google Maps is shown at which time?",
    "What was the note on the fridge?",
    "What are the notes the pianist plays?",
    "Read the note on the fridge.",
    "Do you remember what the speaker said about taxes?",
    "Remember the Titans is mentioned when?",
    "Forget that scene, who is the speaker?",
    "What did the narrator say happened in French Polynesia?",
    "What does the captain say in English Bay?",
    "Look at the web of the spider: what colour is it?",
    "What is said about using the internet?",
    "Find the moment when the internet fails.",
    "Which expression does he have on his face?",
    "Who wrote the program?",
    "Can you tell me which words are shown as the speaker begins?",
    "Is the speaker shown on the slide?",
)


def route(question: str) -> str | None:
    kind, senses = classify(question)
    orientation = Orientation(
        question=question, kind=kind, modalities=senses, quoted=quoted(question), videos={"v": 60.0}
    )
    plan = route_of(orientation, (*ERRANDS, *ROUTES))
    return getattr(plan, "__name__", None)


@pytest.mark.parametrize(("name", "question"), [(name, asked) for name, many in HITS.items() for asked in many])
def test_a_question_goes_the_way_of_its_tool(name: str, question: str) -> None:
    assert route(question) == name


@pytest.mark.parametrize("question", NEAR_MISSES)
def test_other_questions_are_answered_as_ever(question: str) -> None:
    assert route(question) is None
