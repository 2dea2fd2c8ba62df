"""A passage's score: a query's two rankings, all facets, votes, and the day that is named."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from secondhop.nodes.evidence.rank import passage_scores
from secondhop.nodes.retrieval.similarity import as_hits
from secondhop.nodes.state import DIRECT, Ranking, RecallState
from secondhop.stores.records import PassageHit


def ranking(dense: dict[str, float], lexical: dict[str, float]) -> Ranking:
    return Ranking(
        query_id="q",
        dense=as_hits([PassageHit(p, p[0], s) for p, s in dense.items()]),
        lexical=as_hits([PassageHit(p, p[0], s) for p, s in lexical.items()]),
        cosines={},
        error="",
    )


def state_of(
    question: str, rankings: dict[str, Ranking], *, origin: str = "decompose", **more: Any
) -> RecallState:
    """A recall with one query per facet, "f0" first; a memory's letter sets its month."""
    memory_ids = {
        memory_id
        for found in rankings.values()
        for hits in (found["dense"], found["lexical"])
        for memory_id in hits["memory_ids"]
    }
    return cast(
        RecallState,
        {
            "question": question,
            "asked_at": datetime(2026, 3, 1, tzinfo=UTC).isoformat(),
            "kind": "factual",
            "facets": {name: {"weight": 1.0} for name in rankings},
            "queries": {
                name: {"facet_id": name, "origin": "question" if name == DIRECT else origin}
                for name in rankings
            },
            "rankings": rankings,
            "candidates": {
                memory_id: {"created_at": f"2025-{ord(memory_id) - 96:02d}-10T08:00:00+00:00"}
                for memory_id in memory_ids
            },
            **more,
        },
    )


def test_what_was_written_on_the_day_that_is_named_counts_for_more() -> None:
    found = {"f0": ranking({"a1": 0.8, "b1": 0.8}, {})}
    named = passage_scores(state_of("Which tea was it on February 10th?", found))
    unnamed = passage_scores(state_of("Which tea was it?", found))

    assert unnamed["a1"] == unnamed["b1"] == pytest.approx(named["a1"], rel=0.01)
    assert named["b1"] == pytest.approx(2 * named["a1"], rel=0.01)
