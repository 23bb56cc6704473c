"""AST and CLAP models of a few thousand random weights, in folders like those of the real ones."""

from __future__ import annotations

from pathlib import Path

from helpers.models.torch_models import torch_and_transformers

LABELS = ("Dog", "Bark", "Speech")
SURE = "Dog"  # the label that the tiny AST always hears


def write_tiny_ast(folder: Path, seed: int = 5) -> Path:
    """Save a model and its feature extractor; skips the test without the extra `transformers`."""
    torch, transformers = torch_and_transformers()
    torch.manual_seed(seed)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.ASTConfig(**sizes, id2label=dict(enumerate(LABELS)))
    model = transformers.ASTForAudioClassification(config)
    with torch.no_grad():
        model.classifier.dense.bias[LABELS.index(SURE)] = 9.0
    model.save_pretrained(folder)
    transformers.ASTFeatureExtractor().save_pretrained(folder)
    return folder


def write_tiny_clap(folder: Path, seed: int = 5) -> Path:
    """Save a model and its processor; skips the test without the extra `transformers`."""
    torch, transformers = torch_and_transformers()
    torch.manual_seed(seed)
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    vocabulary = {
        word: number for number, word in enumerate([*marks, *"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.Ġ"])
    }
    text = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    audio = {"patch_embeds_hidden_size": 8, "hidden_size": 64, "depths": [1, 1, 1, 1], "num_attention_heads": [2] * 4}
    config = transformers.ClapConfig(
        text_config={**text, "vocab_size": len(vocabulary), "max_position_embeddings": 80},
        audio_config=audio,
        projection_dim=16,
    )
    transformers.ClapModel(config).save_pretrained(folder)
    tokenizer = transformers.RobertaTokenizer(vocab=vocabulary, merges=[])
    extractor = transformers.ClapFeatureExtractor(truncation="rand_trunc")
    transformers.ClapProcessor(extractor, tokenizer).save_pretrained(folder)
    return folder
