"""How near memories usually are to the playbooks' questions."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from secondhop.evals import usual_nearness as room
from secondhop.evals.usual_nearness import usual_nearness
from secondhop.stores.records import PassageHit, Vector, Vectors

BANK = np.eye(2, dtype=np.float32)


@dataclass(eq=False)
class Passages:
    """Vectors by passage id; what is asked for is noted."""

    held: dict[str, Vector]
    asked: list[str] = field(default_factory=list[str])

    async def vector_ids(self) -> set[str]:
        return {*self.held, "gone:0"}

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        self.asked += passage_ids
        return {one: self.held[one] for one in passage_ids if one in self.held}

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        raise AssertionError("nobody searches here")

    async def lexical(self, query: str, *, k: int) -> list[PassageHit]:
        raise AssertionError("nobody searches here")


def pointing(x: float, y: float) -> Vector:
    return np.array([x, y], dtype=np.float32)


async def test_it_is_the_mean_over_the_passages_by_hand() -> None:
    store = Passages({"a": pointing(1.0, 0.0), "b": pointing(0.6, 0.8)})

    # to both questions, fewer than ten: (1 + 0) / 2 and (0.6 + 0.8) / 2
    assert await usual_nearness(store, BANK) == pytest.approx((0.5 + 0.7) / 2)


async def test_passages_compared_in_parts_count_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Passages({"a": pointing(1, 0), "b": pointing(0.6, 0.8), "c": pointing(0.6, 0.8)})
    whole = await usual_nearness(store, BANK)
    monkeypatch.setattr(room, "PASSAGES_A_PRODUCT", 2)

    assert await usual_nearness(store, BANK) == pytest.approx(whole)


async def test_a_great_store_is_sampled_from_end_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "SAMPLE", 5)
    store = Passages({f"m{n:02}": pointing(1, 0) for n in range(20)})

    await usual_nearness(store, BANK)

    assert len(store.asked) <= 5
    assert store.asked[0] < "m05"
    assert store.asked[-1] > "m14"


async def test_nothing_to_measure_on_is_no_number() -> None:
    assert await usual_nearness(Passages({}), BANK) is None
    assert await usual_nearness(Passages({"a": pointing(1, 0)}), None) is None
    assert await usual_nearness(Passages({"a": pointing(1, 0)}), BANK[:0]) is None
