"""Follow-ups of a question that names a sound: "Which sound comes next?", and "When is that?" of what is seen then."""

from __future__ import annotations

import re

from longtake.agent.orientation import classify
from longtake.agent.rules.sounds import sounds_named
from longtake.agent.words import words

# A question of these words alone says nothing of its own; what it is about was said before.
_ASKING = frozenset(
    "and so then now also which what else other one is was can could be do does did you we i the a in video to as "
    "exactly right directly immediately just straight it that this there".split()
)
_NEXT = frozenset("next then after afterwards following follows follow".split())
_LAST = frozenset("before precedes preceding previous".split())
_SOUND = frozenset("sound sounds noise hear heard hears audible".split())
_COME = frozenset("come comes".split())
_ASKS = re.compile(r"\b(?:which|what|when)\b", re.IGNORECASE)
_WHEN = frozenset("when time moment point second".split())
_HEARD = frozenset("sound sounds hear heard audible ring rings".split())
_POINTING = frozenset("that this".split())
_BESIDE = re.compile(r"\b(?:after|before|follow\w*|preced\w*|next|between)\b", re.IGNORECASE)


def about_sound(question: str, before: str) -> str | None:
    """The question with the sound put in that the one before it named; None where it is not about that sound.

    Args:
        question: as asked.
        before: the question before it.
    """
    named, own = sounds_named(before), set(words(question))
    _, senses = classify(before)
    if len(named) != 1 or {"speech", "scene_text"} & set(senses) or _BESIDE.search(before) or not _ASKS.search(before):
        return None
    sound = f"the {named[0]}"
    if own <= _ASKING | _WHEN | _HEARD | {"at", "case"} and own & _WHEN:
        return f"When is {sound} heard?" if own & _POINTING or ("it" in own and own & _HEARD) else None
    if "visual" in senses or not own <= _ASKING | _NEXT | _LAST | _SOUND | (_COME if own & _SOUND else set()):
        return None
    if own & _LAST:
        return f"Which sound is heard right before {sound}?"
    return f"Which sound is heard right after {sound}?" if own & _NEXT else None
