"""How near passages are to everything is worked out once, kept, and forgotten with its memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from tests.fakes import NOW, WrittenPlanner, facet
from tests.small_world import QUESTION, ask

from secondhop.assembly import scale_of
from secondhop.nodes.retrieval.hub_cache import NearnessFile, bank_id
from secondhop.nodes.retrieval.hubs import HubCorrection
from secondhop.recall import Recall
from secondhop.stores.records import PassageHit, Vector, Vectors

BANK = np.eye(4, dtype=np.float32)
OTHER = np.roll(BANK, 1, axis=0)
HITS = [PassageHit("a:1:0", "a", 0.9), PassageHit("b:1:0", "b", 0.8)]


@dataclass(frozen=True)
class Bank:
    questions: Vectors | None


@dataclass(eq=False)
class CountingSearch:
    """Gives every passage the first axis, and notes what it was asked for."""

    asked: list[str] = field(default_factory=list[str])

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        self.asked += passage_ids
        return {one: np.array([0.6, 0.8, 0, 0], dtype=np.float32) for one in passage_ids}

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        raise AssertionError("nobody searches here")

    async def lexical(self, query: str, *, k: int) -> list[PassageHit]:
        raise AssertionError("nobody searches here")


def written(folder: Path) -> bytes:
    """All that is in the cache of hubs below a folder, its log included."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("hubs.db*")))


async def corrected(file: Path, *, bank: Vectors = BANK) -> tuple[list[PassageHit], list[str]]:
    """As after a start: (the corrected hits, the passages whose vectors were looked up)."""
    kept, search = NearnessFile(file), CountingSearch()
    hubs = HubCorrection(Bank(bank), usual=0.2, kept=kept)
    hits = await hubs.corrected(HITS, search=search)
    kept.close()
    return hits, sorted(search.asked)


async def test_a_second_start_finds_what_the_first_worked_out(tmp_path: Path) -> None:
    first, worked_out = await corrected(tmp_path / "hubs.db")
    again, looked_up = await corrected(tmp_path / "hubs.db")

    assert worked_out == ["a:1:0", "b:1:0"]
    assert looked_up == []
    assert again == first


async def test_another_bank_is_never_answered_for(tmp_path: Path) -> None:
    await corrected(tmp_path / "hubs.db")
    _, with_other = await corrected(tmp_path / "hubs.db", bank=OTHER)

    assert bank_id(OTHER) != bank_id(BANK)
    assert with_other == ["a:1:0", "b:1:0"]


async def test_what_is_forgotten_is_gone_from_the_file_and_its_neighbours_stay(
    tmp_path: Path,
) -> None:
    await corrected(tmp_path / "hubs.db")
    kept = NearnessFile(tmp_path / "hubs.db")
    await kept.forget(["a"])
    known = await kept.get(bank_id(BANK), ["a:1:0", "b:1:0"])
    kept.close()

    assert set(known) == {"b:1:0"}
    assert b"a:1:0" not in written(tmp_path)


async def test_a_damaged_file_costs_work_and_nothing_else(tmp_path: Path) -> None:
    sound, _ = await corrected(tmp_path / "sound.db")
    (tmp_path / "hubs.db").write_bytes(b"no database at all" * 100)

    again, worked_out = await corrected(tmp_path / "hubs.db")

    assert again == sound
    assert worked_out == ["a:1:0", "b:1:0"]


async def test_forgetting_where_nothing_was_kept_makes_no_file(tmp_path: Path) -> None:
    await NearnessFile(tmp_path / "hubs.db").forget(["a"])

    assert written(tmp_path) == b""


async def test_a_forgotten_memory_leaves_the_cache_of_hubs_of_its_store(
    tmp_path: Path, library_of_tests: None
) -> None:
    scale = replace(scale_of("hashing"), usual_nearness=0.1)
    async with await Recall.aopen(tmp_path / "s", embedder="hashing", scale=scale) as recall:
        for name in ("secret-tomatoes", "basil"):
            words = f"The {name} in the garden need water"
            await recall.memories.aremember(words, memory_id=name, at=NOW)
        await recall.awarm()
        planner = WrittenPlanner({QUESTION: (facet("garden"),)}, planner_id="written")
        await ask(replace(recall.services, planner=planner))
        before = written(tmp_path)
        await recall.memories.aforget("secret-tomatoes")
        after = written(tmp_path)

    assert b"secret-tomatoes" in before
    assert b"secret-tomatoes" not in after
    assert b"basil" in after
