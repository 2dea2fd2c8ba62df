"""Labelled questions for tests of measures."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from secondhop.evals.scenario import LabelledFacet, Question

ASKED_AT = datetime(2026, 1, 1, tzinfo=UTC)


def labelled(
    *facets: Mapping[str, int],
    k: int = 4,
    question_id: str = "q",
    redundant: Sequence[Sequence[str]] = (),
    stale: Mapping[str, str] | None = None,
) -> Question:
    """A question whose facets are called f1, f2, …"""
    return Question(
        id=question_id,
        query="What do I need?",
        asked_at=ASKED_AT,
        k=k,
        facets=[
            LabelledFacet.model_validate(
                {"name": f"f{n}", "why": "w", "hop": 1, "relevant": dict(facet)}
            )
            for n, facet in enumerate(facets, start=1)
        ],
        redundant=[list(group) for group in redundant],
        stale=dict(stale or {}),
    )
