"""A Whisper model on disk with random weights: every file and token of a real one, a thousandth of its size.

It hears nothing: what it writes down is noise, but it is loaded, run and timed by the same code as a trained one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ctranslate2.specs
import numpy as np
import numpy.typing as npt
from faster_whisper.tokenizer import _LANGUAGE_CODES
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel

WIDTH, HEADS, LAYERS = 16, 2, 1
MELS = 80
TEXT_TOKENS = 50_257  # of the multilingual vocabulary
LANGUAGES = list(_LANGUAGE_CODES)


def write_tiny_whisper(folder: Path, seed: int = 0) -> Path:
    """Write `model.bin`, `config.json`, `vocabulary.json`, `tokenizer.json` and `preprocessor_config.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    tokens = _tokens()
    random = np.random.default_rng(seed)
    spec: Any = ctranslate2.specs.WhisperSpec(LAYERS, HEADS, LAYERS, HEADS)
    _fill_encoder(spec.encoder, random)
    _fill_decoder(spec.decoder, random, len(tokens))
    spec.register_vocabulary(tokens)
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = [220, TEXT_TOKENS]
    spec.config.lang_ids = [tokens.index(f"<|{code}|>") for code in LANGUAGES]
    spec.config.alignment_heads = [[layer, head] for layer in range(LAYERS) for head in range(HEADS)]
    spec.validate()
    spec.save(str(folder))
    _save_tokenizer(folder / "tokenizer.json", tokens)
    (folder / "preprocessor_config.json").write_text(json.dumps({"feature_size": MELS, "sampling_rate": 16_000}))
    return folder


def _tokens() -> list[str]:
    """Text tokens, then the special ones and 1501 timestamps in Whisper's order.

    The last text token is empty, as in every multilingual vocabulary: CTranslate2 knows those by it.
    """
    alphabet = sorted(ByteLevel.alphabet())
    text = [*alphabet, *(f"Ġw{number}" for number in range(TEXT_TOKENS - len(alphabet) - 1)), ""]
    special = ["endoftext", "startoftranscript", *LANGUAGES, "translate", "transcribe"]
    special += ["startoflm", "startofprev", "nospeech", "notimestamps"]
    special += [f"{step * 0.02:.2f}" for step in range(1501)]
    return [*text, *(f"<|{name}|>" for name in special)]


def _save_tokenizer(path: Path, tokens: list[str]) -> None:
    tokenizer = Tokenizer(BPE({token: number for number, token in enumerate(tokens)}, []))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    tokenizer.save(str(path))


def _fill_encoder(encoder: Any, random: np.random.Generator) -> None:
    for convolution, channels in ((encoder.conv1, MELS), (encoder.conv2, WIDTH)):
        convolution.weight, convolution.bias = _noise(random, WIDTH, channels, 3), _noise(random, WIDTH)
    encoder.position_encodings.encodings = _noise(random, 1500, WIDTH)
    _fill_norm(encoder.layer_norm)
    for layer in encoder.layer:
        _fill_attention(layer.self_attention, random)
        _fill_feed_forward(layer.ffn, random)


def _fill_decoder(decoder: Any, random: np.random.Generator, tokens: int) -> None:
    decoder.embeddings.weight = _noise(random, tokens, WIDTH)
    decoder.projection.weight = decoder.embeddings.weight
    decoder.position_encodings.encodings = _noise(random, 448, WIDTH)
    _fill_norm(decoder.layer_norm)
    for layer in decoder.layer:
        _fill_attention(layer.self_attention, random)
        _fill_attention(layer.attention, random)
        _fill_feed_forward(layer.ffn, random)


def _fill_attention(attention: Any, random: np.random.Generator) -> None:
    """Queries, keys, values and output: in one matrix and one for self-attention, in three for cross-attention."""
    _fill_norm(attention.layer_norm)
    rows = {2: (3 * WIDTH, WIDTH), 3: (WIDTH, 2 * WIDTH, WIDTH)}[len(attention.linear)]
    for linear, size in zip(attention.linear, rows, strict=True):
        _fill_linear(linear, random, size, WIDTH)


def _fill_feed_forward(layer: Any, random: np.random.Generator) -> None:
    _fill_norm(layer.layer_norm)
    _fill_linear(layer.linear_0, random, 4 * WIDTH, WIDTH)
    _fill_linear(layer.linear_1, random, WIDTH, 4 * WIDTH)


def _fill_linear(linear: Any, random: np.random.Generator, outputs: int, inputs: int) -> None:
    linear.weight, linear.bias = _noise(random, outputs, inputs), _noise(random, outputs)


def _fill_norm(norm: Any) -> None:
    norm.gamma, norm.beta = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)


def _noise(random: np.random.Generator, *shape: int) -> npt.NDArray[np.float32]:
    return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)
