"""Tools can be switched off by their names."""

from __future__ import annotations

import pytest

from longtake.config import load
from longtake.errors import ConfigError
from longtake.tools.catalogue import ALL_TOOLS, offered_tools


def test_a_tool_that_is_off_is_not_offered_and_an_unknown_one_is_an_error() -> None:
    assert offered_tools(load()) == ALL_TOOLS
    names = {function.__name__ for function in offered_tools(load(overrides=["tools.off=[inspect_motion]"]))}
    assert {function.__name__ for function in ALL_TOOLS} - names == {"inspect_motion"}
    with pytest.raises(ConfigError, match="inspect_motions"):
        offered_tools(load(overrides=["tools.off=[inspect_motions]"]))
