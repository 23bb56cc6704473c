"""Scenes whose answers are heard: speech, alone or with a slide, in Spanish or recorded, and other sounds."""

from __future__ import annotations

from longtake.evalharness.scripted.draw import Draw, Tape, listed
from longtake.evalharness.scripted.script import Deck, Facts, Plain, Scene, SoundKind
from longtake.evalharness.scripted.voices import SPANISH, Recording

# Another scene has a tone; a second one would make questions ambiguous.
_SOUNDS: tuple[SoundKind, ...] = ("siren", "applause", "music")
_SOUND_SECONDS = 4.0
_CONTINUED = 4  # words of a recording by which a question names it, and that it asks for


def date(draw: Draw) -> Scene:
    """A day on a slide, and one that is said: the same, or another."""
    event, written = draw.take("events"), draw.take("days")
    spoken = written if draw.random.random() < 0.3 else draw.take("days")
    alike = spoken == written
    tape = Tape(draw.voice)
    utterance = tape.say(f"Please remember, the {event} is on {spoken}.")
    facts: Facts = {
        "event": event,
        "written": written,
        "said": spoken,
        "verdict": "Yes, both give the same day" if alike else "No, they give different days",
        "told_by": ("yes", "same", "agree", "agrees", "match") if alike else ("no", "different", "differ", "disagree"),
    }
    slide = listed(event.capitalize(), points=[written, "Everybody is welcome"])
    return tape.scene("date", Deck(slide=slide), facts, {"utterance": utterance})


def reason(draw: Draw) -> Scene:
    """Something that happened and why, said."""
    happened, why, word = draw.pair("said_causes")
    tape = Tape(draw.voice)
    tape.say("There is some news as well.")
    utterance = tape.say(f"{happened}, because {why}.")
    facts: Facts = {"happened": happened[0].lower() + happened[1:], "why": why, "word": word}
    return tape.scene("reason", Deck(slide=listed("News", points=["Listen"])), facts, {"utterance": utterance})


def opinion(draw: Draw) -> Scene:
    """What somebody says they think."""
    text, feeling = draw.pair("said_opinions")
    person = draw.take("people")
    tape = Tape(draw.voice)
    utterance = tape.say(text)
    facts: Facts = {"person": person, "text": text, "feeling": feeling}
    slide = listed("A word from", points=[person])
    return tape.scene("opinion", Deck(slide=slide), facts, {"utterance": utterance})


def minutes(draw: Draw) -> Scene:
    """Three matters, each with a point on a slide and two sentences."""
    entries = [draw.pair("minutes") for _ in range(3)]
    tape = Tape(draw.voice)
    for _, first, second in entries:
        tape.say(first)
        tape.say(second)
    topics = [topic for topic, _, _ in entries]
    facts: Facts = {
        "first": topics[0],
        "second": topics[1],
        "third": topics[2],
        "text": " ".join(f"{first} {second}" for _, first, second in entries),
    }
    slide = listed("Minutes of the meeting", points=topics)
    return tape.scene("minutes", Deck(slide=slide), facts)


def spanish(draw: Draw) -> Scene:
    """A sentence in Spanish, said."""
    text, english, word, other = draw.pair("spanish_lines")
    guest = draw.take("people")
    tape = Tape(draw.voice)
    utterance = tape.say(text, SPANISH)
    facts: Facts = {
        "guest": guest,
        "spanish": text,
        "english": english,
        "word": word,
        "second": other,
    }
    slide = listed("Our guest from Spain", points=[guest])
    return tape.scene("spanish", Deck(slide=slide), facts, {"utterance": utterance})


def listening(draw: Draw) -> Scene:
    """Three different sounds before a black picture, then some bangs."""
    first, second, third = draw.mixed(_SOUNDS)
    bangs = draw.random.randint(2, 5)
    tape = Tape(draw.voice)
    spans = [tape.play(kind, _SOUND_SECONDS) for kind in (first, second, third)]
    tape.pause(0.6)
    banged = [tape.play("bang", 0.4) for _ in range(bangs)]
    facts: Facts = {
        "sounds": (first, second, third),
        "first": first,
        "second": second,
        "third": third,
        "bangs": bangs,
    }
    moments = {"opening": spans[0], "middle": spans[1], "closing": spans[2], "banged": (banged[0][0], banged[-1][1])}
    return tape.scene("listening", Plain(colour="#000000"), facts, moments)


def recording(draw: Draw, taken: Recording) -> Scene:
    """A supplied recording, of which the exact words are known."""
    words = taken.text.split()
    tape = Tape(draw.voice)
    utterance = tape.run(taken)
    facts: Facts = {
        "opening": " ".join(words[:_CONTINUED]),
        "rest": " ".join(words[_CONTINUED : 2 * _CONTINUED]),
        "text": taken.text,
    }
    slide = listed("From the archive", points=["An old recording"])
    return tape.scene("recording", Deck(slide=slide), facts, {"utterance": utterance})
