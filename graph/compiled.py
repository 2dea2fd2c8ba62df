"""The compiled recall graphs of one memory, made when first used.

LangGraph takes half a second to import, and much of what is done with a memory (what it holds, how
a memory came to be, what sessions taught) asks nothing.
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
        """Keeps checkpoints, where there is a checkpointer."""
        from secondhop.graph.builder import build_recall_graph

        return build_recall_graph(self._services, self._checkpointer)

    @cached_property
    def unkept(self) -> "RecallGraph":
        """Keeps none."""
        from secondhop.graph.builder import build_recall_graph

        return self.kept if self._checkpointer is None else build_recall_graph(self._services)
