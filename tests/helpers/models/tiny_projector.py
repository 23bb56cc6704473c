"""A projector of random weights for SmolLM2: its image encoder sees nothing, and loads and runs like a real one."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

_WIDE, _MODEL, _SIDE, _PATCH = 64, 576, 64, 16
_U32, _F32, _BOOL, _STRING, _ARRAY = 4, 6, 7, 8, 9
_ALIGNMENT = 32


def write_tiny_projector(folder: Path) -> Path:
    """Write the file of a projector of the kind of LLaVA 1.5."""
    vision = {
        "image_size": _SIDE,
        "patch_size": _PATCH,
        "embedding_length": _WIDE,
        "feed_forward_length": 2 * _WIDE,
        "projection_dim": _MODEL,
        "block_count": 1,
        "attention.head_count": 2,
    }
    values = [
        _text("general.architecture", "clip"),
        _text("clip.projector_type", "mlp"),
        _key("clip.has_vision_encoder", _BOOL) + b"\x01",
        _key("clip.use_gelu", _BOOL) + b"\x01",
        _key("clip.vision.attention.layer_norm_epsilon", _F32) + struct.pack("<f", 1e-6),
        *(_key(f"clip.vision.{name}", _U32) + struct.pack("<I", number) for name, number in vision.items()),
        *(
            _key(f"clip.vision.{name}", _ARRAY) + struct.pack("<IQ3f", _F32, 3, *[0.5] * 3)
            for name in ("image_mean", "image_std")
        ),
    ]
    random = np.random.default_rng(5)
    arrays = {name: random.normal(0, 0.02, shape).astype("<f4") for name, shape in _shapes().items()}
    described, offset = b"", 0
    for name, array in arrays.items():
        shape = array.shape[::-1]  # the format lists the fastest dimension first
        described += _string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset)
        offset += _padded(array.nbytes)
    content = b"GGUF" + struct.pack("<IQQ", 3, len(arrays), len(values)) + b"".join(values) + described
    content = content.ljust(_padded(len(content)), b"\0")
    content += b"".join(array.tobytes().ljust(_padded(array.nbytes), b"\0") for array in arrays.values())
    path = folder / "mmproj.gguf"
    path.write_bytes(content)
    return path


def _shapes() -> dict[str, tuple[int, ...]]:
    layer = {
        "attn_q": (_WIDE, _WIDE),
        "attn_k": (_WIDE, _WIDE),
        "attn_v": (_WIDE, _WIDE),
        "attn_out": (_WIDE, _WIDE),
        "ffn_up": (2 * _WIDE, _WIDE),
        "ffn_down": (_WIDE, 2 * _WIDE),
    }
    shapes: dict[str, tuple[int, ...]] = {
        "v.patch_embd.weight": (_WIDE, 3, _PATCH, _PATCH),
        "v.patch_embd.bias": (_WIDE,),
        "v.position_embd.weight": ((_SIDE // _PATCH) ** 2, _WIDE),
        "mm.0.weight": (_MODEL, _WIDE),
        "mm.0.bias": (_MODEL,),
        "mm.2.weight": (_MODEL, _MODEL),
        "mm.2.bias": (_MODEL,),
    }
    for name, shape in layer.items():
        shapes |= {f"v.blk.0.{name}.weight": shape, f"v.blk.0.{name}.bias": shape[:1]}
    for name in ("v.blk.0.ln1", "v.blk.0.ln2", "v.post_ln"):
        shapes |= {f"{name}.weight": (_WIDE,), f"{name}.bias": (_WIDE,)}
    return shapes


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def _key(name: str, kind: int) -> bytes:
    return _string(name) + struct.pack("<I", kind)


def _text(name: str, value: str) -> bytes:
    return _key(name, _STRING) + _string(value)
