"""What reading and showing a trace loads."""

from __future__ import annotations

import subprocess
import sys


def test_the_page_of_a_trace_loads_neither_the_server_nor_the_agent() -> None:
    code = "import sys, longtake.agent.traces.pages.page; print({'fastapi', 'langgraph', 'starlette'} & {*sys.modules})"
    reported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert reported.stdout == "set()\n"
