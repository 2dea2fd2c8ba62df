"""How deep cues are searched, and what cues of sessions say."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from secondhop.nodes.retrieval.cue_search import DEEPEST, DEPTH, best_proved, nearest_cues
from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.state import CueHits
from secondhop.stores.cues import CueHit, CueStanding
from secondhop.stores.records import Vector, Vectors


@dataclass
class ManyCues:
    """Endless cues; one in `every` was stored with its memory, the others come from sessions."""

    every: int
    asked: list[int] = field(default_factory=list[int])

    async def search(self, queries: Vectors, *, k: int) -> list[list[CueHit]]:
        self.asked.append(k)
        at = "2026-03-01T00:00:00+00:00"
        cues = [
            CueHit(
                str(n), str(n), "specific", "", 0.0, "" if n % self.every == 0 else at, 1 - n / k
            )
            for n in range(k)
        ]
        return [cues for _ in queries]

    async def compare(self, queries: Vectors, memory_ids: Sequence[str]) -> list[list[CueHit]]:
        raise AssertionError("no filter admits a few")

    async def vectors(self, cue_ids: Sequence[str]) -> dict[str, Vector]:
        return {}

    async def standing(self) -> CueStanding:
        return CueStanding(share=1.0, proved=True, name_replaced=False, memories=1)


@pytest.mark.parametrize(
    ("every", "asked"), [(1, [256]), (3, [256, 512, 1024]), (99, [256, 512, 1024])]
)
async def test_cues_of_sessions_take_no_place_and_are_not_all_read(
    every: int, asked: list[int]
) -> None:
    cues = ManyCues(every)

    (found,), (complete,) = await nearest_cues(
        np.ones((1, 2), dtype=np.float32), Hidden(reasons={}, ended={}, preferences=[]), cues
    )

    assert cues.asked == asked
    assert max(asked) <= DEEPEST
    assert every == 99 or sum(not hit.proved_at for hit in found) >= DEPTH
    assert not complete


def test_what_sessions_say_most_of_comes_first_and_what_they_hardly_say_not_at_all() -> None:
    votes = {"a": 0.2, "b": 1.0, "c": 2.0, "d": -1.0}
    cued = CueHits(
        memory_ids=[],
        specific=[],
        broad=[],
        nearest=0.0,
        cues=[],
        proved={"votes": votes, "questions": {}, "refused": {}},
    )

    assert best_proved(cued) == ["c", "b"]
