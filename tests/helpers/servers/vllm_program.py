"""A program `vllm` that takes vLLM's arguments and serves SmolLM2 through llama.cpp: vLLM itself needs a GPU."""

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
params.model.path = {model!r}
params.hostnames, params.port = [given["--host"]], int(given["--port"])
params.n_ctx, params.n_parallel, params.use_jinja, params.verbosity = 2048, 1, True, 1
server = xllamacpp.Server(params)
time.sleep(600)
"""


def write_vllm(folder: Path, model: Path) -> Path:
    """Write the program into a folder for the PATH."""
    folder.mkdir()
    program = folder / "vllm"
    program.write_text(_PROGRAM.format(python=sys.executable, model=str(model)))
    program.chmod(0o755)
    return folder
