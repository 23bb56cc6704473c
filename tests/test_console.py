"""What every command prints."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from longtake.console import error_border, note, say


@pytest.mark.parametrize("print_line", [say, note])
def test_no_terminal_obeys_what_a_name_contains(
    print_line: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    print_line("a\x1b]0;mine\x07\x9b2J\rb\tc")
    assert "".join(capsys.readouterr()) == "a]0;mine2Jb\tc\n"


@pytest.mark.parametrize("error", [MemoryError(), ImportError("cv2.so: failed to map segment from shared object")])
def test_without_memory_one_sentence_is_said(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit), error_border(debug=False):
        raise error
    assert "memory" in capsys.readouterr().err


def test_a_package_that_cannot_be_imported_is_a_bug() -> None:
    with pytest.raises(ImportError), error_border(debug=False):
        raise ImportError("no such module")
