"""Chooses an embedder from a name in a setting, or from an object that the caller gives."""

import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from secondhop.errors import UsageError
from secondhop.models.embedder import Embedder
from secondhop.models.embedding_cache import past_the_cache
from secondhop.models.remote_embedder import RemoteEmbedder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

EMBEDDER_SPECS = ("default", "bge-small-en-v1.5", "hashing", "openai:MODEL")

_choosing = threading.Lock()
"""`lru_cache` alone would let two threads that begin at once load the model twice."""


def make_embedder(spec: str, *, cache_dir: Path | None = None, offline: bool = False) -> Embedder:
    """The embedder that `spec` names, one of `EMBEDDER_SPECS`; nothing is loaded or fetched before
    its first use. Raises UsageError if there is no such embedder.

    Except for a server's models, equal calls return the same object: the default model is loaded
    once per process.

    Args:
        cache_dir: the folder of model files; None: the user's cache folder.
        offline: raise an error for missing model files instead of downloading them.
    """
    kind, _, name = spec.partition(":")
    if spec in ("default", "bge-small-en-v1.5"):
        with _choosing:
            return _default_model(cache_dir, offline=offline)
    if spec == "hashing":
        with _choosing:
            return _hashing()
    if kind == "openai" and name:
        from secondhop.models.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(name)
    raise UsageError(f"unknown embedder {spec!r}; choose one of: {', '.join(EMBEDDER_SPECS)}")


async def chosen_embedder(embedder: "str | Embedder | Embeddings") -> Embedder:
    """The named or given embedder, with a known dimension. Raises UsageError if no embedder has
    that name; ModelError if the dimension is unknown, and the model does not answer."""
    chosen = make_embedder(embedder) if isinstance(embedder, str) else _adapted(embedder)
    model = past_the_cache(chosen)
    if isinstance(model, RemoteEmbedder):
        await model.learn_dimension()
    return chosen


def _adapted(embedder: "Embedder | Embeddings") -> Embedder:
    """LangChain's embeddings as an `Embedder`; an `Embedder` unchanged."""
    if not hasattr(embedder, "embed_passages"):  # LangChain is slow to import
        from langchain_core.embeddings import Embeddings

        from secondhop.models.langchain_embedder import LangchainEmbedder

        if isinstance(embedder, Embeddings):
            return LangchainEmbedder(embedder)
    return embedder  # type: ignore[return-value] # a wrong object shows at its first call


@lru_cache
def _default_model(cache_dir: Path | None, *, offline: bool) -> Embedder:
    from secondhop.models.bge_onnx import BgeOnnxEmbedder

    return BgeOnnxEmbedder(cache_dir=cache_dir, offline=offline)


@lru_cache
def _hashing() -> Embedder:
    from secondhop.models.hashing import HashingEmbedder

    return HashingEmbedder()
