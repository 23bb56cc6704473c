"""The program inside bubblewrap, passed to the interpreter as text: it reads a task, limits itself and runs the code.

It imports only the standard library.
"""

import json
import linecache
import resource
import sys
import traceback
from typing import Any

_NAME = "<code>"


def main() -> None:
    """Run the task {code, inputs, limits} from standard input; `limits` are {name of an rlimit: value}."""
    task = json.load(sys.stdin)
    source = task["code"]
    for name, limit in task["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    linecache.cache[_NAME] = (len(source), None, source.splitlines(keepends=True), _NAME)  # tracebacks show its lines
    names: dict[str, Any] = {"__name__": "__main__", "inputs": task["inputs"]}
    try:
        exec(compile(source, _NAME, "exec"), names)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - reported as the interpreter itself would
        frames = error.__traceback__
        traceback.print_exception(error.with_traceback(frames.tb_next if frames else None))
        sys.exit(1)


if __name__ == "__main__":
    main()
