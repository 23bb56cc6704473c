"""A reranker of random weights: BERT with a classifier, which loads and runs like a real one."""

from __future__ import annotations

import string
from pathlib import Path

from helpers.models.gguf_file import write_gguf

_WIDE, _LONG = 32, 256
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_PIECES = (
    *(f"\u2581{letter}" for letter in string.ascii_lowercase),
    *string.ascii_lowercase,
)  # words begin with the mark
_NORMAL, _CONTROL = 1, 3


def write_tiny_reranker(folder: Path) -> Path:
    """Write its file."""
    tokens = (*_SPECIAL, *_PIECES)
    model = {
        "context_length": _LONG,
        "embedding_length": _WIDE,
        "feed_forward_length": 2 * _WIDE,
        "block_count": 1,
        "attention.head_count": 2,
        "attention.layer_norm_epsilon": 1e-6,
        "attention.causal": False,
        "pooling_type": 4,
    }
    ids = {"padding": 0, "unknown": 1, "cls": 2, "bos": 2, "seperator": 3, "eos": 3, "mask": 4}  # spelled like this
    values = {
        "general.architecture": "bert",
        **{f"bert.{name}": value for name, value in model.items()},
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.token_type_count": 2,
        **{f"tokenizer.ggml.{name}_token_id": number for name, number in ids.items()},
        "tokenizer.ggml.token_type": [_CONTROL] * len(_SPECIAL) + [_NORMAL] * len(_PIECES),
        "tokenizer.ggml.tokens": list(tokens),
    }
    return write_gguf(folder / "reranker.gguf", values, _shapes(len(tokens)))


def _shapes(words: int) -> dict[str, tuple[int, ...]]:
    square, norm = (_WIDE, _WIDE), (_WIDE,)
    weights: dict[str, tuple[int, ...]] = {
        "blk.0.attn_q": square,
        "blk.0.attn_k": square,
        "blk.0.attn_v": square,
        "blk.0.attn_output": square,
        "blk.0.attn_output_norm": norm,
        "blk.0.ffn_up": (2 * _WIDE, _WIDE),
        "blk.0.ffn_down": (_WIDE, 2 * _WIDE),
        "blk.0.layer_output_norm": norm,
        "token_embd_norm": norm,
        "cls": square,
        "cls.output": (1, _WIDE),
    }
    both = {
        f"{name}.{part}": shape if part == "weight" else shape[:1]
        for name, shape in weights.items()
        for part in ("weight", "bias")
    }
    embeddings = {"token_embd": (words, _WIDE), "token_types": (2, _WIDE), "position_embd": (_LONG, _WIDE)}
    return {f"{name}.weight": shape for name, shape in embeddings.items()} | both
