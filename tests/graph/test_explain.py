"""Why a memory came back or not, and that the named change does bring it back."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from tests.fakes import EchoPlanner, ScriptedCritic, ScriptedPlanner, facet, note, plan, votes
from tests.small_world import (
    QUESTION,
    Answer,
    SmallWorld,
    ask,
    recall_settings,
    small_world,
)

from secondhop.graph.deciding import deciding, score_text, score_to_beat
from secondhop.graph.explain import explain
from secondhop.graph.explanation import Explanation
from secondhop.graph.score_story import changed as changed_by_factors
from secondhop.graph.trace import RecallTrace
from secondhop.nodes.critics.port import Ballot, Verdict
from secondhop.nodes.critics.reading_votes import LEFT_UNNAMED
from secondhop.nodes.reasons import LEAST_NEAR
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT
from secondhop.reach import reach_of
from secondhop.recall import Recall


async def explained(world: SmallWorld, trace: RecallTrace, memory_id: str) -> Explanation:
    reach = None
    if trace.candidate(memory_id) is None:
        reach = await reach_of(trace, memory_id, store=world.store, embedder=world.embedder)
    return explain(trace, memory_id, reach=reach)


def number_in(text: str, name: str) -> float:
    """The number in a change of a setting or option: 7 in "limits.k=7" or "--k 7"."""
    found = re.search(rf"{re.escape(name)}[ =]([\d.]+\d|\d+)", text)
    assert found, text
    return float(found.group(1))


def changed(services: Services, **ranking: Any) -> Services:
    settings = services.settings
    return replace(
        services, settings=replace(settings, ranking=replace(settings.ranking, **ranking))
    )


async def test_a_returned_memory_tells_what_found_it_and_its_slot(world: SmallWorld) -> None:
    result, trace = await ask(world.planned_services())

    told = await explained(world, trace, "plan")

    assert told.returned
    assert (told.cut_by, told.nearest_change) == ("", "")
    assert "By its text alone, searches found it in round 1" in told.computed[-1]
    assert "my plan for the first year" in told.computed[-1]
    assert f"slot {result.ids().index('plan') + 1} of {trace.k}" in told.story[-1]
    assert "facets share the slots, and its score for this one is 0." in told.story[-1]
    assert "Next came " in told.story[-1]


async def test_a_facet_that_a_critic_names_is_no_search_that_found_it(world: SmallWorld) -> None:
    _, trace = await ask(world.planned_services())
    _, facet_id, far = min(
        (score.relevance, score.facet_id, one.memory_id)
        for one in trace.candidates
        for score in one.facet_scores[1:]
        if one.score > LEAST_NEAR and score.facet_id != DIRECT
    )
    named = Ballot(memory_id=far, vote="hot", reason="helps", facet_ids=(facet_id,), place=1)
    critic = ScriptedCritic(Verdict(ballots=(named,), content=True))
    _, trace = await ask(world.planned_services(critic=critic))
    own = trace.candidate(far)

    assert own
    assert own.slot_facet == facet_id
    texts = [one.text for one in trace.queries if one.facet_id == facet_id]
    assert texts
    assert not any(text in own.why for text in texts)


async def test_an_answer_that_fills_tokens_has_places_and_no_slots(world: SmallWorld) -> None:
    _, trace = await ask(world.planned_services(), tokens=300)

    told = await explained(world, trace, trace.returned[0])

    assert "place 1" in told.story[-1]
    assert told.story[-1].endswith("of an answer that fills 300 tokens.")


async def test_a_look_up_tells_the_number_that_decided(world: SmallWorld) -> None:
    _, trace = await ask(world.services(), "When does the dentist want to see me?", k=2)
    first, second = [trace.candidate(memory_id) for memory_id in trace.returned]
    assert first
    assert second

    told = await explained(world, trace, first.memory_id)

    assert f"its score there is {deciding(trace, first):.4f}" in told.story[-1]
    next_one = f"Next came {second.memory_id} “{second.title}” with {deciding(trace, second):.4f}."
    assert told.story[-1].endswith(next_one)
    assert deciding(trace, first) >= deciding(trace, second)
    assert "taken for a look-up" in told.computed[0]
    assert told.parts == []  # they did not decide


async def test_a_question_for_help_tells_the_scores_that_decided(world: SmallWorld) -> None:
    _, trace = await ask(world.services(), k=2)
    last = trace.candidate(trace.returned[-1])
    assert last

    told = await explained(world, trace, last.memory_id)

    assert (
        f"slots go by score, and it has {score_text(trace, deciding(trace, last))}. Next came"
        in told.story[-1]
    )
    together = sum(one.added for one in told.parts)
    assert together == pytest.approx(sum(last.parts.values()), abs=0.02)
    assert all(one.meaning for one in told.parts)
    assert (
        f": a score of {score_text(trace, last.score)} on a scale from 0 to 1." in told.computed[0]
    )
    lifted = last.model_copy(update={"score": 0.9, "factors": {"learned": 1.3}})
    above = f"a score of {score_text(trace, 1.17)}, which is above that scale."
    assert changed_by_factors(trace, lifted)[0].endswith(above)


async def test_equal_scores_are_told_in_words(tmp_path: Path) -> None:
    drinks = ["tea", "tea and milk", "tea and honey", "milk", "honey", "tea, milk and honey"] * 3
    async with await Recall.aopen(tmp_path, entity="mara", embedder="hashing") as recall:
        await recall.aadd([note(f"n{n:02}", f"Cup {n}: {what}.") for n, what in enumerate(drinks)])
        result = await recall.arecall("What do I drink with milk, and what with honey?", k=12)
        trace = recall.trace(result.trace_id)
    told = 0
    for one, other in pairwise(trace.returned):
        first, second = trace.candidate(one), trace.candidate(other)
        assert first
        assert second
        if deciding(trace, first) == deciding(trace, second):
            told += 1
            by_id = first.score == second.score
            tie = "id that sorts first" if by_id else "one nearer to the question"
            assert f"{other} “About {other}” with the same score" in explain(trace, one).story[-1]
            assert explain(trace, one).story[-1].endswith(f"(of equals, the {tie} comes first).")
            assert one < other if by_id else first.score > second.score
    assert told
    scores = {one: 0.5 - place / 100_000 for place, one in enumerate(trace.returned)}
    close = trace.model_copy(
        update={
            "settings": trace.settings | {"slots.by": "score"},
            "candidates": [
                one.model_copy(update={"score": scores.get(one.memory_id, 0.0)})
                for one in trace.candidates
            ],
        }
    )
    assert (
        "almost the same score (0.5000 when rounded)" in explain(close, trace.returned[0]).story[-1]
    )


async def test_what_seems_replaced_is_told_with_the_number_that_decided(world: SmallWorld) -> None:
    again = (
        "Coaching notes after the mock interview: I talk too fast, give the situation and "
        "the result."
    )
    await world.add(note("newer", again, title="Coach: again", day=20))
    _, trace = await ask(world.services(), k=20)
    candidates = [trace.candidate(one) for one in trace.returned]
    weakened = [one for one in candidates if one and one.weakened_by == "newer"]

    assert weakened
    told = await explained(world, trace, weakened[0].memory_id)
    against = "Against it: newer “Coach: again” is newer and its text is close"
    assert any(line.startswith(against) and "counts a third less" in line for line in told.story)
    assert f"it has {score_text(trace, deciding(trace, weakened[0]))}" in told.story[-1]
    assert deciding(trace, weakened[0]) < 0.7 * weakened[0].score


async def test_a_loss_to_a_newer_memory_is_told_where_it_decided(world: SmallWorld) -> None:
    _, trace = await ask(world.services(), k=2)
    lost = next(one for one in trace.candidates if one.slot is None and not one.close_to)
    needed = score_to_beat(trace)
    for score, decided in ((needed + 0.05, True), (needed - 0.01, False)):
        factors = {"newer": 0.9 * needed / score}
        weak = lost.model_copy(update={"score": score, "factors": factors, "weakened_by": "wins"})
        others = [one for one in trace.candidates if one is not lost]
        told = explain(trace.model_copy(update={"candidates": [*others, weak]}), weak.memory_id)
        said = (
            f"Without what it loses to the newer wins “What I achieved”, it would have "
            f"{score_text(trace, score)}"
        )
        assert (said in told.story[-1]) == decided


async def test_the_place_that_the_critic_gave_it_is_told(world: SmallWorld) -> None:
    order = Verdict(
        ballots=tuple(
            Ballot(memory_id=one, vote="hot", reason="fits", facet_ids=("q0",), place=place)
            for place, one in enumerate(("wins", "plan"), start=1)
        ),
        content=True,
    )
    _, trace = await ask(world.planned_services(critic=ScriptedCritic(order)))

    told = await explained(world, trace, "plan")

    assert "Round 1: voted hot by the critic, place 2 of what was chosen (fits)." in told.story
    assert "and this is at place 2 of it. Next came" in told.story[-1]


async def test_what_the_critic_left_unnamed_is_told_with_the_number_that_decided(
    world: SmallWorld,
) -> None:
    ballots = (
        Ballot(memory_id="wins", vote="hot", reason="fits", facet_ids=("q0",), place=1),
        Ballot(memory_id="plan", vote="cold", reason=LEFT_UNNAMED, is_named=False),
    )
    critic = ScriptedCritic(Verdict(ballots=ballots, content=True))
    _, unvoted = await ask(world.services(), k=2)
    _, trace = await ask(world.services(critic=critic), k=2, effort="low")
    before, after = unvoted.candidate("plan"), trace.candidate("plan")
    assert before
    assert after

    told = await explained(world, trace, "plan")

    assert "Round 1: the critic read it and did not name it." in told.story
    assert deciding(trace, after) == pytest.approx(0.3 * deciding(unvoted, before))
    assert any("not named by the critic × 0.30" in line for line in told.computed)


async def test_what_fills_the_slots_that_the_critic_left_is_told_so(world: SmallWorld) -> None:
    ballots = (
        Ballot(memory_id="wins", vote="hot", reason="fits", facet_ids=("q0",), place=1),
        Ballot(memory_id="car", vote="cold", reason="another matter", place=0),
        Ballot(memory_id="plan", vote="cold", reason=LEFT_UNNAMED, is_named=False, place=0),
    )
    critic = ScriptedCritic(Verdict(ballots=ballots, content=True))
    _, trace = await ask(world.services(critic=critic), k=5, effort="low")
    assert {"wins", "plan"} < {*trace.returned}
    assert "car" not in trace.returned

    for memory_id in trace.returned[1:]:
        told = (await explained(world, trace, memory_id)).story[-1]
        assert "the critic chose 1 of these 5; " in told
        read = "read and did not choose" if memory_id == "plan" else "did not read"
        assert f"; this one, which it {read}, fills a free slot with 0." in told
        assert "slots go by score" not in told


async def test_the_order_of_the_critic_is_told_of_a_replaced_memory_that_it_chose(
    tmp_path: Path,
) -> None:
    old = note("old", "The farrier costs 70 pounds", day=2)
    newer = replace(
        note("new", "The farrier costs 85 pounds now", day=3), cues=("farrier",), replaces=("old",)
    )
    others = [note(f"n{n}", f"The farrier came {n} times", day=1) for n in range(4)]
    world = await small_world(tmp_path / "old", [*others, old])
    await world.add(newer)
    critic = ScriptedCritic(
        Verdict(
            ballots=tuple(
                Ballot(memory_id=one, vote="hot", reason="fits", facet_ids=("f0",), place=place)
                for place, one in enumerate(("n1", "n2", "n3", "old"), start=1)
            ),
            content=True,
        )
    )
    question = "What do I pay the farrier?"
    _, trace = await ask(world.services(critic=critic), question, k=2, effort="low")
    told = await explained(world, trace, "old")

    assert trace.returned == ["n1", "n2"]
    assert told.replaced_by == "new"
    assert "came in at place 4 for 2 slots. It lost to n2 “About n2”, which was" in told.story[-1]
    assert told.nearest_change.startswith("--k 4 or a little more (it came in at place 4, but ")
    assert "replace" not in told.nearest_change
    await world.store.aclose()


async def all_cut(world: SmallWorld, trace: RecallTrace) -> list[Explanation]:
    stories = [await explained(world, trace, c.memory_id) for c in trace.candidates]
    return [told for told in stories if not told.returned]


async def test_a_cue_is_hinted_at_unless_the_question_is_one_already(world: SmallWorld) -> None:
    _, trace = await ask(world.services(), k=1)
    hint = "; or add a cue, which may lift it: `secondhop cues {} --add"
    placed = [told for told in await all_cut(world, trace) if "came in at place" in told.story[-1]]
    hinted = [told for told in placed if hint.format(quote(told.memory_id)) in told.nearest_change]

    assert hinted
    assert hinted == placed
    lifted = trace.model_copy(
        update={"candidates": [c.model_copy(update={"cue": QUESTION}) for c in trace.candidates]}
    )
    assert not any("secondhop cues" in one.nearest_change for one in await all_cut(world, lifted))


async def test_held_back_because_nothing_speaks_of_the_question(world: SmallWorld) -> None:
    planner = ScriptedPlanner(
        decompose=[plan()], expand=[plan(facet("tyres", "the car's winter tyres in the cellar"))]
    )
    services = world.planned_services(planner=planner, critic=ScriptedCritic(votes(content=True)))

    _, trace = await ask(services, "zxqv wvut?")
    told = await explained(world, trace, "car")

    assert told.cut_by == "pick"
    assert "question itself" in told.story[-1]
    assert "nearer to what is stored" in told.nearest_change


@pytest.fixture
async def crowded(tmp_path: Path) -> Any:
    """A world with thirty memories that fit the query better than the one asked about."""
    crowd = [note(f"tea-{n}", f"green tea steeps two minutes, cup {n}") for n in range(30)]
    world = await small_world(tmp_path / "crowd", [*crowd, note("late", "green tea, and more")])
    yield world
    await world.store.aclose()


async def answer_at(world: SmallWorld, *, depth_factor: int) -> Answer:
    settings = recall_settings(ranking={"depth_factor": depth_factor})
    critic = ScriptedCritic(votes(content=True))
    services = world.services(planner=EchoPlanner(), critic=critic, settings=settings)
    return await ask(services, "green tea steeps two minutes", k=2)


async def test_a_memory_that_was_never_found_is_called_by_its_first_words_without_a_title(
    tmp_path: Path,
) -> None:
    crowd = [note(f"tea-{n}", f"green tea steeps two minutes, cup {n}") for n in range(30)]
    untitled = replace(note("late", "The kettle leaks.\nBuy another."), title="")
    world = await small_world(tmp_path, [*crowd, untitled])
    _, trace = await answer_at(world, depth_factor=2)

    told = await explained(world, trace, "late")

    assert (told.cut_by, told.title) == ("never_found", "The kettle leaks.")
    await world.store.aclose()


async def test_never_found_the_depth_it_names_finds_it(crowded: SmallWorld) -> None:
    _, trace = await answer_at(crowded, depth_factor=2)
    unfound = {f"tea-{n}" for n in range(30)} - {c.memory_id for c in trace.candidates}
    assert unfound

    traces: dict[int, RecallTrace] = {}

    async def trace_at(depth_factor: int) -> RecallTrace:
        if depth_factor not in traces:
            _, traces[depth_factor] = await answer_at(crowded, depth_factor=depth_factor)
        return traces[depth_factor]

    for memory_id in sorted(unfound):
        told = await explained(crowded, trace, memory_id)
        assert told.cut_by == "never_found"
        assert "green tea steeps two minutes" in told.story[1]
        deeper = int(number_in(told.nearest_change, "ranking.depth_factor"))
        assert told.nearest_change.startswith(f"`--set ranking.depth_factor={deeper}`, which ")
        assert deeper > 2
        assert (await trace_at(deeper)).candidate(memory_id) is not None
        assert (await trace_at(deeper - 1)).candidate(memory_id) is None
