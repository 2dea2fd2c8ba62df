"""Vectors that a process caches: separate for each entity, with one bound for all."""

import numpy as np
import pytest

from secondhop.stores.vectors import stored_hits
from secondhop.stores.vectors.stored_hits import VectorCache


def test_entities_share_the_room_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_hits, "MOST_BYTES", 3 * 16)
    rows = {f"p{n}": row for n, row in enumerate(np.eye(4, dtype=np.float32))}
    mine, other = VectorCache(), VectorCache()

    mine.keep({"p0": rows["p0"], "p1": rows["p1"]})
    other.keep({"p0": rows["p3"]})
    assert mine.take(["p0", "p2"])["p0"].tolist() == rows["p0"].tolist()
    assert other.take(["p0", "p1"]).keys() == {"p0"}

    other.keep({"p2": rows["p2"]})  # p1 is the least recently used
    assert mine.take(["p0", "p1"]).keys() == {"p0"}
    mine.drop(["p0"])
    assert mine.take(["p0"]) == {}
    assert other.take(["p0", "p2"]).keys() == {"p0", "p2"}
