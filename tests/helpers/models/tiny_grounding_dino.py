"""A Grounding DINO of a few thousand random weights, in a folder like that of the real one."""

from __future__ import annotations

import string
from pathlib import Path

from helpers.models.torch_models import torch_and_transformers


def write_tiny_grounding_dino(folder: Path) -> Path:
    """Save a model, its tokenizer and its image processor."""
    torch, transformers = torch_and_transformers()
    torch.manual_seed(5)
    pieces = [*string.ascii_lowercase, *(f"##{letter}" for letter in string.ascii_lowercase), ".", "?"]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces]
    tokenizer = transformers.BertTokenizer(vocab={word: number for number, word in enumerate(words)})
    text = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    backbone = transformers.SwinConfig(
        image_size=64,
        embed_dim=8,
        depths=[1, 1, 1, 1],
        num_heads=[1, 1, 2, 2],
        window_size=2,
        out_features=["stage2", "stage3", "stage4"],
    )
    config = transformers.GroundingDinoConfig(
        backbone_config=backbone,
        text_config=transformers.BertConfig(**text, vocab_size=len(words), max_position_embeddings=64),
        d_model=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        num_queries=20,
        max_text_len=64,
        text_enhancer_hidden_size=32,
    )
    images = transformers.GroundingDinoImageProcessor(size={"shortest_edge": 64, "longest_edge": 128})
    transformers.GroundingDinoProcessor(image_processor=images, tokenizer=tokenizer).save_pretrained(folder)
    transformers.GroundingDinoForObjectDetection(config).eval().save_pretrained(folder)
    return folder
