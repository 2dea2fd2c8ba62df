"""One budget over several lists: shares, roll-over, and never more than there is."""

from hypothesis import example, given
from hypothesis import strategies as st

from secondhop.ranking.budget_shares import dealt, filled

SHARES = {"active": 0.3, "preferences": 0.3, "recent": 0.4}
COSTS = st.fixed_dictionaries({name: st.lists(st.integers(1, 40), max_size=12) for name in SHARES})


def numbers(costs: dict[str, list[int]], budget: int) -> dict[str, int]:
    found = filled(costs, shares=SHARES, budget=budget)
    return {name: len(places) for name, places in found.items()}


def units(active: int, preferences: int, recent: int) -> dict[str, list[int]]:
    return {"active": [1] * active, "preferences": [1] * preferences, "recent": [1] * recent}


def test_full_lists_get_their_shares() -> None:
    assert numbers(units(99, 99, 99), 10) == {"active": 3, "preferences": 3, "recent": 4}
    assert numbers(units(99, 99, 99), 1) == {"active": 0, "preferences": 0, "recent": 1}


def test_what_one_list_does_not_need_rolls_over() -> None:
    assert numbers(units(1, 0, 99), 10) == {"active": 1, "preferences": 0, "recent": 9}
    assert numbers(units(1, 99, 99), 10) == {"active": 1, "preferences": 4, "recent": 5}


def test_what_costs_more_than_its_share_may_take_what_the_others_leave() -> None:
    found = filled({"active": [50], "preferences": [], "recent": [10]}, shares=SHARES, budget=60)
    assert found == {"active": [0], "preferences": [], "recent": [0]}


def test_what_fits_nowhere_is_passed_over() -> None:
    found = filled({"active": [90, 5], "preferences": [], "recent": []}, shares=SHARES, budget=50)
    assert found["active"] == [1]


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
