"""How a memory's source, salience and age change its relevance."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes import note
from tests.nodes.selection.test_selection_rules import unplanned, vote, voted
from tests.nodes.selection.test_selection_rules import world_of as world_of_rows
from tests.small_world import SmallWorld, ask, recall_settings, small_world

from secondhop.errors import UsageError
from secondhop.nodes.config import RankingSettings
from secondhop.nodes.selection.relevance import replaced_by_newest
from secondhop.nodes.selection.relevance import replaces as replaces_column
from secondhop.nodes.selection.relevance import salience as salience_column
from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate
from secondhop.recall import Recall
from secondhop.stores.records import Memory

QUESTION = "TypeScript configuration of the project"
TEXT = "Project uses TypeScript with strict configuration"
AT = "2026-03-01T00:00:00+00:00"


def chat(memory_id: str, text: str) -> Memory:
    return replace(note(memory_id, text), source="conversation")


async def world_of(folder: Path, *memories: Memory) -> SmallWorld:
    return await small_world(folder, memories)


async def test_of_two_that_say_the_same_the_note_comes_before_the_chat(tmp_path: Path) -> None:
    world = await world_of(
        tmp_path,
        replace(note("a-chat", TEXT), source="message"),
        note("b-note", TEXT, title="About a-chat"),
        note("other", "The garden needs water"),
    )

    def trusting(priority: str) -> Services:
        return world.services(settings=recall_settings(ranking={"source_priority": priority}))

    wary = await ask(trusting("message=0.9, note=1"), QUESTION, k=1)
    neutral = await ask(trusting(""), QUESTION, k=1)

    assert wary.result.ids() == ["b-note"]
    assert neutral.result.ids() == ["a-chat"]  # equal relevance: the smaller id wins
    chatted, noted = wary.trace.candidate("a-chat"), wary.trace.candidate("b-note")
    assert chatted is not None
    assert noted is not None
    assert chatted.factors == {}  # factors are relative to the least trusted source found
    assert noted.factors == {"source": 1.1111}
    await world.store.aclose()


async def test_in_a_memory_of_conversations_their_source_says_nothing(tmp_path: Path) -> None:
    world = await world_of(tmp_path, chat("a", TEXT), chat("b", "The garden needs water"))

    found = await ask(world.services(), QUESTION)

    assert [candidate.factors for candidate in found.trace.candidates] == [{}, {}]
    await world.store.aclose()


@pytest.mark.usefixtures("library_of_tests")
async def test_what_matters_more_comes_first_and_the_trace_says_so(tmp_path: Path) -> None:
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as recall:
        now = datetime(2026, 3, 1, tzinfo=UTC)
        for number, salience in enumerate((0.1, 0.5, 1.0)):
            words = f"Standup notes about the garden project {'x' * number}"
            title = "Standup"
            await recall.memories.aremember(
                words, title=title, at=now, salience=salience, memory_id=f"m{number}"
            )
        result = await recall.arecall("garden project standup notes", at=now, k=3)

        assert result.ids()[0] == "m2"
        factors = {one.memory_id: one.factors for one in recall.trace(result.trace_id).candidates}
        assert factors == {"m0": {"salience": 0.84}, "m1": {}, "m2": {"salience": 1.2}}
        story = await recall.aexplain(result.trace_id, "m2")
        assert "Then its importance × 1.20: a score of 0.0192." in story.computed


async def test_age_counts_for_questions_about_now_as_the_formula_says(tmp_path: Path) -> None:
    notes = [note(f"{day}", f"Server {day} at 10.0.0.1", day=day) for day in (1, 30)]
    world = await world_of(tmp_path, *notes)

    now = await ask(world.services(), "What is the current server?", asked_at=AT)
    then = await ask(world.services(), "Which server was it?", asked_at=AT)

    factors = {one.memory_id: one.factors for one in now.trace.candidates}
    old, new = (1 - days / 730 for days in (59, 30))
    assert factors["1"]["recency"] == round(old / new, 4)
    assert factors["30"] == {}
    assert all("recency" not in one.factors for one in then.trace.candidates)
    await world.store.aclose()


@pytest.mark.parametrize("salience", [0.0, 0.3, 0.5, 1.0])
def test_salience_is_bounded_and_half_is_neutral(salience: float) -> None:
    _, state = world_of_rows([[0.9]])
    candidate: Candidate = {**state["candidates"]["m0"], "salience": salience}
    (factor,) = salience_column([candidate], state, RankingSettings())
    assert 0.8 <= factor <= 1.2
    assert (factor == 1.0) == (salience == 0.5)


@pytest.mark.parametrize("wrong", ["note", "note=x", "note=9", "=1", "note=0"])
def test_a_priority_that_cannot_be_read_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match="is not a source with a factor"):
        RankingSettings(source_priority=wrong)


def test_the_newest_of_a_chain_of_replacements_has_the_best_score_in_it() -> None:
    _, state = world_of_rows([[0.9], [0.2], [0.3], [0.05]])
    state = unplanned(state)
    for old, new in (("m0", "m1"), ("m1", "m2"), ("m2", "m1")):  # m1 and m2 name each other
        state["candidates"][old]["outdated_by"] = new
    column = replaces_column([*state["candidates"].values()], state, RankingSettings())
    assert column.tolist() == pytest.approx([1.0, 1.5, 3.0, 1.0])

    del state["candidates"]["m2"]["outdated_by"]
    assert replaced_by_newest(state) == {"m2": "m0"}
    assert replaced_by_newest(voted(state, vote("m0", "cold"))) == {"m2": "m1"}

    state["candidates"]["m2"]["outdated_by"] = "m3"  # no search found m3 similar
    assert replaced_by_newest(state) == {}


def test_with_a_plan_no_replacement_is_lifted() -> None:
    _, state = world_of_rows([[0.9], [0.2]])
    state["candidates"]["m0"]["outdated_by"] = "m1"
    assert replaced_by_newest(state) == {}
    assert replaced_by_newest(unplanned(state)) == {"m1": "m0"}
