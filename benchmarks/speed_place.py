"""One setting of the comparison: a number of passages and entities, in one folder."""

from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.as_langchain import AsLangchain
from benchmarks.corpus import PASSAGES_A_MEMORY, Base, load_base, without_cues

from secondhop.models.choose_embedder import chosen_embedder
from secondhop.models.embedder import Embedder
from secondhop.stores.records import EmbeddedMemory
from secondhop.stores.store_directory import StoreDirectory

K = 8
"""Memories asked for."""
PASSAGES = PASSAGES_A_MEMORY * K
"""Passages asked for from a system that does not know memories, to get at least K memories."""
BATCH = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A setting, passed to the process of each system; all data is in the folder."""

    folder: Path
    passages: int
    entities: int
    model_url: str
    """Base URL of the scripted language model."""

    @property
    def memories_each(self) -> int:
        """Memories per entity."""
        return self.passages // self.entities // PASSAGES_A_MEMORY

    def entity(self, number: int) -> str:
        """The entity that question `number` goes to; consecutive questions go to different ones."""
        return f"e{number * 37 % self.entities}"

    def contents(self, base: Base) -> Iterator[tuple[str, list[EmbeddedMemory]]]:
        """(entity, batch of its memories), entity by entity."""
        for number in range(self.entities):
            first = number * self.memories_each
            for start in range(first, first + self.memories_each, BATCH):
                count = min(BATCH, first + self.memories_each - start)
                yield f"e{number}", base.memories_of(count, first=start)


@dataclass(frozen=True, slots=True)
class Models:
    """What the process of a system loads."""

    embedder: Embedder
    base: Base
    as_langchain: AsLangchain


async def loaded() -> Models:
    """The default embedding model, and the corpus with its vectors."""
    embedder = await chosen_embedder("default")
    return Models(embedder, await load_base(embedder), AsLangchain(embedder))


async def fill_secondhop(place: Place, models: Models, *, cues: bool) -> None:
    """Fill our store in `place.folder / "cues"` or `"plain"`."""
    embedder = models.embedder
    async with aclosing(StoreDirectory(store_folder(place, cues=cues))) as home:
        opened, store = "", None
        for entity, memories in place.contents(models.base):
            if entity != opened:
                if store is not None:
                    await store.aclose()
                store = await home.open_entity(
                    entity, embedder_id=embedder.model_id, dimension=embedder.dimension
                )
                opened = entity
            assert store is not None
            await store.put(memories if cues else [without_cues(one) for one in memories])
        if store is not None:
            await store.aclose()


def store_folder(place: Place, *, cues: bool) -> Path:
    """The folder of our store."""
    return place.folder / ("cues" if cues else "plain")
