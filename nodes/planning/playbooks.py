"""Playbooks as vectors: which facets an intent needs, found without a language model."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from secondhop.models.embedder import Embedder, Vectors
from secondhop.models.embedding_cache import past_the_cache
from secondhop.prompts.library import SLOT, Intent, PlaybookFacet
from secondhop.prompts.playbook_vectors import PlaybookVectors, shipped_vectors
from secondhop.ranking.arrays import Floats, products, unit_rows
from secondhop.ranking.playbook_affinity import intent_weights

LEAST_LIKELY = 0.05
"""An intent counts only if it has at least this share of the likeliest intent's weight."""
INTENTS = 3
"""Most intents whose facets are weighed; 3 to 8 gave the same on fourteen people."""

WARM_PART = 128
"""Example questions embedded at a time."""

ANYTHING = "it"
"""Fills the slot for the question's noun phrase, so that the vectors of a facet never change."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeighedFacets:
    """The facets of a question's likeliest intents."""

    facets: Sequence[PlaybookFacet]
    weights: Floats
    """[n_facets]: how much each counts."""
    confidence: float
    """0..1: the weight of the likeliest intent; low if several are about as likely."""
    vectors: Vectors
    """float32 [n_facets, dim], rows of unit length: the mean of a facet's queries."""
    background: Vectors
    """float32 [1, dim], unit length: the mean of all example questions."""


class Playbooks:
    """The shipped intents, with the vectors of their example questions and facets.

    Those for the default model ship. Others are computed at first use; with a caching embedder,
    once per machine.
    """

    def __init__(self, intents: Sequence[Intent], *, embedder: Embedder) -> None:
        """`embedder` embeds the texts of the playbooks; it should have a lasting cache."""
        self._intents = intents
        self._embedder = embedder
        self.questions: Vectors | None = None
        """The example questions, float32 [n, dim], rows of unit length; None until `warm`."""
        self._background: Vectors | None = None
        self._names: Vectors | None = None
        self._owners = np.repeat(np.arange(len(intents)), [len(i.asks) for i in intents])
        self._facets: dict[int, Vectors] = {}

    async def background(self) -> Vectors:
        """float32 [1, dim], unit length: the mean of all example questions, of any subject."""
        if self._background is None:
            await self.warm()
            if self.questions is None or not len(self.questions):
                return np.zeros((1, self._embedder.dimension), dtype=np.float32)
            self._background = unit_rows(self.questions.mean(axis=0, keepdims=True))
        return self._background

    async def warm(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Load the model, and embed example questions and names unless their vectors ship.

        They are embedded in parts, after each of which `progress` is called with (done, total). So,
        with a caching embedder, an interrupted start continues where it stopped.
        """
        if self.questions is not None:
            return
        model_id = self._embedder.model_id
        shipped = await asyncio.to_thread(shipped_vectors, self._intents, model_id=model_id)
        if shipped is not None:
            await past_the_cache(self._embedder).embed_queries([ANYTHING])
            await asyncio.to_thread(self._take, shipped)
            return
        asks = [ask for intent in self._intents for ask in intent.asks]
        parts: list[Vectors] = []
        for start in range(0, len(asks), WARM_PART):
            parts.append(await self._embedder.embed_passages(asks[start : start + WARM_PART]))
            if progress is not None:
                progress(min(start + WARM_PART, len(asks)), len(asks))
        self._names = await self._embedder.embed_passages(names_of(self._intents))
        self.questions = np.concatenate(parts) if parts else np.zeros((0, 1), np.float32)

    async def facets_for(self, question: Vectors) -> WeighedFacets | None:
        """The facets of the likeliest intents of a question (float32 [1, dim], embedded as a
        passage, like the examples); None if there are no playbooks. Raises ModelError if a text
        cannot be embedded."""
        await self.warm()
        if self.questions is None or self._names is None or not len(self.questions):
            return None
        asks = products(question, self.questions)[0].astype(np.float64)
        names = products(question, self._names)[0].astype(np.float64)
        likely = intent_weights(asks, self._owners, names)
        ranked: list[int] = np.argsort(-likely, kind="stable")[:INTENTS].tolist()
        chosen = [one for one in ranked if likely[one] >= LEAST_LIKELY * likely.max()]
        for number in chosen:
            if number not in self._facets:
                own = self._intents[number].facets
                self._facets[number] = await facet_vectors(own, embedder=self._embedder)
        facets = [(number, one) for number in chosen for one in self._intents[number].facets]
        return WeighedFacets(
            facets=[one for _, one in facets],
            confidence=float(likely.max()),
            weights=np.array([likely[number] * one.weight for number, one in facets]),
            vectors=np.concatenate([self._facets[number] for number in chosen]),
            background=await self.background(),
        )

    def _take(self, shipped: PlaybookVectors) -> None:
        counts = [len(intent.facets) for intent in self._intents]
        facets = np.split(unit_rows(shipped.facets), np.cumsum(counts)[:-1])
        self._facets = dict(enumerate(facets))
        self._names, self.questions = unit_rows(shipped.names), unit_rows(shipped.asks)


def names_of(intents: Sequence[Intent]) -> list[str]:
    """The names of intents in words."""
    return [intent.name.replace("-", " ") for intent in intents]


async def facet_vectors(facets: Sequence[PlaybookFacet], *, embedder: Embedder) -> Vectors:
    """float32 [n_facets, dim], rows of unit length: the mean of each facet's queries."""
    texts = [query.replace(SLOT, ANYTHING) for one in facets for query in one.queries]
    embedded = await embedder.embed_queries(texts)
    ends = np.cumsum([len(one.queries) for one in facets])
    return unit_rows(np.stack([part.mean(axis=0) for part in np.split(embedded, ends[:-1])]))
