"""Which facets a question's intent needs, worked out by hand."""

from collections.abc import Mapping, Sequence

import numpy as np

from secondhop.models.embedder import Vectors
from secondhop.nodes.planning.playbooks import INTENTS, Playbooks
from secondhop.prompts.library import Intent, PlaybookFacet

QUESTION = np.eye(1, 64, dtype=np.float32)
"""A question on the first axis, near which `PlacedEmbedder` places texts."""


class PlacedEmbedder:
    """Embeds texts where they are placed, others on their own axes; records what it read."""

    def __init__(self, placed: Mapping[str, Sequence[float]] | None = None) -> None:
        self._placed = dict(placed or {})
        self.read: list[str] = []

    @property
    def model_id(self) -> str:
        return "placed"

    @property
    def dimension(self) -> int:
        return 64

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text not in self.read:
                self.read.append(text)
            place = self._placed.get(text)
            if place is None:  # the first four axes are for placed texts
                row[4 + self.read.index(text)] = 1.0
            else:
                row[: len(place)] = place
        return rows

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_passages(texts)


def intent(name: str, *queries: str, weight: float = 1.0) -> Intent:
    """An intent with one wording, made from its name, and one facet."""
    wanted = PlaybookFacet(name=f"{name} notes", why="w", hop=2, weight=weight, queries=queries)
    return Intent(name=name, domain="tests", asks=(f"ask {name}",), facets=(wanted,))


async def test_only_the_likeliest_intents_are_embedded_and_each_text_once() -> None:
    intents = [intent(f"i{n}", f"query {n}") for n in range(INTENTS + 4)]
    embedder = PlacedEmbedder()
    playbooks = Playbooks(intents, embedder=embedder)

    first = await playbooks.facets_for(QUESTION)
    read = list(embedder.read)
    again = await playbooks.facets_for(QUESTION)

    assert first is not None
    assert again is not None
    assert len(first.facets) == INTENTS
    assert sum(text.startswith("query") for text in read) == INTENTS
    assert embedder.read == read
    assert first.vectors.tolist() == again.vectors.tolist()


async def test_warming_tells_how_far_it_is() -> None:
    heard: list[tuple[int, int]] = []
    playbooks = Playbooks([intent("a", "q"), intent("b", "q")], embedder=PlacedEmbedder())

    await playbooks.warm(lambda done, total: heard.append((done, total)))
    await playbooks.warm(lambda done, total: heard.append((done, total)))

    assert heard == [(2, 2)]
    assert playbooks.questions is not None
    assert len(playbooks.questions) == 2
