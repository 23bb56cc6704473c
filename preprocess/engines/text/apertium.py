"""Translation with Apertium: rule-based, between the installed language pairs (Forcada et al. 2011, apertium.org).

It is a system program with its own data: nothing leaves the machine. Unknown words stay untranslated, and ambiguous
words are often mistranslated, so its translations prove nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from longtake.errors import EngineError
from longtake.lazy import cached_property
from longtake.preprocess.media.language_codes import language_code
from longtake.settings import Settings

_SECONDS = 30.0  # for one run; a page takes about one
_BETWEEN = "\n\n"  # an empty line ends a sentence, and is preserved
_INSTALL = "on Debian and Ubuntu `apt-get install apertium` and a pair such as `apertium-eng-spa`"


def missing_apertium(settings: Settings) -> str | None:
    """Why Apertium can't be used here, and what to do; None if it can."""
    if shutil.which("apertium") is None:
        return f"the program apertium isn't installed: {_INSTALL}"
    return None if _directions() else f"apertium has no language pair: {_INSTALL}"


class Apertium:
    """Runs the program once for each call."""

    trusted = False

    def __init__(self, settings: Settings) -> None:
        pass

    @cached_property
    def id(self) -> str:
        """Name and version."""
        version = re.search(r"\d+(\.\d+)+", _run(["-V"]))
        return f"apertium-{version[0] if version else 'unknown'}"

    def missing(self, source: str, target: str) -> str | None:
        """Why it can't translate between these languages; None if it can."""
        if _direction(source, target):
            return None
        known = ", ".join(_directions())
        return f"apertium has no pair for {source} into {target} (installed: {known}): install apertium-XXX-YYY for it"

    def sources(self, target: str) -> list[str]:
        """Codes of the languages that it can distinguish from `target` and translate into it."""
        into = target.partition("-")[0]
        pairs = (name.split("-", 1) for name in _directions())
        codes = dict.fromkeys(language_code(start) or start for start, _ in pairs)
        return [code for code in codes if code != into and _direction(code, into) and _direction(into, code)]

    def foreign(self, texts: Sequence[str], source: str, target: str) -> list[bool] | None:
        """Which of the texts have more known words in `source` than in `target`.

        None if only one of the two directions is installed.
        """
        forth, back = _direction(source, target), _direction(target, source)
        if forth is None or back is None:
            return None
        return [one < other for one, other in zip(_unknown(forth, texts), _unknown(back, texts), strict=True)]

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate texts, each one non-empty paragraph.

        Raises:
            EngineError: if the program fails or doesn't end in time.
        """
        direction = _direction(source, target)
        if direction is None:
            raise EngineError(f"{self.missing(source, target)}.")
        translated = _run(["-u", direction], _BETWEEN.join(texts)).strip("\n").split(_BETWEEN)
        if len(translated) == len(texts):
            return list(map(_tidy, translated))
        return [_tidy(_run(["-u", direction], text)) for text in texts]


def _direction(source: str, target: str) -> str | None:
    """The installed direction for two codes: the one for the target's region, or else the one without a region."""
    languages = source.partition("-")[0], target.partition("-")[0]
    fitting = {}
    for name in _directions():
        # `por_BR` is Portuguese of a region; `por_PTpre1990` has no language code.
        start, end = (language_code(side) or side for side in name.split("-", 1))
        if (start, end.partition("-")[0]) == languages:
            fitting[end] = name
    return fitting.get(target) or fitting.get(languages[1])


def _unknown(direction: str, texts: Sequence[str]) -> list[int]:
    """How many words of each text a direction doesn't know: it marks them with an asterisk."""
    marked = [" ".join(text.replace("*", " ").split()) for text in texts]
    found = _run([direction], _BETWEEN.join(marked)).strip("\n").split(_BETWEEN)
    if len(found) != len(texts):
        found = [_run([direction], text) for text in marked]
    return [len(re.findall(r"\*\w", text)) for text in found]


def _tidy(text: str) -> str:
    """Remove the double spaces left by words that have no translation."""
    return re.sub(" {2,}", " ", text).strip()


def _directions() -> list[str]:
    return _run(["-l"]).split()


def _run(arguments: Sequence[str], text: str = "") -> str:
    """Run the program and return its output; it is a pipeline of many processes, which end together."""
    command = ["apertium", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True) as process:
        try:
            out, problem = process.communicate(text.encode(), timeout=_SECONDS)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise EngineError(f"Apertium didn't finish within {_SECONDS:g} s: try a shorter text.") from error
            raise
    if process.returncode:
        reason = " ".join(problem.decode(errors="replace").split())[:300]
        raise EngineError(f"Apertium failed ({reason or process.returncode}); try running `apertium -l` yourself.")
    return out.decode(errors="replace")
