"""SmolLM2-135M-Instruct, a real language model of 98 MB, and files made of it that fail or behave otherwise."""

from __future__ import annotations

import struct
from importlib.util import find_spec
from pathlib import Path

import pytest

from longtake.bench.parts.gguf_questions import packaged_smollm2
from longtake.errors import EngineError

_TEMPLATE = b"tokenizer.chat_template" + struct.pack("<I", 8)
TOOL_TEMPLATE = (
    "{% if tools %}<|im_start|>system\n<tools>{{ tools|tojson }}</tools><|im_end|>\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
    "{% for c in m.tool_calls %}<tool_call>{{ c.function|tojson }}</tool_call>{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def smollm2() -> Path:
    """The packaged file; skips the test where it or llama.cpp isn't installed."""
    if not (find_spec("xllamacpp") and find_spec("psutil")):
        pytest.skip("needs the extra `gguf`: pip install 'longtake[gguf]'")
    try:
        return Path(packaged_smollm2())
    except EngineError as error:
        pytest.skip(str(error))


def with_tools(folder: Path) -> Path:
    """The same model with a chat template that describes tools, as long as its own."""
    content = smollm2().read_bytes()
    start = content.index(_TEMPLATE) + len(_TEMPLATE)
    (length,) = struct.unpack_from("<Q", content, start)
    template = TOOL_TEMPLATE.encode()
    padded = template + b"{#" + b" " * (length - len(template) - 4) + b"#}"
    assert len(padded) == length
    return _written(folder / "tools.gguf", content[: start + 8] + padded + content[start + 8 + length :])


def of_unknown_architecture(folder: Path) -> Path:
    """The same model, as one of an architecture that llama.cpp doesn't know."""
    return _written(folder / "unknown.gguf", smollm2().read_bytes().replace(b"llama", b"lhama"))


def cut_off(folder: Path, size: int) -> Path:
    """The first `size` bytes of the file, as a download that broke off leaves it."""
    return _written(folder / f"cut-{size}.gguf", smollm2().read_bytes()[:size])


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
