"""How much of a question's evidence is in the passages that fit into a budget of tokens.

Here a token is four characters, because every tokenizer counts differently.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from benchmarks.evidence_set import EvidenceSet, QuestionLine

Shingles: TypeAlias = frozenset[tuple[str, ...]]
"""All sequences of three words; a shorter text is one sequence."""

CHARS_A_TOKEN = 4

FOUND_AT = 0.5
"""An item counts as found if at least this share of its shingles is in the passages."""

WORD = re.compile(r"\w+")


def shingles(text: str) -> Shingles:
    """The shingles of a text's words in lower case.

    >>> sorted(shingles("Tea, then cake first"))
    [('tea', 'then', 'cake'), ('then', 'cake', 'first')]
    """
    words = WORD.findall(text.lower())
    return frozenset(tuple(words[n : n + 3]) for n in range(max(1, len(words) - 2)))


def within(passages: Sequence[str], *, budget: int) -> list[str]:
    """The first passages that fit into the budget; the very first is cut to fit.

    >>> within(["four", "more text", "x"], budget=2)
    ['four']
    """
    kept: list[str] = []
    used = 0.0
    for text in passages:
        part = text if kept else text[: budget * CHARS_A_TOKEN]
        used += len(part) / CHARS_A_TOKEN
        if used > budget:
            break
        kept.append(part)
    return kept


class EvidenceScorer:
    """Computes evidence recall for the questions of one set."""

    def __init__(self, evidence_set: EvidenceSet) -> None:
        self._items = evidence_set.by_id()
        self._wanted: dict[str, Shingles] = {}

    def recall(self, question: QuestionLine, passages: Sequence[str], *, budget: int) -> float:
        """Groups with an item that is found / all groups. `passages`: best first."""
        found = self._found(question, passages, budget=budget)
        return sum(found) / len(found)

    def recalls(
        self, question: QuestionLine, passages: Sequence[str], *, budgets: Sequence[int]
    ) -> Mapping[int, float]:
        """{budget: recall}."""
        return {budget: self.recall(question, passages, budget=budget) for budget in budgets}

    def _found(self, question: QuestionLine, passages: Sequence[str], *, budget: int) -> list[bool]:
        seen: set[tuple[str, ...]] = set()
        for text in within(passages, budget=budget):
            seen |= shingles(text)
        return [any(self._is_in(item_id, seen) for item_id in g) for g in question.evidence]

    def _is_in(self, item_id: str, seen: set[tuple[str, ...]]) -> bool:
        if item_id not in self._wanted:
            self._wanted[item_id] = shingles(self._items[item_id].text)
        wanted = self._wanted[item_id]
        return len(wanted & seen) >= FOUND_AT * len(wanted)
