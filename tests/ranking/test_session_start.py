"""The score of a memory at a session's start, and an example that simpler formulas get wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.decay import fsrs_recency
from secondhop.ranking.session_start import accepted_strength, session_start_score

UNIT = st.floats(0, 1)


def score(
    *, age: float, confidence: float, accepted: int = 0, since: float = 0, stability: float = 30
) -> float:
    recency = fsrs_recency(age, stability_days=stability)
    strength = accepted_strength(accepted, since, stability_days=stability)
    return float(session_start_score(recency, confidence, strength))


def audited_score(age: float, confidence: float, recalls: int, days_since_recall: float) -> float:
    """The formula of an audit, in which old popularity wins."""
    recency = float(fsrs_recency(age, stability_days=30))
    since = float(fsrs_recency(days_since_recall, stability_days=30))
    strength: float = min(recalls**0.7 / 5, 1.0) * since
    return (0.3 + 0.7 * recency) * max(confidence, strength)


@pytest.mark.parametrize("confidence", [0.5, 0.6, 0.75, 1.0])
def test_the_old_todo_of_the_reference_loses_to_the_new_fact(confidence: float) -> None:
    todo = score(age=90, confidence=confidence, accepted=15, since=2)
    fact = score(age=2, confidence=confidence)

    assert fact > todo
    audited_todo = audited_score(90, confidence, 15, 2)
    audited_fact = audited_score(2, confidence, 0, 0)
    assert audited_todo > audited_fact or confidence == 1.0  # as the audit found it


@pytest.mark.parametrize("confidence", [0.5, 0.75, 0.95])
def test_three_repairs_of_the_audit_are_not_enough_one_by_one(confidence: float) -> None:
    recency = fsrs_recency([90, 2], stability_days=30)
    decayed = accepted_strength([15, 0], [2, 0], stability_days=30)
    full = np.array([float(fsrs_recency(2, stability_days=30)), 0.0])

    by_decay = (0.3 + 0.7 * recency) * np.maximum(confidence, decayed)
    by_cap = (0.3 + 0.7 * recency) * (0.6 * confidence + 0.4 * np.minimum(full, confidence))
    by_recency = (0.2 + 0.8 * recency) * (0.7 * confidence + 0.3 * full)
    assert by_cap[0] > by_cap[1]
    assert by_recency[0] > by_recency[1]
    assert by_decay[0] > by_decay[1] or confidence > 0.8


def test_the_audited_formula_gives_the_figures_of_the_audit() -> None:
    todo, fact = audited_score(90, 0.75, 15, 2), audited_score(2, 0.75, 0, 0)
    # the audit rounds intermediate values: 0.826 and 0.746
    assert [todo, fact] == [pytest.approx(0.826, abs=0.005), pytest.approx(0.746, abs=0.001)]


@given(UNIT, UNIT, UNIT, UNIT)
def test_it_rises_with_recency_and_confidence_and_stays_in_0_to_1(
    recency: float, confidence: float, strength: float, more: float
) -> None:
    found = float(session_start_score(recency, confidence, strength))
    assert 0 <= found <= 1
    assert float(session_start_score(max(recency, more), confidence, strength)) >= found
    assert float(session_start_score(recency, max(confidence, more), strength)) >= found
    assert float(session_start_score(recency, confidence, max(strength, more))) >= found
