"""What a learned factor does to an answer: it moves, it may lift over the bar, it bars nobody."""

from collections.abc import Mapping, Sequence

import pytest
from tests.nodes.selection.test_selection_rules import picked, world_of


def answer(rows: Sequence[Sequence[float]], factors: Mapping[str, float]) -> list[str]:
    """Ids of the answer where this was learned; min_score is 0.35."""
    pool, state = world_of(rows)
    state["learned"] = {"contexts": 1, "factors": dict(factors), "cues": {}}
    return picked(pool, state)


@pytest.mark.parametrize(
    ("second", "factor", "expected"),
    [
        (0.5, 1.0, ["m0", "m1"]),
        (0.5, 1.3, ["m1", "m0"]),  # 0.65 goes before 0.6
        (0.4, 1.3, ["m0", "m1"]),  # 0.52 does not
        (0.3, 1.0, ["m0"]),
        (0.3, 1.3, ["m0", "m1"]),  # lifted over the bar
        (0.2, 1.3, ["m0"]),  # what is not near stays out, whatever was learned
        (0.36, 0.85, ["m0", "m1"]),  # moved back, not kept out
    ],
)
def test_a_learned_factor_moves_and_lifts_and_keeps_nothing_out(
    second: float, factor: float, expected: list[str]
) -> None:
    assert answer([[0.6], [second]], {"m1": factor}) == expected
