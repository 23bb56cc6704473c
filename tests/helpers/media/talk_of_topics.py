"""A sound file of silence whose subtitles speak about three things, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from helpers.media.sound import silence, write_sound

SECONDS = 8.0  # of a line
TOPICS = (
    (
        "Today I show you how to bake bread at home.",
        "You need flour, water, salt and a little yeast.",
        "Mix the flour with the water and knead the dough.",
        "Let the dough rise in a warm kitchen until it has doubled.",
        "Heat the oven before you put the loaf on the tray.",
        "Bake the bread until the crust is brown.",
        "Let the loaf cool before you slice the bread.",
        "Fresh bread from your own oven tastes best with butter.",
    ),
    (
        "A volcano forms where molten rock rises to the surface.",
        "The hot rock below the surface is called magma.",
        "When magma reaches the crater it flows out as lava.",
        "Some volcanoes throw ash and gas high into the air.",
        "The ash of an eruption can stop planes for days.",
        "Lava cools and hardens into dark volcanic rock.",
        "Many volcanoes stand where plates of the earth meet.",
        "Scientists measure tremors to predict the next eruption.",
    ),
    (
        "In chess every player begins with sixteen pieces.",
        "The queen is the strongest piece on the board.",
        "A knight jumps over other pieces.",
        "Pawns move forward and capture diagonally.",
        "Castling brings the king to safety behind his pawns.",
        "Good players control the centre of the board.",
        "A pawn that reaches the last row becomes a queen.",
        "Checkmate ends the game when the king cannot escape.",
    ),
)


def write_talk(path: Path, *topics: Sequence[str]) -> Path:
    """A WAV file with these topics, 64 seconds each, in the .vtt beside it."""
    lines = [line for topic in topics for line in topic]
    write_sound(path, silence(len(lines) * SECONDS))
    cues = (f"{_time(number)} --> {_time(number + 1)}\n{line}\n" for number, line in enumerate(lines))
    path.with_suffix(".vtt").write_text("WEBVTT\n\n" + "\n".join(cues), encoding="utf-8")
    return path


def _time(number: int) -> str:
    minutes, seconds = divmod(int(number * SECONDS), 60)
    return f"00:{minutes:02}:{seconds:02}.000"
