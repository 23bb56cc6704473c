"""An Audio Flamingo 3 of a few thousand random weights, in a folder like that of the real one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers.models.torch_models import torch_and_transformers


def write_tiny_flamingo(folder: Path) -> Path:
    """Save a model and its processor; skips the test without the extra `transformers`."""
    torch, transformers = torch_and_transformers()
    from helpers.models.tiny_qwen import plain_tokenizer
    from helpers.models.tiny_qwen_vl import TEMPLATE

    tokenizer: Any = plain_tokenizer()
    tokenizer.add_special_tokens({"additional_special_tokens": ["<sound>"]})
    template = TEMPLATE.replace("'image'", "'audio'").replace("<|vision_start|><|image_pad|><|vision_end|>", "<sound>")
    extractor = transformers.WhisperFeatureExtractor(feature_size=16)
    transformers.AudioFlamingo3Processor(extractor, tokenizer, chat_template=template).save_pretrained(folder)
    text = {
        "model_type": "qwen2",
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    heard = {
        "model_type": "audioflamingo3_encoder",
        "num_mel_bins": 16,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    torch.manual_seed(5)
    place = tokenizer.convert_tokens_to_ids("<sound>")
    config = transformers.AudioFlamingo3Config(audio_config=heard, text_config=text, audio_token_id=place)
    transformers.AudioFlamingo3ForConditionalGeneration(config).save_pretrained(folder)
    return folder
