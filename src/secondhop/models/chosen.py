"""From what a caller gives as an embedder to one that is ready."""

from typing import TYPE_CHECKING

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
    from langchain_core.embeddings import Embeddings

    from secondhop.models.langchain_embedder import LangchainEmbedder

    if isinstance(embedder, str):
        chosen = make_embedder(embedder)
    elif isinstance(embedder, Embeddings):
        chosen = LangchainEmbedder(embedder)
    else:
        chosen = embedder
    if isinstance(chosen, LearnsDimension):
        await chosen.learn_dimension()
    return chosen
