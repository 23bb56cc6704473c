"""Scenes whose answers are seen: moving shapes, camera movement, flashing words, photos."""

from __future__ import annotations

from pathlib import Path

from longtake.evalharness.scripted.draw import Draw, Tape, listed
from longtake.evalharness.scripted.script import (
    FPS,
    HEIGHT,
    WIDTH,
    Camera,
    Deck,
    Facts,
    Flash,
    Move,
    Photograph,
    Point,
    Scene,
    Shape,
    Shapes,
    Track,
)

COLOURS = {"red": "#D62828", "blue": "#1F4FD8", "green": "#2A9D3A", "orange": "#F08A00", "purple": "#7B2FBE"}
MOVES: tuple[Move, ...] = ("pan left", "pan right", "zoom in", "zoom out")
CORNERS: dict[str, Point] = {
    "top left": (70, 60),
    "top right": (WIDTH - 70, 60),
    "bottom left": (70, HEIGHT - 60),
    "bottom right": (WIDTH - 70, HEIGHT - 60),
}
# What counts as telling of a move.
_TOLD_AS: dict[Move, tuple[str, ...]] = {
    "pan left": ("pan left", "pans left", "panning left", "to the left", "leftward", "leftwards", "moves left"),
    "pan right": ("pan right", "pans right", "panning right", "to the right", "rightward", "rightwards", "moves right"),
    "zoom in": ("zoom in", "zooms in", "zooming in", "zoomed in", "closer", "nearer"),
    "zoom out": ("zoom out", "zooms out", "zooming out", "zoomed out", "further away", "farther away"),
}
_RADIUS = 24
_CROSSING = 2 * FPS  # frames that a shape takes from side to side
_LEAD = FPS  # frames before the first
_REST = 10  # frames between one and the next


def crossing(draw: Draw) -> Scene:
    """Circles, then squares, that cross one at a time, while another square stands in a corner."""
    circles, squares = draw.mixed((1, 2, 3, 4))[:2]
    round_colour, square_colour, standing = draw.mixed(sorted(COLOURS))[:3]
    rightward = draw.one((True, False))
    corner = draw.one(sorted(CORNERS))
    shapes: list[tuple[Shape, str]] = [
        *[("circle", round_colour) for _ in range(circles)],
        *[("square", square_colour) for _ in range(squares)],
    ]
    tracks = [_across(shape, colour, place, rightward) for place, (shape, colour) in enumerate(shapes)]
    end = tracks[-1].until + _LEAD
    spot = CORNERS[corner]
    still = Track(shape="square", colour=COLOURS[standing], radius=_RADIUS, start=spot, end=spot, first=0, until=end)
    facts: Facts = {
        "round_colour": round_colour,
        "square_colour": square_colour,
        "circles": circles,
        "squares": squares,
        "more": f"{round_colour} circles" if circles > squares else f"{square_colour} squares",
        "fewer": f"{square_colour} squares" if circles > squares else f"{round_colour} circles",
        "towards": "right" if rightward else "left",
        "from": "left" if rightward else "right",
        "standing": standing,
        "corner": corner,
        "corners": tuple(CORNERS),
    }
    return Tape(draw.voice).scene("crossing", Shapes(tracks=(still, *tracks)), facts, least=end / FPS)


def signal(draw: Draw) -> Scene:
    """Three circles of different colours cross one at a time, and a tone sounds while one of them does."""
    colours = draw.mixed(sorted(COLOURS))[:3]
    at = draw.random.randrange(3)
    tracks = [_across("circle", colour, place, True) for place, colour in enumerate(colours)]
    tape = Tape(draw.voice)
    tape.pause((tracks[at].first + FPS // 2) / FPS - 0.6)
    heard = tape.play("beep", 1.0)
    facts: Facts = {"colour": colours[at], "place": ("first", "second", "third")[at]}
    end = tracks[-1].until + _LEAD
    return tape.scene("signal", Shapes(tracks=tuple(tracks)), facts, {"heard": heard}, least=end / FPS)


def camera(draw: Draw) -> Scene:
    """A camera that pans or zooms over a landscape."""
    move = draw.one(MOVES)
    facts: Facts = {"move": move, "moves": MOVES, "told_as": _TOLD_AS[move]}
    tape = Tape(draw.voice)
    tape.say("Here is the view from the hill.")
    return tape.scene("camera", Camera(move=move, seed=draw.random.randrange(10**6)), facts)


def flash(draw: Draw) -> Scene:
    """A word that fills two frames in the middle of a slide."""
    word, first = draw.take("flashes"), draw.random.randint(2 * FPS, 4 * FPS)
    tape = Tape(draw.voice)
    tape.say("Please keep your eyes on the screen.")
    facts: Facts = {"word": word}
    moment = (first / FPS, (first + 2) / FPS)
    picture = Deck(slide=listed("Look closely", points=["Nothing to see here"]))
    return tape.scene("flash", picture, facts, {"flashed": moment}, Flash(first=first, frames=2, text=word))


def portrait(draw: Draw, still: Path) -> Scene:
    """A supplied photograph of one person, who is named by the file."""
    tape = Tape(draw.voice)
    tape.say("This is somebody you may know.")
    facts: Facts = {"person": still.stem.replace("_", " ").replace("-", " ").title()}
    return tape.scene("portrait", Photograph(path=str(still)), facts)


def _across(shape: Shape, colour: str, place: int, rightward: bool) -> Track:
    """A shape that crosses from side to side as the one at a place, from 0, in the row of those that do."""
    ends: tuple[Point, Point] = ((-_RADIUS - 2, HEIGHT / 2), (WIDTH + _RADIUS + 2, HEIGHT / 2))
    start, end = ends if rightward else ends[::-1]
    first = _LEAD + place * (_CROSSING + _REST)
    return Track(
        shape=shape, colour=COLOURS[colour], radius=_RADIUS, start=start, end=end, first=first, until=first + _CROSSING
    )
