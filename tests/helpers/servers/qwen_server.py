"""A small OpenAI-compatible server over a real model of `transformers`, which leaves the calls in the text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helpers.servers.loopback import Handler, listening

MAX_TOKENS = 24


@contextmanager
def qwen_server(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The URL, and the requests as they come in, until the block ends."""
    from transformers import AutoModelForCausalLM, AutoTokenizer  # pyright: ignore[reportMissingImports] - an extra

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True).eval()
    requests: list[dict[str, Any]] = []

    class Answering(Handler):
        def do_POST(self) -> None:
            request = json.loads(self.body())
            requests.append(request)
            body = json.dumps(_completion(request)).encode()
            self.send(200, {"Content-Type": "application/json", "Content-Length": str(len(body))})
            self.wfile.write(body)

    def _completion(request: dict[str, Any]) -> dict[str, Any]:
        for message in request["messages"]:
            message["content"] = message.get("content") or ""
            for call in message.get("tool_calls", ()):
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        prompt = tokenizer.apply_chat_template(
            request["messages"],
            tools=request.get("tools"),
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
        )
        length = prompt["input_ids"].shape[1]
        written = model.generate(**prompt, max_new_tokens=MAX_TOKENS, do_sample=False)[0, length:]
        reason = "stop" if int(written[-1]) == tokenizer.eos_token_id else "length"
        text = tokenizer.decode(written, skip_special_tokens=True)
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": length, "completion_tokens": len(written), "total_tokens": length + len(written)}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {"id": "1", "object": "chat.completion", "created": 0, "model": "q", "choices": [choice], "usage": usage}

    with listening(Answering) as url:
        yield f"{url}/v1", requests
