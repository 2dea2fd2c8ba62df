"""What lessons amount to: shrunk, bounded, fading, and only for questions that are near."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.nodes.learning_settings import LearningSettings
from secondhop.nodes.selection.lessons import (
    NearContext,
    faded,
    leanings,
    learned_factors,
    near_contexts,
    nearness_to,
    open_hooks,
    proposed,
)
from secondhop.ranking.evidence_coverage import Sharpening
from secondhop.stores.learning import LearnedContext, LearnedHook, Lessons, Weight

AT = datetime(2026, 3, 1, tzinfo=UTC)
ALIKE = Sharpening(lo=0.5, hi=0.9)
SETTINGS = LearningSettings()


def context(cosine: float = 1.0, context_id: str = "c", **lessons: Any) -> LearnedContext:
    """A context whose cosine to the question [1, 0] this is."""
    vector = np.array([cosine, (1 - cosine**2) ** 0.5], dtype=np.float32)
    known = replace(Lessons(at=AT, sessions=1.0, rounds=2.0), **lessons)
    return LearnedContext(context_id=context_id, embedder_id="e", vector=vector, lessons=known)


def near(nearness: float = 1.0, **lessons: Any) -> NearContext:
    return NearContext(context=context(**lessons), nearness=nearness, learned_at=AT)


def found(*contexts: LearnedContext, days: float = 0.0) -> list[NearContext]:
    question = np.array([1.0, 0.0], dtype=np.float32)
    nearness = nearness_to(question, contexts, embedder_id="e", alike=ALIKE)
    now = AT + timedelta(days=days)
    return near_contexts(contexts, nearness, now=now, settings=SETTINGS)


def test_a_context_counts_for_questions_that_are_near_and_for_no_others() -> None:
    far, edge, middle, same = (context(cosine, str(cosine)) for cosine in (0.1, 0.5, 0.7, 0.95))

    got = found(far, edge, middle, same)

    assert [(one.context.context_id, round(one.nearness, 2)) for one in got] == [
        ("0.95", 1.0),
        ("0.7", 0.5),
    ]
    assert found() == []


def test_all_sums_halve_with_the_half_life_and_never_grow() -> None:
    lessons = context(weights={"a": Weight(good=2.0, bad=1.0)}, pairs={("a", "b"): 4.0}).lessons

    half = faded(lessons, AT + timedelta(days=90), half_life_days=90)

    assert half.weights == {"a": Weight(good=1.0, bad=0.5)}
    assert half.pairs == {("a", "b"): 2.0}
    assert (half.sessions, half.rounds) == (0.5, 1.0)
    assert faded(lessons, AT - timedelta(days=5), half_life_days=90) == lessons


def test_one_vote_says_little_and_many_of_one_mind_nearly_all() -> None:
    votes = [near(weights={"a": Weight(good=n)}) for n in (1.0, 3.0, 9.0)]

    leaning = [leanings([one], prior=1.0)["a"] for one in votes]

    assert leaning == pytest.approx([0.5, 0.75, 0.9])
    assert leanings([near(weights={"a": Weight(good=2, bad=2)})], prior=1.0) == {"a": 0.0}


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

    factors = learned_factors(leanings(contexts, prior=1.0), weight=weight)

    assert 1 - weight / 2 - 1e-4 <= factors.get("a", 1.0) <= 1 + weight + 1e-4


def test_what_helped_together_is_proposed_unless_it_did_harm() -> None:
    context = near(pairs={("a", "b"): 1.0, ("b", "c"): 2.0, ("c", "d"): 0.5})
    lean = {"a": 0.5, "b": 0.5, "c": -0.2, "d": 0.0}

    assert proposed([context], lean, limit=6) == ["b", "a"]
    assert proposed([context], lean, limit=1) == ["b"]
    assert proposed([context], lean, limit=0) == []


def test_only_promoted_hooks_of_living_contexts_open_one_a_target() -> None:
    promoted = LearnedHook(spark="s", leads_to="t", wins=3)
    hooks = [
        promoted,
        LearnedHook(spark="s2", leads_to="t", wins=4),
        LearnedHook(spark="s", leads_to="waits", wins=2),
        LearnedHook(spark="s", leads_to="gone", wins=9, retired=True),
    ]

    opened = open_hooks([near(hooks=hooks)], settings=SETTINGS, now=AT)
    later = open_hooks([near(hooks=hooks)], settings=SETTINGS, now=AT + timedelta(days=300))

    assert [hook.spark for hook in opened] == ["s2"]
    assert later == []
    assert open_hooks([near(hooks=hooks)], settings=LearningSettings(hooks=0), now=AT) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"weight": 1.0},
        {"weight": -0.1},
        {"prior": 0},
        {"half_life_days": 0},
        {"hook_weight": 0},
        {"proposals": -1},
        {"hooks": -1},
        {"promote_after": 0},
        {"contexts": 0},
        {"weight": float("nan")},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="LearningSettings"):
        LearningSettings(**wrong)  # type: ignore[arg-type]  # wrong on purpose
