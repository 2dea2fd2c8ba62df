"""The compiled recall graphs of one entity, built at first use.

LangGraph takes half a second to import, and many commands (what is stored, the history of a memory,
what sessions taught) ask no question.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from secondhop.nodes.services import Services

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from secondhop.graph.builder import RecallGraph


class CompiledGraphs:
    """One graph with the caller's checkpointer, and one without."""

    def __init__(
        self, services: Services, checkpointer: "BaseCheckpointSaver[str] | None" = None
    ) -> None:
        self._services, self._checkpointer = services, checkpointer

    @cached_property
    def kept(self) -> "RecallGraph":
        """The graph that writes checkpoints, if there is a checkpointer."""
        from secondhop.graph.builder import build_recall_graph

        return build_recall_graph(self._services, self._checkpointer)

    @cached_property
    def unkept(self) -> "RecallGraph":
        """The graph that writes no checkpoints."""
        from secondhop.graph.builder import build_recall_graph

        return self.kept if self._checkpointer is None else build_recall_graph(self._services)
