"""Audio Flamingo 3 (Goel et al. 2025) through transformers: answers questions about sounds, music and voices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from longtake.lazy import cached_property
from longtake.preprocess.engines.transformers_folders import ModelKind, plain, write_reply
from longtake.preprocess.media.audio import Samples
from longtake.settings import Settings

KIND = ModelKind(
    "Audio Flamingo 3",
    ("audioflamingo3",),
    "audio_question.model",
    "sound questions",
    "AudioFlamingo3ForConditionalGeneration",
    "AudioFlamingo3Processor",
    "audio-flamingo-3",
)
_MAX_TOKENS = 400


class AudioFlamingo:
    """Asks the model of `settings.audio_question`."""

    CALLS: ClassVar[Mapping[str, float]] = {"answer": 900.0}
    rate = 16_000
    seconds = 600.0

    def __init__(self, settings: Settings) -> None:
        self._name = settings.audio_question.model
        self.id = f"audio-flamingo-3/{KIND.identity(self._name)}"

    def answer(self, prompt: str, samples: Samples, seconds: float) -> str:
        """See `AudioQuestionEngine`; loading the model doesn't count towards the time."""
        model, processor = self._loaded
        content = [{"type": "text", "text": plain(prompt, processor.tokenizer)}, {"type": "audio"}]
        turn = [{"role": "user", "content": content}]
        text = processor.apply_chat_template(turn, tokenize=False, add_generation_prompt=True)
        inputs = processor(text=[text], audio=[samples], sampling_rate=self.rate).to(model.device, model.dtype)
        return write_reply(KIND, model, processor.tokenizer, inputs, _MAX_TOKENS, seconds)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return KIND.load(self._name)
