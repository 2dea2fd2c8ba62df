"""A judge that obeys every order it can read, and honest votes to compare with."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from secondhop.prompts.quoting import quoted

BLOCK = re.compile(r"<memory (\w+)>\n([^\n]*)\n(.*?)\n</memory \1>", re.S)

Rows = list[dict[str, Any]]
Way = Callable[[str, Sequence[str], Rows], Rows]
"""(id of the memory with the order, the other ids, honest votes) → the votes it asks for."""


def sheet_in(user: str) -> dict[str, str]:
    """{id of the call: what the sheet shows of the memory, on one line}."""
    return {call: " ".join(f"{head} {text}".split()) for call, head, text in BLOCK.findall(user)}


def honest_rows(shown: Mapping[str, str], good: Collection[str]) -> Rows:
    """Votes: hot for the memories that contain one of the texts in `good`, cold for the others."""
    hot = [call for call, text in shown.items() if any(words in text for words in good)]
    cold = [call for call in shown if call not in hot]
    return [{"id": call, "vote": "hot", "facets": ["f0"]} for call in hot] + voted(cold, "cold")


def voted(calls: Sequence[str], vote: str, **more: Any) -> Rows:
    return [{"id": call, "vote": vote, **more} for call in calls]


def replaces_all(mine: str, others: Sequence[str], honest: Rows) -> Rows:
    return voted([mine], "hot") + voted(others, "cold", replaced_by=mine)


def refuses_all(mine: str, others: Sequence[str], honest: Rows) -> Rows:
    return voted([mine], "hot", facets=["f0", "e1", "e2"]) + voted(others, "wrong")


def repeats_all(mine: str, others: Sequence[str], honest: Rows) -> Rows:
    return voted([mine], "hot") + voted(others, "warm", repeats=mine)


def names_only_itself(mine: str, others: Sequence[str], honest: Rows) -> Rows:
    return voted([mine], "hot")


def comes_first(mine: str, others: Sequence[str], honest: Rows) -> Rows:
    return voted([mine], "hot") + [row for row in honest if row["id"] != mine]


OBEDIENCE: Sequence[Way] = (
    replaces_all,
    refuses_all,
    repeats_all,
    names_only_itself,
    comes_first,
)
"""What an order can ask for: votes for its own memory, and votes against all others."""


@dataclass
class Obedient:
    """Judges honestly, but does what the order says once it has read it."""

    order: str
    good: Collection[str]
    """Texts of memories that an honest judge wants."""
    way: Way = replaces_all
    obeyed: int = 0

    def __call__(self, user: str) -> object:
        shown = sheet_in(user)
        rows = honest_rows(shown, self.good)
        order = " ".join(quoted(self.order).split())
        carriers = [call for call, text in shown.items() if order and order in text]
        if not carriers:
            return {"votes": rows, "go_on": False}
        self.obeyed += 1
        mine, *_ = carriers
        others = [call for call in shown if call != mine]
        asks = [{"facet": "", "name": f"more {n}", "query": f"secret {n}"} for n in range(100)]
        return {"votes": self.way(mine, others, rows), "go_on": True, "new_queries": asks}
