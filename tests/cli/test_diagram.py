"""The drawing that `secondhop graph` prints is the graph that recalls."""

import re
from pathlib import Path

import pytest
from tests.small_world import SmallWorld

from secondhop.cli.diagram import recall_diagram
from secondhop.graph.builder import build_recall_graph

DRAWN = Path("graph") / "recall_graph.mmd"


def arrows(mermaid: str) -> set[tuple[str, str, str]]:
    """(from, word on the arrow, to), however a version of langgraph writes them."""
    found = re.findall(r"^\s*(\w+) -(?:->|\.(.*?)->) (\w+);$", mermaid, re.M)
    return {(start, re.sub(r"&nbsp;|[-. ]", "", word), end) for start, word, end in found}


def test_the_drawing_that_ships_is_the_compiled_graph(
    world: SmallWorld, pytestconfig: pytest.Config
) -> None:
    drawn = build_recall_graph(world.services()).get_graph().draw_mermaid()
    if pytestconfig.getoption("update_golden"):
        (pytestconfig.rootpath / DRAWN).write_text(drawn, encoding="utf-8")

    assert ("retrieve", "", "fuse") in arrows(drawn)
    assert ("pick", "stop", "resolve") in arrows(drawn)
    assert arrows(recall_diagram()) == arrows(drawn)
