"""The compiled recall graph as a diagram."""

from dataclasses import replace

from secondhop.interfaces.opening import opened, throwaway
from secondhop.interfaces.options import Common
from secondhop.models.hashing import HashingEmbedder


async def recall_diagram(common: Common) -> str:
    """Mermaid text, made without network. Every store has the same graph, so an empty one does."""
    with throwaway(replace(common, store=None, chroma="")) as place:
        async with opened(place, embedder=HashingEmbedder()) as recall:
            return recall.graph.get_graph().draw_mermaid()
