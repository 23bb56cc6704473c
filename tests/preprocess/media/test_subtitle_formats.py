"""Every format of subtitles, as people and programs write them and damage them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longtake.errors import MediaError
from longtake.preprocess.media.cues import Cue
from longtake.preprocess.media.subtitle_formats import parse_subtitles

SRT = "1\n00:00:01,000 --> 00:00:02,500\nHello there.\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\nlines.\n"
FIRST, SECOND = (1.0, 2.5, "Hello there."), (3.0, 4.0, "Two\nlines.")
ASS = "Dialogue: 0,0:00:05.00,0:00:07.00,Default,,0,0,0,,Yes.\n"


def parse(text: str) -> list[Cue]:
    return parse_subtitles(text.encode(), "talk.srt")


def said(text: str) -> list[tuple[float, float, str]]:
    return [(cue.start, cue.end, cue.text) for cue in parse(text)]


def test_subrip() -> None:
    assert said(SRT) == [(1.0, 2.5, "Hello there."), (3.0, 4.0, "Two\nlines.")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_encodings_and_line_ends(encoding: str) -> None:
    data = SRT.replace("Hello", "Ça été").replace("\n", "\r\n").encode(encoding)
    assert parse_subtitles(data, "talk.srt")[0].text == "Ça été there."


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (SRT.replace("1\n00:00:01", "00:00:01", 1), "no number line"),
        (SRT.replace(",", "."), "decimal points"),
        (SRT.replace(".\n\n2\n", ".\n2\n"), "no blank line"),
        (SRT.replace("00:00:01,000 --> 00:00:02,500", "00:00:02,500 --> 00:00:01,000"), "reversed times"),
        (SRT + "\n3\n00:00:05,000 --> 00:00:06,000\n\n", "a cue without text"),
        (SRT.replace("00:00:01,000", "00:01,0").replace("00:00:03,000", "0:00:3,000"), "short times"),
        (SRT.replace("Two\nlines.", "<i>Two</i>\n{\\an8}<font color='red'>lines.</font>"), "markup"),
        (SRT.replace("Two\n", "Two\n\n"), "a blank line inside the text"),
    ],
)
def test_what_is_safe_to_repair_is_repaired(broken: str, why: str) -> None:
    assert said(broken) == said(SRT), why


@pytest.mark.parametrize("text", ["00:05", "00:00:05,000", "00:05 --> 00:06", "00:00:05,000 --> 00:00:06,000"])
def test_a_time_alone_may_be_what_a_cue_shows(text: str) -> None:
    assert said(SRT.replace("Hello there.", text)) == [(1.0, 2.5, text), SECOND]


def test_a_cue_without_text_and_blank_line_is_none() -> None:
    assert said(SRT.replace("Hello there.\n\n2\n", "")) == [SECOND]


@pytest.mark.parametrize(
    ("broken", "kept", "note"),
    [
        # The times of the second cue, or the cue, can't be read: the first is left, and its line is named.
        (
            SRT.replace("00:00:03,000", "00:00,03.000"),
            [FIRST],
            "line 6 (left out: '00:00,03.000 -->",
        ),
        ("Dear diary,\n" + SRT, [FIRST, SECOND], "line 1 (left out: it stands before the first cue)"),
        # -1.3 to 2.0 s: what lies before the start is cut; -1.3 to -0.5 s has nothing left.
        (SRT.replace("00:00:01,000", "-00:00:01,300"), [(0.0, 2.5, "Hello there."), SECOND], "line 2 (begins before"),
        (SRT.replace("00:00:01,000 --> 00:00:02", "-00:00:01,3 --> -00:00:00"), [SECOND], "line 2 (left out: it ends"),
        # "Hello there." has 12 letters, which take less than a second to say.
        (SRT.replace(" --> 00:00:02,500", " --> "), [(1.0, 2.0, "Hello there."), SECOND], "line 2 (has no end"),
        (SRT.replace(" --> 00:00:02,500", ""), [(1.0, 2.0, "Hello there."), SECOND], "line 2 (has no end"),
        (SRT.replace("02,500\n", "02,500\n\n"), [FIRST, SECOND], "line 4 (read as part of the cue above"),
        (f"WEBVTT\n\n{SRT}".replace("02,500\n", "02,500 line:79%\n\n"), [FIRST, SECOND], "line 6 (read as part"),
        (
            SRT.replace("00:00:01,000 --> 00:00:02,500", "00:00:02,500 --> 00:00:01,000"),
            [FIRST, SECOND],
            "line 2 (ends",
        ),
        ("[Events]\nDialogue: 0,0:00:01.00\n" + ASS, [(5.0, 7.0, "Yes.")], "line 2 (left out: it lacks a time"),
        ("[Events]\nDialogue: 0,0:00:07.00,0:00:05.00,Default,,0,0,0,,Yes.\n", [(5.0, 7.0, "Yes.")], "line 2 (ends"),
    ],
)
def test_a_bad_cue_costs_itself_alone(broken: str, kept: list[tuple[float, float, str]], note: str) -> None:
    notes: list[str] = []
    cues = parse_subtitles(broken.encode(), "talk.srt", notes.append)
    assert [(cue.start, cue.end, cue.text) for cue in cues] == kept
    assert len(notes) == 1
    assert notes[0].startswith(note)


def test_a_time_with_too_many_digits_is_cut() -> None:
    many = SRT.replace("01,000", "01,249.0999999999999").replace("02,500", "02,49999999999999995")
    assert said(many) == [(1.249, 2.5, "Hello there."), SECOND]


def of_numbers(text: str) -> str:
    """Cues that are alike but for their numbers."""
    return "".join(f"00:00:0{n},000 --> 00:00:0{n},900\n{text.format(n=n)}\n\n" for n in range(1, 8))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (SRT.replace("00:00:0", "00:00x"), r"talk\.srt, line 2: '00:00x1,000 --> .*' isn't a cue time; write 00:00:01"),
        ("Dear diary,\nit rains.\n", r"talk\.srt has no times"),
        ("1\n\n2\n", r"talk\.srt has no times"),
        ("\x00\x01\x02" * 9, r"talk\.srt isn't a subtitle file: .* binary data"),
        ("[Events]\nDialogue: 0,0:00:01.00\n", r"talk\.srt, line 2: 'Dialogue: 0,0:00:01\.00' is missing"),
        ("{}", r"talk\.srt isn't a json3 file"),
        ("<tt><p begin='1s'", r"talk\.srt, line 1: this isn't valid XML"),
        ("<!DOCTYPE tt [<!ENTITY a 'b'>]><tt/>", r"talk\.srt has a document type of its own"),
        (of_numbers("Frame: {n}, 2031-03-18 10:00:{n}\n[iso: {n}00] [latitude: 47.{n}]"), r"talk\.srt isn't speech"),
        (of_numbers("sprite.jpg#xywh={n},0,160,90"), r"talk\.srt isn't speech"),
    ],
)
def test_a_file_without_a_cue_is_an_error_that_names_it(broken: str, message: str) -> None:
    with pytest.raises(MediaError, match=message):
        parse(broken)


def test_a_refrain_and_lines_with_a_number_are_speech() -> None:
    assert len(parse(of_numbers("And {n} more bottles."))) == 7
    assert len(parse(of_numbers("La la la."))) == 7


def test_text_that_looks_like_markup_stays() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nif a < b and b > 3 {then} I <3 you -> go\n"
    assert parse(text)[0].text == "if a < b and b > 3 {then} I <3 you -> go"


def test_webvtt_blocks_settings_voices_and_entities() -> None:
    cues = parse(
        "WEBVTT - a title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:fred\n\n"
        "NOTE a remark\nof two lines\n\nintro\n00:01.000 --> 00:02.000 position:10% line:0\n"
        "<v.loud Mary Ann>Fish &amp; <b>chips</b> &lt;now&gt;</v>\n\n"
        "00:03.000 --> 00:04.000\n<c.yellow>One</c> <00:03.500>two\n"
    )
    assert cues == [Cue(1.0, 2.0, "Fish & chips <now>", "Mary Ann"), Cue(3.0, 4.0, "One two")]


def test_ass_columns_overrides_and_drawings() -> None:
    cues = parse(
        "[Script Info]\nTitle: x\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,not said\n"
        "Dialogue: 0,0:00:02.50,0:00:03.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}\n"
        "Dialogue: 0,0:00:01.00,0:00:02.50,Default,Bob,0,0,0,,{\\i1}Well, yes{\\i0}\\Nand\\hno\n"
    )
    assert cues == [Cue(1.0, 2.5, "Well, yes\nand no", "Bob")]


def test_what_is_drawn_or_shown_twice_in_ass_is_said_once() -> None:
    events = [
        "1.00,0:00:03.00,Sign,,0,0,0,,m 0 0 l 0 -403 l 716 -403 716 0",
        "1.00,0:00:03.00,Sign,,0,0,0,,{\\an7\\pos(0,0)\\1c&HFF&\\p1}m 0 0 l 100 0 100 100{\\p0}Open",
        "1.00,0:00:03.00,Default,Mary,0,0,0,,Hello, {\\i1}there{\\i0}",
        "1.00,0:00:03.00,Glow,Mary,0,0,0,,Hello, there",
        "5.00,0:00:05.20,Kar,,0,0,0,fx,{\\k20}ho",
        "5.00,0:00:07.00,Kar,,0,0,0,karaoke,{\\k20}ho{\\k20}shi",
    ]
    cues = parse("[Events]\n" + "".join(f"Dialogue: 0,0:00:0{event}\n" for event in events))
    assert [(cue.start, cue.end, cue.text) for cue in cues] == [
        (1.0, 3.0, "Hello, there"),
        (1.0, 3.0, "Open"),
        (5.0, 7.0, "hoshi"),
    ]


SPOKEN = [(1.0, 2.5, "Hello there."), (3.0, 4.0, "Two\nlines.")]
TTML = '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" {}><body>{}</body></tt>'


@pytest.mark.parametrize(
    "text",
    [
        SRT,
        "0:00:01.000,0:00:02.500\nHello there.\n\n0:00:03.000,0:00:04.000\nTwo[br]lines.\n",
        TTML.format("", '<p begin="1s" end="00:00:02.500">Hello\n there.</p><p begin="3s" dur="1s">Two<br/>lines.</p>'),
        # 25 frames a second: 00:00:02:12 is 2.48 s, so half a second takes 12.5 frames; ticks are milliseconds.
        TTML.format(
            'ttp:frameRate="25" ttp:tickRate="1000"',
            '<p begin="00:00:01:00" end="62.5f">Hello there.</p><p begin="3000t" end="4000t">Two<br/>lines.</p>',
        ),
        # Times inside count from the start of what is around.
        TTML.format(
            "",
            '<div begin="1s"><p><span begin="0s" end="1.5s">Hello there.</span></p>'
            '<p begin="2s" end="3s">Two<br/>lines.</p></div>',
        ),
        '{"events": [{"tStartMs": 0, "dDurationMs": 9000}, {"tStartMs": 1000, "dDurationMs": 1500, "segs": '
        '[{"utf8": "Hello"}, {"utf8": " there."}]}, {"tStartMs": 2500, "aAppend": 1, "segs": [{"utf8": "\\n"}]}, '
        '{"tStartMs": 3000, "dDurationMs": 1000, "segs": [{"utf8": "Two\\nlines."}]}]}',
    ],
    ids=["srt", "sbv", "ttml", "ttml in frames and ticks", "ttml in a division", "json3"],
)
def test_every_format_gives_the_same_cues(text: str) -> None:
    assert said(text) == SPOKEN


def test_the_agents_of_ttml_speak() -> None:
    agents = (
        '<ttm:agent xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:id="a"><ttm:name>Ann Lee</ttm:name></ttm:agent>'
    )
    (cue,) = parse(TTML.format("", f'{agents}<p ttm:agent="a" xmlns:ttm="x" begin="1s" end="2s">Yes.</p>'))
    assert cue == Cue(1.0, 2.0, "Yes.", "Ann Lee")


def test_lyrics_are_sung_as_often_as_they_have_times() -> None:
    # What has no end ends when the next line starts; the last one takes as long as 15 letters a second, at least 1 s.
    assert said("[ti:Roof]\n[00:02.00][00:08.5]Na <00:02.5>na\n[00:02.6]\n[00:04.00]Hey\n") == [
        (2.0, 2.6, "Na na"),
        (4.0, 5.0, "Hey"),
        (8.5, 9.5, "Na na"),
    ]


def test_rolling_captions_say_each_line_once() -> None:
    rolling = (
        "WEBVTT\n\n00:00.000 --> 00:02.000\none two\n\n00:02.000 --> 00:02.010\none two\n\n"
        "00:02.010 --> 00:04.000\none two\nthree four\n\n00:04.000 --> 00:04.010\nthree four\n\n"
        "00:04.010 --> 00:06.000\nthree four\nfive\n"
    )
    assert said(rolling) == [(0.0, 2.01, "one two"), (2.01, 4.01, "three four"), (4.01, 6.0, "five")]


def test_a_line_of_a_space_ends_no_cue_so_automatic_captions_start_when_they_are_said() -> None:
    captions = (
        "WEBVTT\nKind: captions\n\n00:00:00.500 --> 00:00:03.990 align:start position:0%\n \n"
        "one<00:00:01.100><c> two</c>\n\n00:00:03.990 --> 00:00:04.000\none two\n \n\n"
        "00:00:04.000 --> 00:00:07.990\none two\nthree<00:00:04.5><c> four</c>\n\n"
        "00:00:25.000 --> 00:00:28.990\n \nfive\n\n"
    )
    assert said(captions) == [(0.5, 4.0, "one two"), (4.0, 7.99, "three four"), (25.0, 28.99, "five")]


def test_a_refrain_sung_twice_is_kept_twice() -> None:
    assert len(said("WEBVTT\n\n00:00.000 --> 00:02.000\nNa na\n\n00:02.000 --> 00:04.000\nNa na\n")) == 2


def test_real_files_lose_no_cue(media: Path) -> None:
    files = {
        "shared-assets/friday.vtt": 5,
        "ableplayer/frenchsong_captions_fr.vtt": 55,
        "video.js/elephantsdream-captions.en.vtt": 78,
        "moviepy/subtitles.srt": 5,
        "aeneas/p001.srt": 15,
    }
    assert {name: len(parse_subtitles((media / name).read_bytes(), name)) for name in files} == files


def _joined(scraps: list[str]) -> bytes:
    return "".join(scraps).encode("utf-8", "replace")


_MARKS = "WEBVTT NOTE 1 00:00:01,000 --> 00:00:02.5 : , <v {\\p1}"
_MARKS += " [Events] Dialogue: 0:00:01.00,0:00:02.00, \\N &#x110000; \u0663"
_SCRAPS = st.sampled_from(
    [
        *_MARKS.split(),
        "Format: Start, End, Text",
        "9" * 5_000,
        "\n",
        "\n\n",
        "\r",
        " ",
        "\n00:00:01,000 --> 00:00:02,000\n",
    ]
)


@given(st.one_of(st.binary(max_size=200), st.lists(st.one_of(_SCRAPS, st.text(max_size=3))).map(_joined)))
@example(b"1\n" + b"9" * 5_000 + b":00:01,000 --> 00:00:02,000\nHours without end.\n")
@settings(max_examples=500)
def test_whatever_a_file_holds_it_is_cues_or_refused(data: bytes) -> None:
    try:
        cues = parse_subtitles(data, "talk.srt")
    except MediaError:
        return
    assert all(0 <= cue.start <= cue.end and cue.text.strip() for cue in cues)
    assert cues == sorted(cues, key=lambda cue: cue.start)
