"""A recall that fills tokens follows the names in its best evidence to more evidence."""

from contextlib import aclosing
from pathlib import Path

import pytest
from tests.fakes import note
from tests.small_world import SmallWorld, ask, small_world

from secondhop.nodes.evidence.links import COMMON, holders, leads_of
from secondhop.stores.records import Passage, PassageHit

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


def test_a_lead_needs_a_new_name_and_something_left_to_ask() -> None:
    named, nameless = passage("The Heather Quarterly by the Moorland Botanists."), passage("moss")

    (lead,) = leads_of([named, nameless], {"seed": 1.0}, QUESTION)
    assert list(lead.names) == ["Moorland Botanists"]
    assert "president" in lead.open_question
    assert "Heather" not in lead.open_question
    assert leads_of([named], {"seed": 1.0}, "The Heather Quarterly?") == []
    assert leads_of([named], {"seed": 0.0}, QUESTION) == []


def test_a_rare_name_tells_more_and_a_common_one_nothing() -> None:
    def weight(count: int) -> float | None:
        hits = [PassageHit(f"p{n}", "m", 0.5) for n in range(count)]
        held = {hit.passage_id: frozenset({"moorland"}) for hit in hits}
        return holders(frozenset({"moorland"}), hits, held).get("p0")

    assert weight(1) == 1.0
    assert 0.5 < (weight(7) or 0.0) < 1.0
    assert weight(COMMON + 1) is None
    assert holders(frozenset({"x"}), [PassageHit("p0", "m", 0.5)], {}) == {}
