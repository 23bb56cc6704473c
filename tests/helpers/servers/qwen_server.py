"""A small OpenAI-compatible server over a real model of `transformers`, which leaves the calls in the text."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MAX_TOKENS = 24


@contextmanager
def qwen_server(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The URL, and the requests as they come in, until the block ends."""
    from transformers import AutoModelForCausalLM, AutoTokenizer  # pyright: ignore[reportMissingImports] - an extra

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True).eval()
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(request)
            body = json.dumps(_completion(request)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

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

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
