"""An OWLv2 of a few thousand random weights, in a folder like that of the real one: it knows nothing and runs alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.models.torch_models import torch_and_transformers


def write_tiny_owlv2(folder: Path) -> Path:
    """Save a model, its tokenizer and its image processor; skips the test where the extra `vision` is not installed."""
    torch, transformers = torch_and_transformers()
    pytest.importorskip("scipy", reason="scipy is not installed")
    torch.manual_seed(5)
    words = [*"abcdefghijklmnopqrstuvwxyz", *(f"{letter}</w>" for letter in "abcdefghijklmnopqrstuvwxyz")]
    vocabulary = {word: number for number, word in enumerate([*words, "<|startoftext|>", "<|endoftext|>"])}
    tokenizer = transformers.CLIPTokenizer(vocab=vocabulary, merges=[], pad_token="<|endoftext|>", model_max_length=32)
    layers = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"bos_token_id": vocabulary["<|startoftext|>"], "eos_token_id": vocabulary["<|endoftext|>"]}
    config = transformers.Owlv2Config(
        text_config={**layers, **ends, "vocab_size": len(vocabulary), "max_position_embeddings": 32},
        vision_config={**layers, "image_size": 64, "patch_size": 16},
        projection_dim=32,
    )
    images = transformers.Owlv2ImageProcessor(size={"height": 64, "width": 64})
    transformers.Owlv2Processor(image_processor=images, tokenizer=tokenizer).save_pretrained(folder)
    model = transformers.Owlv2ForObjectDetection(config).eval()
    for weights in model.box_head.parameters():
        torch.nn.init.normal_(weights, std=0.1)  # or every box would lie in a corner
    model.save_pretrained(folder)
    return folder
