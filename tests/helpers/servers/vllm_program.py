"""A program `vllm` that takes vLLM's arguments and serves a GGUF file through llama.cpp: vLLM itself needs a GPU."""

from __future__ import annotations

import sys
from pathlib import Path

_PROGRAM = """#!{python}
import sys, time
import xllamacpp
serve, name, *options = sys.argv[1:]
assert serve == "serve"
given = {{option: value for option, value in zip(options, options[1:]) if option.startswith("--")}}
if name == "broken":
    sys.exit("no such model")
params = xllamacpp.CommonParams()
params.model.path, params.model_alias = {model!r}, {{name}}  # vLLM too lists the name it was given
params.hostnames, params.port = [given["--host"]], int(given["--port"])
if "--limit-mm-per-prompt" in options:
    params.mmproj.path = {projector!r}
params.n_ctx, params.n_predict, params.n_parallel, params.use_jinja, params.verbosity = 8192, 100, 1, True, 1
for threads in (params.cpuparams, params.cpuparams_batch):
    threads.n_threads, threads.poll = 2, 0
server = xllamacpp.Server(params)
time.sleep(600)
"""


def write_vllm(folder: Path, model: Path, projector: Path | None = None) -> Path:
    """Write the program into a folder for the PATH; with a projector, models that see load it."""
    folder.mkdir()
    program = folder / "vllm"
    program.write_text(_PROGRAM.format(python=sys.executable, model=str(model), projector=str(projector or "")))
    program.chmod(0o755)
    return folder
