"""mem0's search: its own store and scoring, with our embedder and without a language model."""

import asyncio
from dataclasses import dataclass
from typing import Any

from benchmarks.as_langchain import AsLangchain
from benchmarks.contest import Asked, Contender, Entry, Ground, NotRunError
from benchmarks.libraries import library
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from secondhop.evals.baselines import PASSAGES_PER_MEMORY

USER = "bench"


@dataclass(frozen=True, slots=True)
class Mem0:
    """mem0 with passages added as they are (`infer=False`), in an embedded Qdrant.

    Its keyword and entity scores need models that fastembed and spaCy download at run time. They
    are off here, so it searches by vectors only.
    """

    memory: Any

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        found = await asyncio.to_thread(
            self.memory.search,
            asked.text,
            top_k=PASSAGES_PER_MEMORY * k,
            filters={"user_id": USER},
        )
        ids = dict.fromkeys(str(one["metadata"]["memory_id"]) for one in found["results"])
        return list(ids)[:k]


async def opened(ground: Ground) -> Contender:
    """mem0 with all passages, added one at a time.

    Raises:
        NotRunError: mem0 is not installed, or fails with this configuration.
    """
    embeddings = AsLangchain(ground.embedder)
    memory = await asyncio.to_thread(filled, ground, embeddings)
    ground.closing.callback(memory.close)
    return Mem0(memory)


def filled(ground: Ground, embeddings: AsLangchain) -> Any:
    """A mem0 memory that holds the passages."""
    mem0 = library("mem0")
    folder = ground.folder / "mem0" / ground.scenario.name
    folder.mkdir(parents=True)
    config = {
        "embedder": {"provider": "langchain", "config": {"model": embeddings}},
        # never called, but mem0 requires one
        "llm": {"provider": "langchain", "config": {"model": FakeListChatModel(responses=[""])}},
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "collection_name": "bench",
                "embedding_model_dims": ground.embedder.dimension,
                "path": str(folder / "qdrant"),
            },
        },
        "history_db_path": str(folder / "history.db"),
    }
    try:
        memory = mem0.Memory.from_config(config)
        with embeddings.storing():
            for fed in ground.passages:
                metadata = {"memory_id": fed.memory_id}
                memory.add(fed.text, user_id=USER, metadata=metadata, infer=False)
    except Exception as error:  # mem0 may raise anything; the table shows it
        raise NotRunError(f"{type(error).__name__}: {error}") from error
    return memory


def mem0_entry() -> Entry:
    """The entry of the table."""
    return Entry(name="mem0 search", open=opened)
