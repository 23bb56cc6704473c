"""The drawing of the graph is the one of the design."""

from __future__ import annotations

import re
import sqlite3

from langgraph.checkpoint.sqlite import SqliteSaver

from longtake.agent.graph.graph import build_graph

DESIGN = {
    ("__start__", "orient"),
    ("orient", "brief"),
    ("brief", "plan"),
    ("plan", "act"),
    ("plan", "plan"),
    ("act", "plan"),
    ("plan", "judge"),
    ("judge", "plan"),
    ("judge", "stand_in"),
    ("stand_in", "plan"),
    ("judge", "publish"),
    ("publish", "__end__"),
}


def test_the_mermaid_drawing_has_the_designs_edges() -> None:
    connection = sqlite3.connect(":memory:")
    drawing = build_graph(SqliteSaver(connection)).get_graph().draw_mermaid()
    connection.close()
    assert set(re.findall(r"(\w+) (?:-->|-\.->) (\w+);", drawing)) == DESIGN
