"""What is on a picture is read once in a run, by the real engine: tests read the same few pictures again and again."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.libraries import shared_folder

from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.engines.process import EngineProcess

READER = ENGINES["scene_text"]["rapidocr"].target


@pytest.fixture(scope="session", autouse=True)
def _pictures_are_read_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what the reader's process answers, for all processes of a parallel run; what fails is asked again."""
    folder = shared_folder(tmp_path_factory) / "read"
    folder.mkdir(exist_ok=True)
    call = EngineProcess._call

    def remembered(engine: EngineProcess, method: str, seconds: float, *arguments: Any, **named: Any) -> Any:
        if engine._target != READER:
            return call(engine, method, seconds, *arguments, **named)
        asked = pickle.dumps((engine.id, engine._settings.scene_text, method, arguments, sorted(named.items())))
        file = folder / hashlib.sha256(asked).hexdigest()
        if not file.exists():
            written = file.with_suffix(f".{tmp_path_factory.getbasetemp().name}")
            written.write_bytes(pickle.dumps(call(engine, method, seconds, *arguments, **named)))
            written.replace(file)
        return pickle.loads(file.read_bytes())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EngineProcess, "_call", remembered)
        yield
