"""Subtitles, tool calls, links and search words of strangers."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from fuzz.strangers import DEEP, HUGE, JSON_TEXTS, VALUES, read_or_refused
from hypothesis import example, given
from hypothesis import strategies as st

from longtake.agent.controllers.call_parsing.arguments import fitted, read_arguments
from longtake.agent.controllers.call_parsing.text_tool_calls import calls_in_text
from longtake.errors import ConfigError
from longtake.preprocess.media.links import fetch, is_link
from longtake.preprocess.media.subtitle_formats import parse_subtitles
from longtake.preprocess.media.subtitle_names import language_in, track_named
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.result import ToolError
from longtake.tools.core.toolbox import Toolbox

TOOLBOX = Toolbox(ALL_TOOLS)
NAMES = [spec.name for spec in TOOLBOX]
SUBTITLES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "WEBVTT", "", "1", "00:00:01.000 --> 00:00:02.000", "00:00:02,5 --> 99:99:99,999", "-->", "STYLE",
                "[Events]", "Format: Start, End, Text", "Dialogue: 0:00:01.00,0:00:02.00,{\\an8}text", "<v Ann>Hello",
                f"{HUGE}:00:00.000 --> 1{HUGE}:00:00.000", "-00:01,5 --> 00:02", "00:01 -->", "0:01.0,0:02.0",
                "[00:01.00][00:02.00]text", "[00:01 --> 00:00] Ann: text", "Ann Lee  1:05", "Ann: text", "1:05", " ",
                '<tt><body begin="1s"><p begin="5t" dur="-1s">text<br/>', '<p end="1h">text</p></body></tt>', "{", "}",
                '{"events": [{"tStartMs": 1, "segs": [{"utf8": "text"}]}]}', DEEP, "<tt>" * 5_000,
            ]
        ),
        st.text(max_size=20),
    )
).map("\n".join)  # fmt: skip


@pytest.mark.parametrize("name", ["talk.srt", "talk.pl.txt", "talk.ja.ttml"])
@given(data=st.one_of(st.binary(), SUBTITLES.map(lambda text: text.encode("utf-8", "surrogatepass"))))
@example(data=f"{HUGE}:00:00.000 --> 1{HUGE}:00:00.000\nfar".encode())
@example(data=f'{{"events": [{{"tStartMs": {HUGE}, "segs": [{{"utf8": "far"}}]}}]}}'.encode())
@example(data=f"<tt><p begin='{HUGE}h' dur='1s'>far</p></tt>".encode())
@example(data=b"<tt>" + b"<p>" * 5_000 + b"</p>" * 5_000 + b"</tt>")
@example(data=b"1:05\n" + b"Ann: text\n" * 1_000)
def test_subtitles(name: str, data: bytes) -> None:
    with read_or_refused():
        cues = parse_subtitles(data, name)
        assert all(0 <= cue.start <= cue.end < float("inf") and cue.text.strip() for cue in cues)


@given(name=st.one_of(st.text(), st.lists(st.sampled_from([*".-_ ()[]", "talk", "en", "zh-Hant", "2"])).map("".join)))
@example(name="en-" * 5_000)
@example(name="((((" * 5_000)
def test_names_of_subtitles(name: str) -> None:
    assert language_in(name) is None or track_named(f".{language_in(name)}") is not None


@given(name=st.sampled_from(NAMES), text=JSON_TEXTS)
@example(name=NAMES[0], text=DEEP)
@example(name=NAMES[0], text=f'{{"a": {DEEP}')
def test_arguments_of_tools(name: str, text: str) -> None:
    if (arguments := read_arguments(text)) is not None:
        schema = next(spec for spec in TOOLBOX if spec.name == name).as_openai(())["function"]["parameters"]
        check(name, fitted(arguments, schema)[0])


@given(name=st.sampled_from(NAMES), data=st.data())
def test_values_of_arguments(name: str, data: st.DataObject) -> None:
    schema = next(spec for spec in TOOLBOX if spec.name == name).as_openai(())["function"]["parameters"]
    check(name, {field: data.draw(VALUES) for field in schema["properties"]})


def check(name: str, arguments: dict[str, object]) -> None:
    with suppress(ToolError):
        TOOLBOX.check(name, arguments, {})


CALLS = st.sampled_from(
    ["<tool_call>", "</tool_call>", '{"name": "', '", "arguments": {', "}}", "```json", "[", "]", "(", ")", DEEP]
)


@given(text=st.lists(st.one_of(CALLS, st.sampled_from(NAMES), st.text(max_size=20))).map("".join))
@example(text=f"{NAMES[0]}({DEEP}")
@example(text="(" * 5_000)
def test_tool_calls_written_as_text(text: str) -> None:
    calls_in_text(text, NAMES)


@given(text=st.one_of(st.text(), st.text().map("http://".__add__), st.text().map("HTTPS://[".__add__)))
def test_links(text: str) -> None:
    """An address that is no address isn't looked up: nothing here may connect, so offline refuses all of them."""
    if is_link(text):
        with pytest.raises(ConfigError):
            fetch(text, Path("."), offline=True, progress=lambda share: None, check=lambda: None, public=True)
