"""Lowers memories shown lately for other questions; off by default.

It only moves places: what is below `min_score` stays out, and what is above it stays in.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from secondhop.nodes.session.session_state import SessionState
from secondhop.nodes.state import RecallState

REMEMBERED = 64
"""Questions whose answers are remembered, an open entity."""

HALF_LIFE = 4
"""Questions after which a memory that was shown yields half as much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLately:
    """One question's answer, for other questions that are to bring something else."""

    question: str
    """A digest."""
    memory_ids: Sequence[str]
    weary: Mapping[str, float] = field(default_factory=dict[str, float])
    """{memory id: wear, 0..1} that the question itself met: it meets the same when asked again."""


class ExposureMemory:
    """The last answers of one open entity. In this process alone: a read writes nothing.

    A question asked again, however it is spaced or cased, meets what it met the first time, and so
    gets the answer it got, as long as it is remembered and the store stays as it is.
    """

    def __init__(self) -> None:
        self._shown: OrderedDict[str, ShownLately] = OrderedDict()
        self._lock = threading.Lock()

    def weary(self, question: str) -> dict[str, float]:
        """{memory id: wear}: 1 for what the last other question showed, halved every HALF_LIFE."""
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
            memory_ids=tuple(memory_ids),
            weary=dict(state.get("exposure", {})),
        )
    )
