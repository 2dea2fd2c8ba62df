"""The memory map: what an entity's memories are about, as labelled clusters.

Spherical k-means (Dhillon & Modha 2001, doi:10.1023/A:1007612920971) over memory vectors, and
labels of the words that a cluster uses more than the rest. Same store, same map.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from secondhop.stores.catalog.analysis import plain_words
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Topic, Vectors

MOST_TOPICS = 40
MOST_MEMORIES = 5_000
"""A bigger store is mapped by a sample of this size."""
_ROUNDS = 25
_LABEL_WORDS = 6
_LABEL_CHARACTERS = 600
_TITLE_REPEATS = 3
_SPEAKER = re.compile(r"^\W*(?:user|assistant|system|human)\W*:", re.MULTILINE | re.IGNORECASE)
"""The speaker's role says nothing about the topic."""


class MemoryMap:
    """The map of one entity; it is made again when its memories have changed."""

    def __init__(self, catalog: Catalog, index: VectorIndex) -> None:
        self._catalog, self._index = catalog, index
        self._made: tuple[int, Sequence[Topic]] | None = None

    async def topics(self) -> Sequence[Topic]:
        """Topics, biggest first. Writes nothing: an outdated map is made again in memory."""
        changes = await asyncio.to_thread(self._catalog.changes)
        if self._made is None or self._made[0] != changes:
            made_at, topics = await asyncio.to_thread(self._catalog.topics)
            if made_at != changes:
                topics = await map_memories(self._catalog, self._index)
            self._made = changes, topics
        return self._made[1]

    async def refresh(self) -> None:
        """Write an up-to-date map to the catalog; needs the writer's lock."""
        changes = await asyncio.to_thread(self._catalog.changes)
        made_at, _ = await asyncio.to_thread(self._catalog.topics)
        if made_at != changes:
            topics = await map_memories(self._catalog, self._index)
            await asyncio.to_thread(self._catalog.keep_topics, topics, made_at=changes)


async def map_memories(catalog: Catalog, index: VectorIndex) -> list[Topic]:
    """Topics, biggest first; [] for an empty store. Sizes of a sampled store are estimates."""
    texts, members = await asyncio.to_thread(_sample, catalog)
    if not members:
        return []
    fetched = await index.fetch([pid for passage_ids in members for pid in passage_ids])
    held = [place for place, ids in enumerate(members) if any(pid in fetched for pid in ids)]
    if not held:
        return []
    vectors = np.stack(
        [np.mean([fetched[i] for i in members[m] if i in fetched], axis=0) for m in held]
    )
    total = len(await asyncio.to_thread(catalog.content_hashes))
    return await asyncio.to_thread(_topics, vectors, [texts[m] for m in held], total=total)


def _sample(catalog: Catalog) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """[(title, beginning of the text)] and [passage ids] of the memories to map."""
    memory_ids: list[str] = sorted(catalog.content_hashes())
    if len(memory_ids) > MOST_MEMORIES:
        random = np.random.default_rng(0)
        chosen: list[int] = random.choice(len(memory_ids), MOST_MEMORIES, replace=False).tolist()
        memory_ids = [memory_ids[place] for place in sorted(chosen)]
    texts: list[tuple[str, str]] = []
    members: list[list[str]] = []
    for title, opening, passage_ids in catalog.openings(memory_ids, characters=_LABEL_CHARACTERS):
        texts.append((title, opening))
        members.append(passage_ids)
    return texts, members


def _topics(vectors: Vectors, texts: Sequence[tuple[str, str]], *, total: int) -> list[Topic]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.maximum(norms, 1e-12)
    k = max(1, min(MOST_TOPICS, round(2 * math.sqrt(len(unit)))))
    assigned, centres = spherical_kmeans(unit, k=k)
    words = [Counter(_words(title, opening)) for title, opening in texts]
    everywhere = Counter(word for counter in words for word in counter)
    titled = Counter(title for title, _ in texts)
    topics: list[Topic] = []
    for cluster in range(len(centres)):
        members = np.flatnonzero(assigned == cluster)
        if not len(members):
            continue
        nearest = members[np.argsort(-(unit[members] @ centres[cluster]), kind="stable")]
        label = _label([words[m] for m in members], everywhere, memories=len(words))
        called = dict.fromkeys(texts[int(m)][0] for m in nearest)
        titles = sorted(called, key=lambda title: titled[title] > 1)[:2]  # "New chat" says nothing
        size = round(len(members) * total / len(unit))
        topics.append(Topic(label=label or titles[0], size=max(1, size), titles=titles))
    return sorted(topics, key=lambda topic: (-topic.size, topic.label))


def spherical_kmeans(
    unit: Vectors, *, k: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """(cluster of each row [n], centres [k, dim] of unit length) for rows of unit length.

    Starts from k rows that lie far apart (k-means++, seeded), so the result depends on the rows
    alone. A cluster that loses all its rows keeps its centre.
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


def _words(title: str, opening: str) -> list[str]:
    return [
        word
        for word in plain_words(title) * _TITLE_REPEATS + plain_words(_SPEAKER.sub("", opening))
        if len(word) > 2 or not word.isascii()
    ]


def _label(cluster: Sequence[Counter[str]], everywhere: Counter[str], *, memories: int) -> str:
    """Words that many memories in the cluster use and few outside it."""
    inside = Counter(word for counter in cluster for word in counter)
    use = Counter[str]()
    for counter in cluster:
        use.update(counter)

    def telling(word: str) -> float:
        share = inside[word] / len(cluster)
        elsewhere = (everywhere[word] - inside[word]) / max(1, memories - len(cluster))
        contrast = math.log((share + 0.05) / (elsewhere + 0.05))
        return share * contrast * (1 + math.log(use[word]))

    ranked = sorted(inside, key=lambda word: (-telling(word), word))
    return " ".join(ranked[:_LABEL_WORDS])
