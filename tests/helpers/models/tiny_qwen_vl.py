"""Qwen2.5-VL and Qwen3-VL models of a few thousand random weights, in folders like those of the real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.models.torch_models import torch_and_transformers

TEMPLATE = """\
{% for message in messages %}<|im_start|>{{ message.role }}
{% for part in message.content %}{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>
{%- else %}{{ part.text }}{% endif %}{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
_MARKS = {
    "vision_start_token_id": "<|vision_start|>",
    "vision_end_token_id": "<|vision_end|>",
    "image_token_id": "<|image_pad|>",
    "video_token_id": "<|video_pad|>",
}


def write_tiny_qwen_vl(folder: Path, kind: str) -> Path:
    """Save a model, its tokenizer and its image processor; skips the test without the extra `vision`."""
    torch, transformers = torch_and_transformers()
    pytest.importorskip("PIL", reason="pillow is not installed")
    from helpers.models.tiny_qwen import plain_tokenizer

    tokenizer: Any = plain_tokenizer()
    tokenizer.add_special_tokens({"additional_special_tokens": list(_MARKS.values())})
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    ids = {name: tokenizer.convert_tokens_to_ids(mark) for name, mark in _MARKS.items()}
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": 4096,
        "rope_parameters": {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 10000.0},
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    seen = {"depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2, "out_hidden_size": 32}
    torch.manual_seed(5)
    if kind == "qwen3_vl":
        seen |= {"patch_size": 16, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]}  # type: ignore[dict-item]
        config = transformers.Qwen3VLConfig(text_config=text, vision_config=seen, **ids)
        transformers.Qwen3VLForConditionalGeneration(config).save_pretrained(folder)
    else:
        seen |= {"patch_size": 14, "fullatt_block_indexes": [0]}  # type: ignore[dict-item]
        config = transformers.Qwen2_5_VLConfig(text_config=text, vision_config=seen, **ids)
        transformers.Qwen2_5_VLForConditionalGeneration(config).save_pretrained(folder)
    transformers.Qwen2VLImageProcessorPil(patch_size=seen["patch_size"]).save_pretrained(folder)
    return folder
