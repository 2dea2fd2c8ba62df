"""What becomes of a plan's queries when they are pooled, and when the facets take turns."""

from collections.abc import Sequence

import numpy as np
import pytest

from secondhop.evals.baselines_planned import planned_ranking, queries_in_turn
from secondhop.models.embedder import Vectors
from secondhop.stores.records import PassageHit, Vector

FOUND = {
    "question": ["a", "b", "c", "d"],
    "one": ["b", "a", "c"],
    "two": ["b", "c", "a"],
    "other": ["e", "b"],
}
TEXTS = list(FOUND)


class NumberingEmbedder:
    """A text is its place in TEXTS."""

    model_id = "numbering"
    dimension = 1

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.array([[TEXTS.index(text)] for text in texts], dtype=np.float32)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_passages(texts)


class ScriptedSearch:
    """Finds what FOUND says."""

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        rankings = [FOUND[TEXTS[int(query[0])]] for query in queries]
        return [[PassageHit(f"{m}:0", m, 0.5) for m in ranking] for ranking in rankings]

    async def lexical(self, query: str, *, k: int) -> list[PassageHit]:
        raise AssertionError("a plan's queries are asked by meaning alone")

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        return {}


FACETS = [["question"], ["one", "two"], ["other"]]


async def ranked(name: str, *, k: int) -> list[str]:
    return await planned_ranking(
        name, FACETS, k=k, search=ScriptedSearch(), embedder=NumberingEmbedder()
    )


async def test_pooled_the_memory_that_all_queries_find_wins() -> None:
    # b stands at 2, 1, 1 and 2; a at 1, 2 and 3; c at 3, 3 and 2; e at 1 alone
    assert await ranked("pooled", k=4) == ["b", "a", "c", "e"]


async def test_in_turn_every_facet_brings_its_best() -> None:
    assert await ranked("in turn", k=3) == ["a", "b", "e"]


async def test_at_most_k_memories_come_and_none_twice() -> None:
    for k in range(1, 7):
        for name in ("pooled", "in turn"):
            found = await ranked(name, k=k)
            assert len(found) == len(set(found)) == min(k, 5)


async def test_another_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        await ranked("shuffled", k=3)


def test_queries_take_turns_and_no_text_comes_twice() -> None:
    assert queries_in_turn([["q"], ["a", "b"], ["b", "c"], []]) == ["q", "a", "b", "c"]
