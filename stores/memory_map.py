"""The memory map: topics of an entity's memories, as labelled clusters.

The clusters come from spherical k-means (Dhillon & Modha 2001, doi:10.1023/A:1007612920971) over
memory vectors. Their labels are roles, and names that are common in the cluster and rare elsewhere.
The same store always gives the same map.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from secondhop.stores.catalog import reads
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.database import Connection
from secondhop.stores.locks import queue_for
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Topic, Vectors

MOST_TOPICS = 40
MOST_MEMORIES = 5_000
"""For a bigger store, a sample of this size is mapped."""
_WORTH_A_MAP = 50
"""One new memory in so many makes a new map."""
_ROUNDS = 25
_TITLES = 3
_ROLES = 3
_NAMES = 4
_NEAREST = 12
"""How many memories name a cluster: those nearest to its centre."""
_LABEL_CHARACTERS = 600
_SPEAKER = re.compile(r"^\W*(?:user|assistant|system|human)\W*:", re.MULTILINE | re.IGNORECASE)
"""The label of a speaker, which says nothing about the topic."""


PhraseFinder: TypeAlias = Callable[[str], Sequence[str]]
"""The names and noun phrases of a text, most telling first."""


class Described(NamedTuple):
    """What a memory contributes to the label of its topic."""

    title: str
    opening: str
    role: str


class MemoryMap:
    """The map of one entity, made on request.

    It is made again once one memory in 50 is new or changed, or any is gone. That takes 0.1 s for
    200 memories and 0.8 s for 5,000.
    """

    def __init__(self, catalog: Catalog, index: VectorIndex) -> None:
        self._catalog, self._index = catalog, index
        self.phrases_of: PhraseFinder = lambda _: ()
        """Finds phrases that may name a topic. The default finds none: roles and titles name it."""
        self._topics: Sequence[Topic] = []
        self._mapped: Mapping[str, str] = {}
        """{memory id: content hash} of what the map was made from."""

    async def topics(self) -> Sequence[Topic]:
        """Topics, biggest first."""
        async with queue_for(self):  # recalls that ask at once share one map
            stored = await self._catalog.aread(reads.content_hashes)
            new = len(stored.items() - self._mapped.items())
            # a map with a removed memory would go on telling its title
            is_gone = self._mapped.keys() - stored.keys()
            if is_gone or new * _WORTH_A_MAP > len(stored):
                self._topics = await self._made(list(stored))
                self._mapped = stored
            return self._topics

    async def _made(self, memory_ids: Sequence[str]) -> list[Topic]:
        """Topics, biggest first; [] for an empty store. Sizes of a sampled store are estimates."""
        described, members = await self._catalog.aread(sample, memory_ids)
        fetched = await self._index.fetch([one for own in members for one in own])
        held = [place for place, ids in enumerate(members) if any(one in fetched for one in ids)]
        if not held:
            return []
        vectors = np.stack(
            [np.mean([fetched[one] for one in members[m] if one in fetched], axis=0) for m in held]
        )
        of_held = [described[m] for m in held]
        return await asyncio.to_thread(
            _topics, vectors, of_held, total=len(memory_ids), phrases_of=self.phrases_of
        )


def sample(
    connection: Connection, memory_ids: Sequence[str]
) -> tuple[list[Described], list[list[str]]]:
    """(descriptions, lists of passage ids) of the memories to map, in the same order."""
    memory_ids = sorted(memory_ids)
    if len(memory_ids) > MOST_MEMORIES:
        random = np.random.default_rng(0)
        chosen: list[int] = random.choice(len(memory_ids), MOST_MEMORIES, replace=False).tolist()
        memory_ids = [memory_ids[place] for place in sorted(chosen)]
    cards = reads.cards(connection, memory_ids)
    passages = reads.passages_of(connection, memory_ids)
    described: list[Described] = []
    members: list[list[str]] = []
    for memory_id in filter(cards.__contains__, memory_ids):
        card, own = cards[memory_id], passages[memory_id]
        opening = "".join(one.text[:_LABEL_CHARACTERS] for one in own[:1])
        described.append(Described(card.title, opening, card.role))
        members.append([one.passage_id for one in own])
    return described, members


def _topics(
    vectors: Vectors, described: Sequence[Described], *, total: int, phrases_of: PhraseFinder
) -> list[Topic]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.maximum(norms, 1e-12)
    k = max(1, min(MOST_TOPICS, round(2 * math.sqrt(len(unit)))))
    assigned, centres = spherical_kmeans(unit, k=k)
    clusters = [found for c in range(len(centres)) if len(found := np.flatnonzero(assigned == c))]
    nearest: list[list[int]] = []
    for members in clusters:
        similarity = unit[members] @ centres[assigned[members[0]]]
        nearest.append(members[np.argsort(-similarity, kind="stable")].tolist())
    names = _names([[described[m] for m in own[:_NEAREST]] for own in nearest], phrases_of)
    titled = Counter(one.title for one in described)
    topics: list[Topic] = []
    for own, named in zip(nearest, names, strict=True):
        called = dict.fromkeys(described[m].title for m in own)
        titles = sorted(called, key=lambda title: titled[title] > 1)  # "New chat" says nothing
        roles = dict.fromkeys(described[m].role for m in own if described[m].role)
        label = ", ".join([*roles][:_ROLES] + named) or titles.pop(0)
        size = max(1, round(len(own) * total / len(unit)))
        topics.append(Topic(label=label, size=size, titles=titles[:_TITLES]))
    return sorted(topics, key=lambda topic: (-topic.size, topic.label))


def spherical_kmeans(
    unit: Vectors, *, k: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """(cluster of each row [n], centres [k, dim] of unit length) for rows of unit length.

    Starts from k rows that lie far apart (k-means++, seeded), so the result depends on the rows
    alone. There are fewer centres if fewer rows differ. A cluster that loses all its rows keeps its
    centre.
    """
    random = np.random.default_rng(0)
    chosen = [int(random.integers(len(unit)))]
    distance = 1.0 - unit @ unit[chosen[0]]
    while len(chosen) < k:
        weights = np.maximum(distance, 0.0).astype(np.float64) ** 2
        if not weights.sum():
            break  # fewer different rows than clusters
        chosen.append(int(random.choice(len(unit), p=weights / weights.sum())))
        distance = np.minimum(distance, 1.0 - unit @ unit[chosen[-1]])
    centres = unit[chosen].copy()
    assigned = np.full(len(unit), -1, dtype=np.intp)
    for _ in range(_ROUNDS):
        nearest = np.argmax(unit @ centres.T, axis=1)
        if (nearest == assigned).all():
            break
        assigned = nearest
        for cluster in range(len(centres)):
            mean = unit[assigned == cluster].sum(axis=0)
            norm = np.linalg.norm(mean)
            if norm > 0:
                centres[cluster] = mean / norm
    return assigned, centres


def _names(clusters: Sequence[Sequence[Described]], phrases_of: PhraseFinder) -> list[list[str]]:
    """For each cluster, the phrases that several of its memories contain and few others do."""
    found = [[_phrases(one, phrases_of) for one in cluster] for cluster in clusters]
    everywhere = Counter(phrase for cluster in found for own in cluster for phrase in own)
    memories = sum(map(len, clusters))
    names: list[list[str]] = []
    for cluster in found:
        inside = Counter(phrase for own in cluster for phrase in own)
        written = {phrase: words for own in cluster for phrase, words in own.items()}
        told = {
            phrase: _telling(times, everywhere[phrase] - times, len(cluster), memories)
            for phrase, times in inside.items()
            if times > 1
        }
        ranked = sorted(told, key=lambda phrase: (-told[phrase], phrase))
        names.append([written[phrase] for phrase in ranked if told[phrase] > 0][:_NAMES])
    return names


def _phrases(one: Described, phrases_of: PhraseFinder) -> dict[str, str]:
    """{case-folded phrase: the phrase as written}."""
    phrases = phrases_of(f"{one.title}.\n{_SPEAKER.sub('', one.opening)}")
    return {phrase.casefold(): phrase for phrase in phrases}


def _telling(inside: int, outside: int, size: int, memories: int) -> float:
    """How typical a phrase is of a cluster of `size` memories: above 0 if it is more common there
    than elsewhere."""
    share, elsewhere = inside / size, outside / max(1, memories - size)
    return share * math.log((share + 0.05) / (elsewhere + 0.05))
