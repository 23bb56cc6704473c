"""Opens ONNX files on one thread of the CPU: searches and looks run beside other work."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from longtake.errors import EngineError

_loading = threading.Lock()


def onnx_session(file: str, model: str) -> Any:
    """The model in a file, loaded once for all libraries and threads of a process.

    Args:
        file: its path.
        model: its name in the catalogue, for the message.

    Raises:
        EngineError: if the file can't be loaded.
    """
    with _loading:
        return _session(file, model)


@cache
def _session(file: str, model: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a class for each reason, all derived from Exception
        raise EngineError(f"{file} is damaged: `longtake models verify {model}` says what to fetch again.") from error
