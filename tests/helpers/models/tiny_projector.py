"""A projector of random weights for SmolLM2: its image encoder sees nothing, and loads and runs like a real one."""

from __future__ import annotations

from pathlib import Path

from helpers.models.gguf_file import write_gguf

_WIDE, _MODEL, _SIDE, _PATCH = 64, 576, 64, 16


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
        "attention.layer_norm_epsilon": 1e-6,
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
    }
    values = {
        "general.architecture": "clip",
        "clip.projector_type": "mlp",
        "clip.has_vision_encoder": True,
        "clip.use_gelu": True,
        **{f"clip.vision.{name}": value for name, value in vision.items()},
    }
    return write_gguf(folder / "mmproj.gguf", values, _shapes())


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
