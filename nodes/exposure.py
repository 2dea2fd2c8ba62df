"""What was shown lately for other questions yields to what was not; off unless asked for.

It only moves places: what is below `min_score` stays out, and what is above it stays in.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from secondhop.nodes.settings import RankingSettings
from secondhop.nodes.state import RecallState
from secondhop.ranking.arrays import Floats

REMEMBERED = 64
"""Questions whose answers are remembered, an open entity."""

HALF_LIFE = 4
"""Questions after which a memory that was shown yields half as much."""

MOST = 0.5
"""What full freshness takes from the relevance of a memory that the last question showed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One question's answer."""

    memory_ids: tuple[str, ...]
    weary: Mapping[str, float]
    """{memory id: wear, 0..1} that the question itself met: it meets the same when asked again."""


class ExposureMemory:
    """The last answers of one open entity. In this process alone: a read writes nothing.

    A question asked again, however it is spaced or cased, meets what it met the first time, and so
    gets the answer it got, as long as it is remembered and the store stays as it is.
    """

    def __init__(self) -> None:
        self._shown: OrderedDict[str, Shown] = OrderedDict()
        self._lock = threading.Lock()

    def weary(self, question: str) -> dict[str, float]:
        """{memory id: wear}: 1 for what the last other question showed, halved every HALF_LIFE."""
        with self._lock:
            known = self._shown.get(spoken(question))
            if known is not None:
                return dict(known.weary)
            return worn(self._shown.values())

    def show(self, question: str, memory_ids: Iterable[str], *, weary: Mapping[str, float]) -> None:
        """Remember an answer, and forget the oldest."""
        with self._lock:
            self._shown[spoken(question)] = Shown(
                memory_ids=tuple(memory_ids), weary=dict(weary)
            )  # asked again, a question keeps its place: it is not shown more lately for others
            while len(self._shown) > REMEMBERED:
                self._shown.popitem(last=False)


def spoken(question: str) -> str:
    """What makes two questions one.

    >>> spoken("  Who  is Mara? ")
    'who is mara?'
    """
    return " ".join(question.casefold().split())


def worn(answers: Iterable[Shown]) -> dict[str, float]:
    """Wear by memory id, of answers from the oldest to the newest; the newest time counts."""
    wear: dict[str, float] = {}
    for age, shown in enumerate(reversed(list(answers))):
        for memory_id in shown.memory_ids:
            wear.setdefault(memory_id, round(0.5 ** (age / HALF_LIFE), 4))
    return wear


def exposure_factors(
    memory_ids: Iterable[str], state: RecallState, settings: RankingSettings
) -> dict[str, dict[str, float]]:
    """{memory id: {"exposure": factor}} of those that yield: 1 - freshness * MOST * wear."""
    wear, strength = state.get("exposure", {}), settings.freshness * MOST
    return {
        memory_id: {"exposure": round(1 - strength * wear[memory_id], 4)}
        for memory_id in (memory_ids if strength > 0 else ())
        if wear.get(memory_id, 0.0) > 0
    }


def freshness_left(
    memory_ids: Sequence[str], state: RecallState, settings: RankingSettings
) -> Floats:
    """[n_candidates], 1 - freshness * MOST .. 1: what earlier answers leave of relevance."""
    factors = exposure_factors(memory_ids, state, settings)
    return np.array([factors.get(one, {}).get("exposure", 1.0) for one in memory_ids])


def remember_answer(
    state: RecallState,
    memory_ids: Iterable[str],
    *,
    memory: ExposureMemory,
    settings: RankingSettings,
) -> None:
    """Note what a recall returned, where that is to count for later questions."""
    if settings.freshness > 0:
        memory.show(state["question"], memory_ids, weary=state.get("exposure", {}))
