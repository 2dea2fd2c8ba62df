"""The recall graph as a diagram.

The drawing ships as a file: to draw it again needs the whole of langgraph, seconds for a text that
is always the same. `tests/cli/test_diagram.py` holds it against the compiled graph.
"""

from importlib.resources import files


def recall_diagram() -> str:
    """Mermaid text; every store has the same graph."""
    return (files("secondhop.graph") / "recall_graph.mmd").read_text(encoding="utf-8")
