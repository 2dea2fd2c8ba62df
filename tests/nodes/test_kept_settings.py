"""Settings of an entity on their way into a recall."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes import EchoPlanner, note
from tests.small_world import SmallWorld, ask, recall_settings, states

from secondhop.nodes.begin import begin
from secondhop.nodes.config import Config, RankingSettings
from secondhop.nodes.entity_config import (
    KEEPABLE,
    checked_setting,
    decided_by_caller,
    ranking_with,
    understood,
)
from secondhop.nodes.services import Services

VALUES = st.one_of(
    st.tuples(st.just("ranking.recency"), st.sampled_from(["auto", "always", "never"])),
    st.tuples(st.just("ranking.recency_days"), st.floats(0.001, 1e9)),
    st.tuples(st.just("ranking.freshness"), st.floats(0, 1)),
    st.tuples(st.just("ranking.source_priority"), st.sampled_from(["", "note=1, mail=0.5"])),
)


CAKE = "How I bake the plum cake of my grandmother: "
CAKE_QUESTION = "How do I bake the plum cake with butter and sugar?"
LONG_AGO = datetime(1990, 1, 1, tzinfo=UTC)


class SilentStore:
    """Settings that nobody ever gets to read."""

    async def kept_settings(self) -> Mapping[str, str]:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def keep_settings(self, changes: Mapping[str, str | None]) -> None:
        raise AssertionError("a recall writes nothing")


@given(VALUES)
def test_what_may_be_kept_comes_back_out_of_its_text(setting: tuple[str, str | float]) -> None:
    name, value = setting

    kept = understood({name: str(checked_setting(name, value))})

    assert kept == {name: value}
    assert getattr(ranking_with(RankingSettings(), kept), name.removeprefix("ranking.")) == value


def test_everything_that_may_be_kept_is_a_setting_of_a_recall() -> None:
    assert set(KEEPABLE) <= Config().flat().keys()


def test_what_a_caller_changed_is_decided_by_him() -> None:
    given = recall_settings(ranking={"recency": "never"}, k=9)

    assert decided_by_caller(given) == {"ranking.recency", "limits.k"}
    assert decided_by_caller(Config()) == frozenset()
    assert decided_by_caller(given, ["ranking.freshness"]) == {"ranking.freshness"}


async def test_a_recall_goes_on_when_they_cannot_be_read_in_time(world: SmallWorld) -> None:
    settings = recall_settings(deadline_s=2.0)
    services = replace(world.services(settings=settings), kept_settings=SilentStore())

    begun = await begin({"question": "How are you?"}, services=services)
    answer = await ask(services)

    assert "not read in time" in begun.get("degraded", {})["settings"]
    assert answer.result.ids()
    assert any("settings of the entity" in one for one in answer.result.degraded)


@pytest.mark.parametrize("source", ["", "note=1, conversation=0.5"])
async def test_source_priority_of_the_entity_is_in_the_factors(
    world: SmallWorld, source: str
) -> None:
    services = replace(world.services(), kept_settings=world.store)
    await world.store.keep_settings({"ranking.source_priority": source})

    answer = await ask(services)

    assert answer.trace.settings["ranking.source_priority"] == source
    assert answer.trace.kept_settings == ["ranking.source_priority"]


async def test_the_best_answer_so_far_heeds_them_too(world: SmallWorld) -> None:
    old = replace(note("old", CAKE + "butter, plums, sugar"), created_at=LONG_AGO)
    await world.add(old, note("new", CAKE + "butter, plums and a bit of cinnamon", day=9))
    services = world.services(planner=EchoPlanner(), kept_settings=world.store)
    kept = {"ranking.recency": "always", "ranking.recency_days": "3000"}

    plain = await first_picks(services)
    await world.store.keep_settings(kept)
    aged = await first_picks(services)

    assert (plain, aged) == (["old", "new"], ["new", "old"])


async def first_picks(services: Services) -> list[str]:
    """Of the two, what would be given if the recall ended after its first shortlist."""
    picked = [one for one in await states(services, CAKE_QUESTION) if one.get("picks")]
    ids = [pick["memory_id"] for pick in picked[0]["picks"]]
    return [one for one in ids if one in {"old", "new"}]
