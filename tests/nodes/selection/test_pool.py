"""The pool as selection sees it."""

import numpy as np

from secondhop.assembly import scale_of
from secondhop.nodes.selection.pool import pool_of
from secondhop.nodes.state import Candidate, FacetScore
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.redundancy import REDUNDANCY


def candidate(memory_id: str, passage_id: str, relevance: float, rank: int) -> Candidate:
    score = FacetScore(
        rank=rank,
        fused=0.0,
        relevance=relevance,
        dense=0.0,
        lexical=0.0,
        passage_ids=[passage_id],
        query_ids=["q"],
        passage_scores=[relevance],
    )
    return Candidate(
        memory_id=memory_id,
        title=memory_id,
        source="note",
        created_at="2026-01-01T00:00:00+00:00",
        first_round=1,
        score=relevance,
        scores={"f0": score},
    )


def test_memories_of_one_folder_have_it_for_their_parent_and_others_have_none() -> None:
    found = {
        memory_id: candidate(memory_id, f"{memory_id}:0", 0.9, 1)
        for memory_id in ("trip/rome.md", "trip/oslo.md", "todo.md", "3c595564")
    }
    evidence = Evidence(
        vectors=np.eye(4, dtype=np.float32), passages=[[0], [1], [2], [3]], texts=["a"] * 4
    )
    pool = pool_of(found, evidence, scale=scale_of("hashing"))

    same = REDUNDANCY["same_parent"](pool.part(range(4)))

    assert same[0].tolist() == same[1].tolist() == [1, 1, 0, 0]
    assert not same[2:].any()
