"""A Qwen3 checkpoint on disk, a hundred-thousandth of a real one: a tokenizer trained on the spot, a chat template.

Its weights are random, and what it writes is noise; or they are set so that it answers every prompt with one text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers.models.torch_models import torch_and_transformers
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

WIDTH = 64
CONTEXT = 32_768  # tokens
START, END = "<|im_start|>", "<|im_end|>"
LEARNED_FROM = [
    "The blue kettle costs 249 dollars. What is said between 00:00:03 and 00:00:07?",
    "user assistant system",
]
TEMPLATE = """\
{%- if tools %}<|im_start|>system
# Tools
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ "user" if message.role == "tool" else message.role }}
{% if message.role == "tool" %}<tool_response>
{{ message.content }}
</tool_response>
{%- else %}{{ message.content }}{% endif %}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def write_tiny_qwen(folder: Path, says: str | None = None, *, template: str | None = TEMPLATE) -> Path:
    """Write the checkpoint's files; `says` is the one text it writes, noise when it is None."""
    torch, transformers = torch_and_transformers()
    tokenizer = _tokenizer(says)
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=False,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    model = transformers.Qwen3ForCausalLM(config)
    if says is not None:
        newline, text, end = (tokenizer.convert_tokens_to_ids(token) for token in ("Ċ", says, END))
        with torch.no_grad():
            _follow(model, {newline: text, text: end})
    model.save_pretrained(folder)
    return folder


def plain_tokenizer() -> Any:
    """The tokenizer without a text to write."""
    return _tokenizer(None)


def _tokenizer(says: str | None) -> Any:
    from transformers import PreTrainedTokenizerFast  # pyright: ignore[reportMissingImports] - an extra

    trained = Tokenizer(BPE())
    trained.pre_tokenizer = ByteLevel(add_prefix_space=False)
    trained.decoder = ByteLevelDecoder()
    trained.train_from_iterator(
        LEARNED_FROM, BpeTrainer(vocab_size=400, initial_alphabet=ByteLevel.alphabet(), show_progress=False)
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=trained, eos_token=END, pad_token="<|endoftext|>")
    tokenizer.add_special_tokens({"additional_special_tokens": [START]})
    tokenizer.add_tokens(["<tool_call>", "</tool_call>", *([says] if says else [])])
    return tokenizer


def _follow(model: Any, chain: dict[Any, Any]) -> None:
    """Set the weights so that one token follows another, whatever came before it: the layers add nothing."""
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
    model.lm_head.weight.zero_()
    for token, following in chain.items():
        model.lm_head.weight[following] = model.model.embed_tokens.weight[token]
