"""Lowers memories shown lately for other questions; off by default.

It only changes the order: it moves no memory across `min_score`.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from secondhop.nodes.session.session_state import SessionState
from secondhop.nodes.state import RecallState
from secondhop.stores.catalog.rows import folded

REMEMBERED = 64
"""Questions per open entity whose answers are remembered."""

HALF_LIFE_QUESTIONS = 4
"""Number of questions after which wear has halved."""


class ExposureMemory:
    """The last answers of one open entity, in this process only: a recall writes nothing to disk.

    A repeated question (spaces and case do not matter) gets the same wear as the first time. So it
    gets the same answer, as long as it is remembered and the store does not change.
    """

    def __init__(self) -> None:
        self._shown: OrderedDict[int, tuple[Sequence[str], Mapping[str, float]]] = OrderedDict()
        """{question: (memory ids of its answer, wear when it was asked)}."""
        self._lock = threading.Lock()

    def weary(self, question: str) -> dict[str, float]:
        """{memory id: wear}: 1 for what the last other question showed, halved every few."""
        with self._lock:
            known = self._shown.get(hash_of(question))
            if known is not None:
                return dict(known[1])
            return worn([memory_ids for memory_ids, _ in self._shown.values()])

    def show(self, state: RecallState | SessionState, memory_ids: Iterable[str]) -> None:
        """Remember the answer of a recall, so that later recalls lower it; forget the oldest."""
        shown = tuple(memory_ids), dict(state.get("exposure", {}))
        with self._lock:
            self._shown[hash_of(state["question"])] = shown  # asked again, it keeps its place
            while len(self._shown) > REMEMBERED:
                self._shown.popitem(last=False)


def hash_of(question: str) -> int:
    """A hash of the question, so that its words need not be kept.

    >>> hash_of("Who is Mara?") == hash_of("  who is  MARA?")
    True
    """
    return hash(folded(question))


def worn(answers: Iterable[Iterable[str]]) -> dict[str, float]:
    """{memory id: wear}, by the latest answer that showed it; `answers` run from old to new."""
    wear: dict[str, float] = {}
    for age, memory_ids in enumerate(reversed(list(answers))):
        for memory_id in memory_ids:
            wear.setdefault(memory_id, round(0.5 ** (age / HALF_LIFE_QUESTIONS), 4))
    return wear


def worn_in_session(state: SessionState) -> dict[str, float]:
    """{memory id: wear} in a round of a session, from other questions and from its earlier rounds.

    A session that goes on wants more about the same question, not the same memories again.
    """
    rounds = sorted((int(number), ids) for number, ids in state.get("shown", {}).items())
    own = worn(ids for number, ids in rounds if number < state["round"])
    others = state.get("exposure", {})
    return {one: max(own.get(one, 0.0), others.get(one, 0.0)) for one in {**others, **own}}
