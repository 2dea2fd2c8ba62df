"""One budget shared by several lists: shares, roll-over, and never more than the budget."""

from hypothesis import example, given
from hypothesis import strategies as st

from secondhop.ranking.budget_shares import dealt, filled

SHARES = {"active": 0.3, "preferences": 0.3, "recent": 0.4}
COSTS = st.fixed_dictionaries({name: st.lists(st.integers(1, 40), max_size=12) for name in SHARES})


@given(COSTS, st.integers(0, 300))
@example({"active": [7], "preferences": [7], "recent": [7]}, 7)
def test_the_budget_is_kept_and_nothing_that_fits_is_left(
    costs: dict[str, list[int]], budget: int
) -> None:
    found = filled(costs, shares=SHARES, budget=budget)

    spent = sum(costs[name][place] for name, places in found.items() for place in places)
    assert spent <= budget
    for name, places in found.items():
        assert places == sorted(set(places))
        left = set(range(len(costs[name]))) - set(places)
        assert all(costs[name][place] > budget - spent for place in left)


@given(
    st.dictionaries(st.text(max_size=3), st.floats(0.01, 5), min_size=1, max_size=5),
    st.integers(0, 10_000),
)
def test_dealing_leaves_nothing_over_and_is_off_by_less_than_one(
    shares: dict[str, float], amount: int
) -> None:
    parts = dealt(shares, amount)
    assert sum(parts.values()) == amount
    whole = sum(shares.values())
    for name, part in parts.items():
        assert abs(part - amount * shares[name] / whole) < 1 + 1e-6
