"""A voice for scripted videos: what it says has to last and to be heard, and need not be understood."""

from __future__ import annotations

import os
import shutil
import wave
from collections.abc import Iterator

import numpy as np
import pytest

RATE = 22_050  # what espeak-ng speaks at
WORDS_A_MINUTE = 155
MAX_WORDS = 60


@pytest.fixture(scope="module")
def voice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where espeak-ng is not installed, a program of its name hums a note as long as the words take."""
    if shutil.which("espeak-ng"):
        yield
        return
    folder = tmp_path_factory.mktemp("voice")
    for words in range(1, MAX_WORDS + 1):
        times = np.arange(round(words * 60 / WORDS_A_MINUTE * RATE)) / RATE
        with wave.open(str(folder / f"{words}.wav"), "wb") as stream:
            stream.setparams((1, 2, RATE, 0, "NONE", ""))
            stream.writeframes((0.3 * np.sin(2 * np.pi * 220 * times) * 32767).astype("<i2").tobytes())
    program = folder / "espeak-ng"
    # -v VOICE -s SPEED -w FILE TEXT: a shell starts sooner than Python, and hundreds of sentences are spoken.
    program.write_text(f'#!/bin/sh\nfile=$6\nset -f -- $7\ncp "{folder}/$#.wav" "$file"\n')
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(folder), prepend=os.pathsep)
        yield
