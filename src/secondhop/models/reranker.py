"""The interface of rerankers: models that read a question and a passage together."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores passages against one query; a recall also works without one."""

    async def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """One relevance score per passage, in order, 0..1, higher is better."""
        ...
