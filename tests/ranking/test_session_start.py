"""The score of a memory at a session's start."""

from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.session_start import session_start_score

UNIT = st.floats(0, 1)


@given(UNIT, UNIT, UNIT, UNIT)
def test_it_rises_with_recency_and_confidence_and_stays_in_0_to_1(
    recency: float, confidence: float, strength: float, more: float
) -> None:
    found = float(session_start_score(recency, confidence, strength))
    assert 0 <= found <= 1
    assert float(session_start_score(max(recency, more), confidence, strength)) >= found
    assert float(session_start_score(recency, max(confidence, more), strength)) >= found
    assert float(session_start_score(recency, confidence, max(strength, more))) >= found
