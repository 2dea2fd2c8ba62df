"""Lowers memories shown lately for other questions; off by default.

It only changes the order: it moves no memory across `min_score`.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from secondhop.nodes.session.session_state import SessionState
from secondhop.nodes.state import RecallState

REMEMBERED = 64
"""Questions per open entity whose answers are remembered."""

HALF_LIFE = 4
"""Number of questions after which wear has halved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLately:
    """What one question was shown, so that other questions bring something else."""

    question: str
    """A digest of the question."""
    memory_ids: Sequence[str]
    weary: Mapping[str, float] = field(default_factory=dict[str, float])
    """{memory id: wear, 0..1} when the question was asked; a repeat of it gets the same wear."""


class ExposureMemory:
    """The last answers of one open entity, in this process only: a recall writes nothing to disk.

    A repeated question (spaces and case do not matter) gets the same wear as the first time. So it
    gets the same answer, as long as it is remembered and the store does not change.
    """

    def __init__(self) -> None:
        self._shown: OrderedDict[str, ShownLately] = OrderedDict()
        self._lock = threading.Lock()

    def weary(self, question: str) -> dict[str, float]:
        """{memory id: wear}: 1 for what the last other question showed, halved per `HALF_LIFE`."""
        with self._lock:
            known = self._shown.get(digest_of(question))
            if known is not None:
                return dict(known.weary)
            return worn([one.memory_ids for one in self._shown.values()])

    def show(self, shown: ShownLately) -> None:
        """Remember an answer, and forget the oldest."""
        with self._lock:
            self._shown[shown.question] = shown  # asked again, a question keeps its place
            while len(self._shown) > REMEMBERED:
                self._shown.popitem(last=False)


def spoken(question: str) -> str:
    """The question as it is compared with others: lower case, single spaces.

    >>> spoken("  Who  is Mara? ")
    'who is mara?'
    """
    return " ".join(question.casefold().split())


def digest_of(question: str) -> str:
    """A digest of the question, so that its words need not be kept.

    >>> digest_of("Who is Mara?") == digest_of("  who is  MARA?")
    True
    """
    return hashlib.sha256(spoken(question).encode("utf-8", "surrogatepass")).hexdigest()


def worn(answers: Iterable[Iterable[str]]) -> dict[str, float]:
    """{memory id: wear}, by the latest answer that showed it; `answers` run from old to new."""
    wear: dict[str, float] = {}
    for age, memory_ids in enumerate(reversed(list(answers))):
        for memory_id in memory_ids:
            wear.setdefault(memory_id, round(0.5 ** (age / HALF_LIFE), 4))
    return wear


def worn_in_session(state: SessionState) -> dict[str, float]:
    """{memory id: wear} in a round of a session, from other questions and from its earlier rounds.

    A session that goes on wants more about the same question, not the same memories again.
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
    """Remember what a recall returned, so that later recalls lower it."""
    memory.show(
        ShownLately(
            question=digest_of(state["question"]),
            memory_ids=tuple(memory_ids),
            weary=dict(state.get("exposure", {})),
        )
    )
