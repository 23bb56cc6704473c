"""Option likelihood: the option that a language model finds likeliest as the answer, per token of the option.

The mean over tokens keeps short options from winning for being short, as in the normalised accuracy of
lm-evaluation-harness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import httpx

from longtake.errors import ConfigError, EngineError
from longtake.evalharness.subjects.text.text_subject import TextSubject
from longtake.preprocess.engines.llama_cpp.server import missing_gguf, shared_server
from longtake.preprocess.pipeline.workspace import Workspace

_LETTERS = 2  # of what is shown, per token of the context: half of what fits, which leaves room for question and option


class OptionLikelihood(TextSubject):
    """Asks a GGUF file through llama.cpp on this machine."""

    def __init__(self, name: str, workspace: Workspace, file: Path) -> None:
        """Nothing is loaded yet.

        Raises:
            ConfigError: if the file can't be used.
        """
        super().__init__(name, workspace)
        if reason := missing_gguf(workspace.settings, str(file), "gguf"):
            raise ConfigError(f"The subject {name} can't be used: {reason}.")
        self._server = shared_server(workspace.settings, str(file))
        self._client = self._server.client()
        self._room = _LETTERS * workspace.settings.gguf.context

    def scores(self, question: str, options: Sequence[str], lines: Sequence[str]) -> list[float]:
        """The mean log likelihood of an option's tokens, in nats; see `TextSubject`."""
        shown = "\n".join(lines)[: self._room]
        prompt = f"{shown}\n\n{question}" if shown else question
        return [self._likely(prompt, option) for option in options]

    def _likely(self, prompt: str, option: str) -> float:
        """The likelihood of an option as the reply: a grammar leaves the model no other tokens than the option's."""
        self._server.ready()
        try:
            ids = self._sent("tokenize", {"content": option})["tokens"]
            body = {
                "messages": [{"role": "user", "content": f"{prompt}\nAnswer in a few words."}],
                "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in ids),
                "max_tokens": len(ids),
                "logprobs": True,
                "temperature": 0,
            }
            tokens = self._sent("v1/chat/completions", body)["choices"][0]["logprobs"]["content"]
            return mean(float(token["logprob"]) for token in tokens)
        except (httpx.HTTPError, LookupError, TypeError, ValueError) as error:
            raise EngineError(f"llama.cpp gave no likelihoods with {self._server.file.name} ({error}).") from error

    def _sent(self, what: str, body: Mapping[str, Any]) -> Any:
        # The transport puts the real address in the place of this one.
        return self._client.post(f"http://llama.cpp/{what}", json=body).raise_for_status().json()
