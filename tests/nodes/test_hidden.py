"""What may not be shown is looked up once a recall, and let go of with its answer."""

from typing import Any

from tests.small_world import SmallWorld, states

from secondhop.nodes.hidden import sight_of


class CountedKeeping:
    """Passes everything on, and counts the looks at how memories stand."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.looks = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def keepings(self) -> Any:
        self.looks += 1
        return await self._inner.keepings()


async def test_hundreds_of_recalls_at_once_look_it_up_once_each(world: SmallWorld) -> None:
    keeping = CountedKeeping(world.store)
    services = world.services(keeping=keeping)
    sight = sight_of((await states(world.services()))[-1])

    for _ in range(3):
        for number in range(300):
            await services.hidden.of({**sight, "trace_id": str(number)}, services)

    assert keeping.looks == 300


async def test_a_recall_that_has_its_answer_leaves_nothing(world: SmallWorld) -> None:
    keeping = CountedKeeping(world.store)
    services = world.services(keeping=keeping)
    sight = sight_of((await states(services))[-1])
    before = keeping.looks

    await services.hidden.of(sight, services)

    assert keeping.looks == before + 1
