"""Models of pictures and texts with a few thousand random weights, in folders like those of the real ones."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from helpers.models.torch_models import torch_and_transformers

from longtake.preprocess.engines.transformers_folders import make_importable

_SIDE, _PATCH, _WORDS = 64, 16, 16  # pixels, pixels, tokens of a text
_LAYERS = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}


def write_tiny_siglip(folder: Path, seed: int = 5) -> Path:
    """Save a SigLIP, its tokenizer and its image processor."""
    return _save(folder, "Siglip", seed, {"image_size": _SIDE, "patch_size": _PATCH})


def write_tiny_siglip2(folder: Path, seed: int = 5) -> Path:
    """Save a SigLIP 2, which takes pictures of any shape as patches."""
    return _save(folder, "Siglip2", seed, {"patch_size": _PATCH, "num_patches": (_SIDE // _PATCH) ** 2})


def write_tiny_open_clip(folder: Path, seed: int = 5) -> Path:
    """Save a CLIP as OpenCLIP does."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'longtake[openclip]'")
    make_importable()
    open_clip = pytest.importorskip(
        "open_clip", reason="open_clip_torch is not installed: pip install 'longtake[openclip]'"
    )
    from safetensors.torch import save_file

    config = {
        "embed_dim": 32,
        "vision_cfg": {"image_size": _SIDE, "layers": 2, "width": 32, "head_width": 16, "patch_size": _PATCH},
        "text_cfg": {"context_length": _WORDS, "vocab_size": 49_408, "width": 32, "heads": 2, "layers": 2},
    }
    torch.manual_seed(seed)
    model = open_clip.CLIP(**config)
    folder.mkdir(parents=True, exist_ok=True)
    prepared = {"mean": [0.5] * 3, "std": [0.5] * 3}
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": config, "preprocess_cfg": prepared}))
    save_file(
        {name: each.contiguous() for name, each in model.state_dict().items()}, folder / "open_clip_model.safetensors"
    )
    return folder


def _save(folder: Path, family: str, seed: int, vision: dict[str, int]) -> Path:
    torch, transformers = torch_and_transformers()
    from tokenizers import Tokenizer, decoders, models

    torch.manual_seed(seed)
    letters = ["<pad>", "</s>", "<unk>", *string.ascii_lowercase, *string.digits, " "]
    tokens = Tokenizer(models.BPE(dict(zip(letters, range(len(letters)), strict=True)), [], unk_token="<unk>"))
    tokens.decoder = decoders.Fuse()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=_WORDS
    )
    text = {**_LAYERS, "vocab_size": len(letters), "max_position_embeddings": _WORDS, "projection_size": 32}
    config = getattr(transformers, f"{family}Config")(text_config=text, vision_config={**_LAYERS, **vision})
    sizes = (
        {"size": {"height": _SIDE, "width": _SIDE}}
        if family == "Siglip"
        else {"patch_size": _PATCH, "max_num_patches": (_SIDE // _PATCH) ** 2}
    )
    images = getattr(transformers, f"{family}ImageProcessor")(**sizes)
    getattr(transformers, f"{family}Processor")(image_processor=images, tokenizer=tokenizer).save_pretrained(folder)
    getattr(transformers, f"{family}Model")(config).eval().save_pretrained(folder)
    return folder
