"""NLLB and M2M100 models of a few thousand random weights, converted for CTranslate2 by its own converter."""

from __future__ import annotations

import shutil
import string
from pathlib import Path

from helpers.models.torch_models import torch_and_transformers

NLLB = ("eng_Latn", "spa_Latn", "zho_Hans", "zho_Hant", "arb_Arab", "nob_Latn")
M2M100 = ("__en__", "__es__", "__zh__", "__ar__", "__no__")


def write_tiny_translator(folder: Path, languages: tuple[str, ...]) -> Path:
    """A converted model, in `ct2`; skips the test without the extra `transformers`."""
    torch, transformers = torch_and_transformers()
    from ctranslate2.converters import TransformersConverter

    torch.manual_seed(5)
    words = ["<s>", "<pad>", "</s>", "<unk>", "▁", *string.ascii_lowercase, *(f"▁{x}" for x in string.ascii_lowercase)]
    # transformers writes both models' tokenizers with the same library; M2M100's own class needs sentencepiece.
    tokenizer = transformers.NllbTokenizer(
        vocab={word: number for number, word in enumerate(words)},
        merges=[("▁", letter) for letter in string.ascii_lowercase],
        extra_special_tokens=list(languages),
        src_lang=languages[0],
    )
    tokenizer.save_pretrained(folder)
    sides = {f"{side}_{name}": size for side in ("encoder", "decoder") for name, size in _SIZES.items()}
    config = transformers.M2M100Config(vocab_size=len(tokenizer), d_model=16, max_position_embeddings=1024, **sides)
    transformers.M2M100ForConditionalGeneration(config).save_pretrained(folder)
    TransformersConverter(str(folder), copy_files=["tokenizer.json"]).convert(str(folder / "ct2"))
    return folder / "ct2"


_SIZES = {"layers": 1, "attention_heads": 2, "ffn_dim": 32}


def copy_of(folder: Path, to: Path) -> Path:
    """A model to damage."""
    return Path(shutil.copytree(folder, to))
