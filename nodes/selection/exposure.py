"""What was shown lately for other questions yields to what was not; off unless asked for.

It only moves places: what is below `min_score` stays out, and what is above it stays in.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from secondhop.nodes.session.session_state import SessionState
from secondhop.nodes.state import RecallState
from secondhop.stores.counters import LATELY_KEPT, ShownLately

REMEMBERED = LATELY_KEPT
"""Questions whose answers are remembered, an open entity."""

HALF_LIFE = 4
"""Questions after which a memory that was shown yields half as much."""


class RecordsShown(Protocol):
    """What other processes have shown, and somebody said something about."""

    async def lately(self) -> Sequence[ShownLately]:
        """Answers of the last questions, the oldest first. Reading writes nothing."""
        ...


class ExposureMemory:
    """The last answers of one open entity. In this process alone: a read writes nothing.

    A question asked again, however it is spaced or cased, meets what it met the first time, and so
    gets the answer it got, as long as it is remembered and the store stays as it is.
    """

    def __init__(self) -> None:
        self._shown: OrderedDict[str, ShownLately] = OrderedDict()
        self._lock = threading.Lock()

    def weary(self, question: str, *, recorded: Sequence[ShownLately] = ()) -> dict[str, float]:
        """{memory id: wear}: 1 for what the last other question showed, halved every HALF_LIFE.

        Args:
            recorded: what other processes showed; what is remembered here is not taken from there.
        """
        with self._lock:
            answers = {one.question: one for one in recorded} | self._shown
        known = answers.get(digest_of(question))
        if known is not None:
            return dict(known.weary)
        lately = sorted(answers.values(), key=lambda one: one.at)
        return worn(one.memory_ids for one in lately[-REMEMBERED:])

    def show(self, shown: ShownLately) -> None:
        """Remember an answer, and forget the oldest."""
        with self._lock:
            self._shown[shown.question] = shown  # asked again, a question keeps its place
            while len(self._shown) > REMEMBERED:
                self._shown.popitem(last=False)


def spoken(question: str) -> str:
    """What makes two questions one.

    >>> spoken("  Who  is Mara? ")
    'who is mara?'
    """
    return " ".join(question.casefold().split())


def digest_of(question: str) -> str:
    """What stands for a question where its words are not kept.

    >>> digest_of("Who is Mara?") == digest_of("  who is  MARA?")
    True
    """
    return hashlib.sha256(spoken(question).encode("utf-8", "surrogatepass")).hexdigest()


def worn(answers: Iterable[Iterable[str]]) -> dict[str, float]:
    """Wear by memory id, of answers from the oldest to the newest; the newest time counts."""
    wear: dict[str, float] = {}
    for age, memory_ids in enumerate(reversed(list(answers))):
        for memory_id in memory_ids:
            wear.setdefault(memory_id, round(0.5 ** (age / HALF_LIFE), 4))
    return wear


def worn_in_session(state: SessionState) -> dict[str, float]:
    """Wear by memory id in a round of a session: of other questions, and of its earlier rounds.

    A session that goes on wants more on the same question, not the same again.
    """
    rounds = sorted((int(number), ids) for number, ids in state.get("shown", {}).items())
    own = worn(ids for number, ids in rounds if number < state["round"])
    others = state.get("exposure", {})
    return {one: max(own.get(one, 0.0), others.get(one, 0.0)) for one in {**others, **own}}


def remember_answer(
    state: RecallState | SessionState,
    memory_ids: Iterable[str],
    *,
    memory: ExposureMemory,
) -> None:
    """Note what a recall returned, so that it yields in later ones."""
    memory.show(
        ShownLately(
            question=digest_of(state["question"]),
            at=datetime.fromisoformat(state["asked_at"]),
            memory_ids=tuple(memory_ids),
            weary=dict(state.get("exposure", {})),
        )
    )
