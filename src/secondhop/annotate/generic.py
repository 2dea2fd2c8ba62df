"""Detects generic cues; every question would find a memory with such a cue."""

import asyncio
from typing import Final

import numpy as np

from secondhop.models.embedder import Embedder, Vectors
from secondhop.nodes.planning.playbooks import Playbooks

ANYTHING: Final = (
    "help me with anything",
    "answer any question",
    "tell me everything you know",
    "give me some advice",
    "I have a question, can you help?",
    "do whatever I ask next",
    "remember this in every conversation",
    "questions about all kinds of topics",
)
"""Requests without a subject."""

NEIGHBOURS: Final = 10
"""How many nearest everyday questions stand for "a request with a subject", by their mean."""


CLEARLY: Final = 1.05
"""How many times as similar to ANYTHING as to its nearest everyday questions a generic cue must be.
With a factor of 1, 24 of the 2,547 cues would be refused (most are short questions about somebody's
name), and 22 of the 27 ways to ask for anything."""

LEAST_QUESTIONS: Final = 200
"""A smaller bank has no question near to most requests, so they would all seem generic."""


class GenericCues:
    """Tells requests without a subject from those with one.

    A cue is generic if it is clearly more similar to a request for anything than to its nearest
    everyday questions. The rule compares two similarities, so it works with any embedding model.
    With the default model it refuses 2 of the 2,547 cues of the example scenarios, and 18 of 27
    ways to ask for anything that are not in ANYTHING.
    """

    def __init__(self, bank: Playbooks, embedder: Embedder) -> None:
        self._bank, self._embedder = bank, embedder
        self._anything: Vectors | None = None

    async def among(self, cues: Vectors) -> list[bool]:
        """Whether each cue is generic; `cues` is float32 [n, dim], rows of unit length."""
        if not len(cues):
            return []
        await self._bank.warm()
        bank = self._bank.questions
        if bank is None or len(bank) < LEAST_QUESTIONS:
            return [False] * len(cues)
        if self._anything is None:
            self._anything = await self._embedder.embed_passages(list(ANYTHING))
        return await asyncio.to_thread(generic_rows, cues, bank, self._anything)


def generic_rows(cues: Vectors, bank: Vectors, anything: Vectors) -> list[bool]:
    """Whether each cue is clearly nearer to one of `anything` than to its ten nearest of `bank`."""
    usual = np.sort(cues @ bank.T, axis=1)[:, -NEIGHBOURS:].mean(axis=1)
    return [bool(one) for one in np.max(cues @ anything.T, axis=1) > CLEARLY * usual]
