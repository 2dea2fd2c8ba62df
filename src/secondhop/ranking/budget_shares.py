"""Shares one budget between several lists; what one list does not need goes to the others."""

from collections.abc import Mapping, Sequence
from math import floor, fsum


def filled(
    costs: Mapping[str, Sequence[int]], *, shares: Mapping[str, float], budget: int
) -> dict[str, list[int]]:
    """{list: indices of the members taken, rising}; together they cost at most `budget`.

    In each turn, the remaining budget is divided among the lists that still have members waiting,
    in proportion to their shares. Each list takes members in order while the next one fits into its
    part. If no list can take one, the next member of the list with the largest share is paid from
    the whole remaining budget. Members that cost more than the remaining budget are skipped.

    >>> filled({"a": [1], "b": [1] * 9}, shares={"a": 0.5, "b": 0.5}, budget=4)
    {'a': [0], 'b': [0, 1, 2]}
    """
    taken: dict[str, list[int]] = {name: [] for name in costs}
    waiting = {name: list(range(len(own))) for name, own in costs.items()}
    left = budget
    while True:
        for name, places in waiting.items():
            waiting[name] = [place for place in places if costs[name][place] <= left]
        hungry = [name for name, places in waiting.items() if places]
        if not hungry:
            return {name: sorted(places) for name, places in taken.items()}
        rooms = dealt({name: shares[name] for name in hungry}, left)
        for name in hungry:
            fitting = first_within(costs[name], waiting[name], rooms[name])
            taken[name] += fitting
            left -= sum(costs[name][place] for place in fitting)
            waiting[name] = waiting[name][len(fitting) :]
        if left == sum(rooms.values()):  # no list could take its next member
            first = max(hungry, key=lambda name: shares[name])
            place = waiting[first].pop(0)
            taken[first].append(place)
            left -= costs[first][place]


def first_within(costs: Sequence[int], places: Sequence[int], room: int) -> list[int]:
    """The longest prefix of `places` whose total cost is at most `room`."""
    fitting: list[int] = []
    for place in places:
        if costs[place] > room - sum(costs[taken] for taken in fitting):
            break
        fitting.append(place)
    return fitting


def dealt(shares: Mapping[str, float], amount: int) -> dict[str, int]:
    """The amount divided into whole parts in proportion to the shares, with nothing left over.

    What rounding leaves goes to the largest remainders (Hamilton's method); ties go to the first.

    >>> dealt({"active": 0.3, "preferences": 0.3, "recent": 0.4}, 8)
    {'active': 3, 'preferences': 2, 'recent': 3}
    """
    whole = fsum(shares.values())
    exact = {name: amount * share / whole for name, share in shares.items()}
    parts = {name: floor(value + 1e-9) for name, value in exact.items()}
    over = amount - sum(parts.values())
    by_remainder = sorted(shares, key=lambda name: parts[name] - exact[name])
    return {name: part + (name in by_remainder[:over]) for name, part in parts.items()}
