"""The critic's shortlist is small and spread over the facets; the rest have a reason."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
from tests.fakes import ScriptedCritic, ScriptedPlanner, facet, note, plan, votes
from tests.small_world import SmallWorld, ask, small_world

from secondhop.nodes.critics.port import FollowUp

SUBJECTS = ("kettle", "umbrella", "violin", "lantern", "saddle", "compass")


@pytest.fixture
async def wide(tmp_path: Path) -> AsyncIterator[SmallWorld]:
    """Twenty memories for each of six subjects; those of a subject share only its name."""
    chance = Random(7)
    notes = [
        note(f"{subject}-{n}", f"The {subject} in use, {strange_words(chance)}.")
        for subject in SUBJECTS
        for n in range(20)
    ]
    world = await small_world(tmp_path / "wide", notes)
    yield world
    await world.store.aclose()


def strange_words(chance: Random) -> str:
    """Four made-up words, which no other memory has."""
    return " ".join("".join(chance.choices("bdfgklmnprstaeiou", k=6)) for _ in range(4))


def planner() -> ScriptedPlanner:
    facets = [facet(subject, f"the {subject} in use") for subject in SUBJECTS]
    return ScriptedPlanner(decompose=[plan()], expand=[plan(*facets)])


async def test_the_critic_reads_28_at_most_spread_over_the_facets(wide: SmallWorld) -> None:
    critic = ScriptedCritic(votes(content=True))

    await ask(wide.services(planner=planner(), critic=critic), "What is in use?")

    read = critic.read(1)
    assert len(read) == len(set(read)) == 28
    shares = Counter(memory_id.partition("-")[0] for memory_id in read)
    assert set(shares) == set(SUBJECTS)
    assert min(shares.values()) >= 2


async def test_a_later_round_reads_what_was_voted_for_and_half_as_much_that_is_new(
    wide: SmallWorld,
) -> None:
    chance = Random(8)
    sledges = [note(f"sledge-{n}", f"A sledge, {strange_words(chance)}.") for n in range(5)]
    await wide.add(*sledges)
    first = ScriptedCritic(votes(content=True))
    await ask(wide.services(planner=planner(), critic=first), "What is in use?")
    hot = first.read(1)[:3]
    more = FollowUp(text="sledge", facet_id=None, name="sledge")
    critic = ScriptedCritic(votes(more, hot=hot), votes(content=True))

    await ask(wide.services(planner=planner(), critic=critic), "What is in use?")

    second = critic.read(2)
    assert {*hot} <= {*second}
    assert len(second) == len(hot) + 28 // 2
    assert sum(memory_id.startswith("sledge") for memory_id in second) == len(sledges)


async def test_who_is_not_on_it_is_told_so(wide: SmallWorld) -> None:
    critic = ScriptedCritic(votes(content=True))

    _, trace = await ask(wide.services(planner=planner(), critic=critic), "What is in use?")

    unread = [c for c in trace.candidates if c.memory_id not in critic.read(1)]
    assert unread
    for candidate in unread:
        first = candidate.drops[0]
        assert first.stage in {"shortlist", "fuse"}
        assert first.against in critic.read(1)
        assert first.rank is not None


async def test_the_answer_serves_as_many_facets_as_it_has_slots(wide: SmallWorld) -> None:
    critic = ScriptedCritic(votes(content=True))

    result, _ = await ask(wide.services(planner=planner(), critic=critic), "What is in use?", k=6)

    served = Counter(memory_id.partition("-")[0] for memory_id in result.ids())
    assert len(served) >= 5
