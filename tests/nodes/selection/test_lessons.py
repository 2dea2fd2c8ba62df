"""What lessons amount to: shrunk, bounded, fading, and only for questions that are near."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.nodes.config import LearningSettings
from secondhop.nodes.selection.lessons import (
    NearContext,
    helped_together,
    learned_factor_of,
    near_contexts,
    open_cues,
    similarities,
    weighed,
)
from secondhop.ranking.coverage import Sharpening
from secondhop.stores.lessons import LearnedContext, Lessons, SessionCue, Weight

AT = datetime(2026, 3, 1, tzinfo=UTC)
ALIKE = Sharpening(lo=0.5, hi=0.9)


def context(cosine: float = 1.0, context_id: str = "c", **lessons: Any) -> LearnedContext:
    """A context whose cosine to the question [1, 0] this is."""
    vector = np.array([cosine, (1 - cosine**2) ** 0.5], dtype=np.float32)
    known = replace(Lessons(at=AT, sessions=1.0, rounds=2.0), **lessons)
    return LearnedContext(context_id=context_id, embedder_id="e", vector=vector, lessons=known)


def near(similarity: float = 1.0, **lessons: Any) -> NearContext:
    return NearContext(context=context(**lessons), similarity=similarity, learned_at=AT)


def found(*contexts: LearnedContext, days: float = 0.0) -> list[NearContext]:
    question = np.array([1.0, 0.0], dtype=np.float32)
    similarity = similarities(question, contexts, embedder_id="e", alike=ALIKE)
    now = AT + timedelta(days=days)
    return near_contexts(contexts, similarity, now=now, half_life_days=90)


def test_a_context_counts_for_questions_that_are_near_and_for_no_others() -> None:
    far, edge, middle, same = (context(cosine, str(cosine)) for cosine in (0.1, 0.5, 0.7, 0.95))

    got = found(far, edge, middle, same)

    assert [(one.context.context_id, round(one.similarity, 2)) for one in got] == [
        ("0.95", 1.0),
        ("0.7", 0.5),
    ]
    assert found() == []


@given(
    st.lists(
        st.tuples(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0.01, 1)), min_size=1, max_size=5
    ),
    st.floats(0, 0.99),
)
def test_no_votes_move_relevance_by_more_than_the_weight(
    votes: list[tuple[float, float, float]], weight: float
) -> None:
    contexts = [near(share, weights={"a": Weight(good=g, bad=b)}) for g, b, share in votes]

    factor = learned_factor_of(weighed(contexts)["a"], most=weight)

    assert 1 - weight / 2 - 1e-4 <= factor <= 1 + weight + 1e-4


def test_what_helped_is_looked_at_together_and_not_what_did_harm() -> None:
    weights = {
        "a": Weight(good=1),
        "b": Weight(good=3, bad=1),
        "harm": Weight(good=1, bad=2),
        **{f"faint-{n}": Weight(good=0.5) for n in range(9)},
    }

    assert helped_together(weights) == ["b", "a", "faint-0", "faint-1", "faint-2", "faint-3"]


def test_only_promoted_cues_of_living_contexts_open_one_a_target() -> None:
    cues = [
        SessionCue(spark="s", leads_to="t", wins=3),
        SessionCue(spark="s2", leads_to="t", wins=4),
        SessionCue(spark="s", leads_to="waits", wins=2),
        SessionCue(spark="s", leads_to="gone", wins=9, retired=True),
    ]

    opened = open_cues([near(cues=cues)], now=AT, half_life_days=90)
    later = open_cues([near(cues=cues)], now=AT + timedelta(days=300), half_life_days=90)

    assert [cue.spark for cue in opened] == ["s2"]
    assert later == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"weight": 1.0},
        {"weight": -0.1},
        {"half_life_days": 0},
        {"weight": float("nan")},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="LearningSettings"):
        LearningSettings(**wrong)
