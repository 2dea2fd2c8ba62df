"""The reranker reads at most 50 pairs, before anything is cut, and recall works without it."""

import pytest
from tests.fakes import ScriptedCritic, WordReranker, forever, note, votes
from tests.small_world import SmallWorld, ask

from secondhop.errors import ModelError
from secondhop.nodes import rerank


async def test_no_more_than_50_pairs_a_round_are_read(world: SmallWorld) -> None:
    await world.add(
        *(note(f"more-{n}", f"Carefeed interview thought number {n}") for n in range(60))
    )
    reranker = WordReranker()

    _, trace = await ask(
        world.services(reranker=reranker, critic=ScriptedCritic(votes(content=True))), k=20
    )

    assert sum(len(passages) for _, passages in reranker.calls) == 50
    assert len(trace.candidates) > 50


async def test_it_can_lift_a_memory_over_another(world: SmallWorld) -> None:
    class Opinionated(WordReranker):
        async def rerank(self, query: str, passages: list[str]) -> list[float]:  # type: ignore[override]  # it gets a list
            return [1.0 if "Ohio" in passage else 0.0 for passage in passages]

    result, _ = await ask(
        world.services(reranker=Opinionated(), critic=ScriptedCritic(votes(content=True))),
        "Carefeed research before the interview",
        k=1,
    )

    assert result.ids() == ["research-2"]


async def test_a_failing_reranker_leaves_the_fused_order_and_is_named(world: SmallWorld) -> None:
    without, _ = await ask(world.services())
    broken = WordReranker(error=ModelError("no memory left on the card"))

    result, trace = await ask(world.services(reranker=broken))

    assert result.ids() == without.ids()
    assert any(line.startswith("rerank: no memory left") for line in result.degraded)
    assert any(step.node == "rerank" and step.error for step in trace.steps)


async def test_a_reranker_that_hangs_is_left_behind_after_its_share_of_the_time(
    world: SmallWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hanging(WordReranker):
        async def rerank(self, query: str, passages: object) -> list[float]:
            return await forever()

    monkeypatch.setattr(rerank, "TIME_SHARE", 0.001)
    result, _ = await ask(world.services(reranker=Hanging()))

    assert (bool(result.ids()), result.stop_reason) == (True, "complete")
    assert any(line.startswith("rerank: no answer in time") for line in result.degraded)
