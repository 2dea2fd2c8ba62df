"""Simpler systems that sessions are compared with, given the same votes."""

from collections.abc import Sequence

import numpy as np
from benchmarks.simulated_user import LabelledUser

from secondhop.evals.scenario import Question
from secondhop.graph.result import RecalledMemory
from secondhop.recall import Recall
from secondhop.stores.records import Vector, Vectors

PASSAGES = 2
"""Evidence passages that represent a memory, as in a session."""


async def next_page(
    question: Question, user: LabelledUser, recall: Recall, *, pages: int
) -> list[list[str]]:
    """Does not reconsider: keeps what was voted for, and shows the next k of one long ranking."""
    k = question.k
    ranked = await recall.arecall(question.query, k=k * pages, at=question.asked_at)
    answers: list[list[str]] = []
    for page in range(pages):
        shown = ranked.ids()[k * page : k * (page + 1)]
        answers.append([*user.kept(), *shown])
        user.vote_on(shown)
    return answers


async def by_reference_formula(
    question: Question,
    user: LabelledUser,
    recall: Recall,
    *,
    first: Sequence[RecalledMemory],
    pages: int,
) -> list[list[str]]:
    """Searches with the vector of `reference_formula` over each round's votes.

    Args:
        first: the first answer, the same as the session's.

    Returns:
        The answers: what was voted for, then the nearest k memories not yet shown.
    """
    passages = {m.id: [e.passage_id for e in m.evidence[:PASSAGES]] for m in first}
    shown = list(passages)
    answers = [shown]
    for _ in range(pages - 1):
        votes = user.vote_on(shown)
        hot, warm, cold = [
            await vectors_of(
                [p for one, v in votes.items() if v == name for p in passages[one]], recall
            )
            for name in ("hot", "warm", "cold")
        ]
        refined = reference_formula(hot, warm, cold)
        passages |= await nearest_new(refined, user, recall, k=question.k)
        shown = [one for one in passages if one not in user.votes]
        answers.append([*user.kept(), *shown])
    return answers


def reference_formula(hot: Vectors, warm: Vectors, cold: Vectors) -> Vector:
    """The refined vector of "On Second Thought", with its faults.

    (1.0 · Σ hot + 0.4 · Σ warm) / (1.0 · |hot| + 0.4 · |warm|) - 0.3 · mean(cold)
    """
    away: Vector = 0.3 * cold.sum(axis=0) / max(len(cold), 1)
    weight = 1.0 * len(hot) + 0.4 * len(warm)
    if not weight:
        return np.asarray(-away, dtype=np.float32)
    towards: Vector = (1.0 * hot.sum(axis=0) + 0.4 * warm.sum(axis=0)) / weight
    return np.asarray(towards - away, dtype=np.float32)


async def vectors_of(passage_ids: Sequence[str], recall: Recall) -> Vectors:
    """The passages' vectors, float32 [n, dim]; [0, dim] for none."""
    found = await recall.admin.store.vectors(passage_ids)
    rows = list(found.values())
    dimension = recall.admin.services.embedder.dimension
    return np.stack(rows) if rows else np.zeros((0, dimension), np.float32)


async def nearest_new(
    vector: Vectors, user: LabelledUser, recall: Recall, *, k: int
) -> dict[str, list[str]]:
    """{memory id: [id of its nearest passage]} for the nearest k memories that were never shown."""
    length = float(np.linalg.norm(vector))
    if not length:
        return {}
    depth = 10 * (k + len(user.votes))
    (hits,) = await recall.admin.store.dense(vector[None, :] / length, k=depth)
    best: dict[str, list[str]] = {}
    for hit in hits:
        if hit.memory_id not in user.votes and len(best) < k:
            best.setdefault(hit.memory_id, [hit.passage_id])
    return best
