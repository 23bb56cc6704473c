"""Runs llama.cpp's server in a process of its own, until the process that started it ends.

Started as a script, so that it imports nothing of Longtake. Parameters arrive as one line of JSON on standard input;
the server's address leaves on standard output. The log of llama.cpp goes to standard error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Serve until standard input closes, which also happens if the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent handles it
    given = json.loads(sys.stdin.readline())
    reply = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    server = _serve(given)
    print(server.listening_address, file=reply, flush=True)
    sys.stdin.read()
    os._exit(0)  # a reply that nobody waits for isn't finished


def _serve(given: dict[str, Any]) -> Any:
    """The server, with its model loaded."""
    os.environ["GGML_NO_BACKTRACE"] = "1"  # the last line of the log then says why it crashed
    xllamacpp: Any = import_module("xllamacpp")  # has no types

    params = xllamacpp.CommonParams()
    params.hostnames, params.port = ["127.0.0.1"], 0  # 0: a free port
    params.api_keys = [given["key"]]
    params.model.path = given["model"]
    if given["mmproj"]:
        params.mmproj.path = given["mmproj"]
    params.n_ctx = given["context"]
    if given["purpose"] != "chat":
        params.embedding = True
        params.n_batch = params.n_ubatch = given["context"]  # a text is read in one piece
        if given["purpose"] == "scores":
            params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK
        elif not given["pools"]:  # the file names no way to make one vector of many
            params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.n_parallel = 1  # one slot, which keeps the prompt of the last request
    params.cache_ram_mib = given["cache_mib"]  # prompts that another one displaced
    # Threads that wait for each other busily are slow beside other work: on four busy cores, four such threads wrote 3
    # to 10 tokens a second, and three that sleep while they wait wrote 98.
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads, threads.poll = given["threads"], 0
    params.use_jinja = True  # chat templates with tools
    params.ui = False
    params.sleep_idle_seconds = given["idle_seconds"]  # then the model leaves the memory until the next request
    params.verbosity = 1  # errors only
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
