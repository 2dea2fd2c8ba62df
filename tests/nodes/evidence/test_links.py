"""A recall that fills tokens follows the names in its best evidence to more evidence."""

from contextlib import aclosing
from pathlib import Path

import pytest
from tests.fakes import note
from tests.small_world import SmallWorld, ask, small_world

from secondhop.stores.records import Passage

QUESTION = "Who was the first president of the society which publishes the Heather Quarterly?"

SHELF = (
    note("quarterly", "The Heather Quarterly is a magazine that the Moorland Botanists publish."),
    note(
        "founder",
        "In 1902 the Moorland Botanists met in Leeds, where dinner was served to Ada Finch, their "
        "president.",
    ),
    note("stamps", "A president of the stamp club in Leeds was Tom Reed."),
    *(
        note(f"other-{n}", f"Shelf {n} holds a magazine on heather, moss and ferns.")
        for n in range(9)
    ),
)


def passage(text: str) -> Passage:
    return Passage(passage_id="seed", memory_id="m", ordinal=0, text=text, tokens=9)


async def filled(world: SmallWorld, *, question: str = QUESTION) -> list[str]:
    """Ids of memories, once per passage, in the order of the passages' places."""
    result, trace = await ask(world.services(), question, tokens=200)
    assert {memory.id for memory in result.memories} <= {c.memory_id for c in trace.candidates}
    placed = [(e.place or 0, memory.id) for memory in result.memories for e in memory.evidence]
    return [memory_id for _, memory_id in sorted(placed)]


async def test_what_a_name_in_the_evidence_leads_to_comes_before_what_looks_like_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secondhop.nodes.evidence.fill.LEAST_SHARE", 0.0)
    world = await small_world(tmp_path, SHELF)
    async with aclosing(world.store):
        order = await filled(world)
        monkeypatch.setattr("secondhop.nodes.evidence.links.LINK_SHARE", 0.0)
        unlinked = await filled(world)

    assert order.index("founder") < order.index("stamps")
    assert unlinked.index("founder") > unlinked.index("stamps")
