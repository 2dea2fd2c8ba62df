"""From what a caller gives as an embedder to one that is ready."""

from typing import TYPE_CHECKING, TypeGuard

from secondhop.models.choose import make_embedder
from secondhop.models.embedder import Embedder, LearnsDimension

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


async def chosen_embedder(embedder: "str | Embedder | Embeddings") -> Embedder:
    """The embedder that is named or given, with a known dimension.

    Raises:
        UsageError: no embedder has that name.
        ModelError: its dimension is not known, and its model does not answer.
    """
    if isinstance(embedder, str):
        chosen = make_embedder(embedder)
    else:
        chosen = embedder if is_own(embedder) else adapted(embedder)
    if isinstance(chosen, LearnsDimension):
        await chosen.learn_dimension()
    return chosen


def is_own(embedder: "Embedder | Embeddings") -> TypeGuard[Embedder]:
    """Whether it speaks our port; LangChain, slow to import, then need not be asked."""
    return hasattr(embedder, "embed_passages")


def adapted(embedder: "Embedder | Embeddings") -> Embedder:
    """LangChain's embeddings behind our port; anything else as it is."""
    from langchain_core.embeddings import Embeddings

    from secondhop.models.langchain_embedder import LangchainEmbedder

    return LangchainEmbedder(embedder) if isinstance(embedder, Embeddings) else embedder
