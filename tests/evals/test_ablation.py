"""Selections are compared on the very pool of a recall, and a part that is off is really off."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.evals.small_scenario import small_scenario

from secondhop import Recall
from secondhop.errors import StoreError, UsageError
from secondhop.evals.ablation import PARTS, NoPlan, OneLeg, chosen_by, whole_evidence
from secondhop.evals.baselines_contest import Asked
from secondhop.evals.baselines_own import Changed
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.setting_changes import changed_settings
from secondhop.nodes.retrieval.hits import count_of
from secondhop.nodes.settings import REDUNDANCY_NAMES
from secondhop.nodes.state import DIRECT
from secondhop.ranking.redundancy import REDUNDANCY

pytestmark = pytest.mark.slow

SCENARIO = small_scenario()
INTERVIEW, GARDEN = (
    Asked(text=question.query, asked_at=question.asked_at) for question in SCENARIO.questions
)
DIVERSITIES = ("facets", "xquad", "pm2", "in_turn", "mmr", "none")


@pytest.fixture
async def recall(tmp_path: Path, library_of_tests: None) -> AsyncIterator[Recall]:
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as opened:
        await store_scenario(SCENARIO, opened)
        await opened.awarm()
        yield opened


async def test_without_a_change_the_answer_is_that_of_the_recall(recall: Recall) -> None:
    chosen = await chosen_by(recall.services, INTERVIEW, k=4)

    result = await recall.arecall(INTERVIEW.text, k=4, at=INTERVIEW.asked_at)

    assert chosen.picks(()) == result.ids() != []


async def test_every_selection_answers_from_the_same_pool(recall: Recall) -> None:
    chosen = await chosen_by(recall.services, INTERVIEW, k=4)

    for diversity in DIVERSITIES:
        for measure in (*REDUNDANCY_NAMES, *REDUNDANCY):
            changes = [f"ranking.diversity={diversity}", f"ranking.redundancy={measure}"]
            for whole in (False, True):
                picks = chosen.picks(changes, whole=whole)
                assert len(picks) == len(set(picks)) == 4
                assert set(picks) <= set(chosen.pool.ids)


@pytest.mark.parametrize("name", ["xquad_lambda", "pm2_lambda", "mmr_lambda"])
def test_a_lambda_outside_0_to_1_is_refused_by_name(name: str) -> None:
    with pytest.raises(UsageError, match=rf"{name} must lie in 0\.\.1"):
        changed_settings({}, [f"ranking.{name}=1.5"])


async def test_one_of_two_that_say_the_same_stays_out_unless_repetition_is_free(
    recall: Recall,
) -> None:
    chosen = await chosen_by(recall.services, INTERVIEW, k=5)
    twins = {"research-1", "research-2"}

    free = chosen.picks(["ranking.redundancy=none"])
    punished = chosen.picks(["ranking.redundancy=evidence"])

    assert twins <= set(free)
    assert len(twins & set(punished)) == 1


async def test_without_the_plan_only_what_the_question_found_is_chosen(recall: Recall) -> None:
    chosen = await chosen_by(recall.services, INTERVIEW, k=4)

    for memory_id in chosen.question_alone(["ranking.diversity=none"]):
        assert DIRECT in chosen.state["candidates"][memory_id]["scores"]


async def test_whole_memories_are_all_their_passages(recall: Recall) -> None:
    chosen = await chosen_by(recall.services, INTERVIEW, k=4)
    store = recall.store

    evidence = await whole_evidence(chosen.pool.ids, search=store, reader=store)

    cards = await store.cards(list(chosen.pool.ids))
    assert [len(own) for own in evidence.passages] == [
        cards[memory_id].passage_count for memory_id in chosen.pool.ids
    ]


@pytest.mark.parametrize("name", PARTS)
async def test_with_any_part_off_the_recall_still_answers(recall: Recall, name: str) -> None:
    found = await Changed(PARTS[name](recall.services)).rank(GARDEN, k=3)

    assert found[:1] == ["garden"]


async def test_without_a_plan_no_facet_is_searched(recall: Recall) -> None:
    services = PARTS["no plan"](recall.services)
    assert isinstance(services.planner, NoPlan)

    chosen = await chosen_by(services, INTERVIEW, k=4)

    assert {query["origin"] for query in chosen.state["queries"].values()} <= {
        "question",
        "evidence",
        "feedback",
    }


async def test_without_the_third_hop_nothing_out_of_evidence_is_asked(recall: Recall) -> None:
    chosen = await chosen_by(PARTS["no third hop"](recall.services), INTERVIEW, k=4)

    assert chosen.state["round"] == 1
    assert all(query["origin"] != "evidence" for query in chosen.state["queries"].values())


async def test_a_leg_that_is_off_finds_nothing(recall: Recall) -> None:
    by_words = await chosen_by(PARTS["no dense leg"](recall.services), GARDEN, k=3)
    by_meaning = await chosen_by(PARTS["no lexical leg"](recall.services), GARDEN, k=3)

    assert not any(count_of(ranking["dense"]) for ranking in by_words.state["rankings"].values())
    assert not any(
        count_of(ranking["lexical"]) for ranking in by_meaning.state["rankings"].values()
    )
    vector = await recall.embedder.embed_queries([GARDEN.text])
    with pytest.raises(StoreError, match="off"):
        await OneLeg(recall.store, "lexical").dense(vector, k=3)


async def test_without_the_supersession_rule_nothing_is_suspected(recall: Recall) -> None:
    chosen = await chosen_by(PARTS["no supersession rule"](recall.services), INTERVIEW, k=4)

    assert chosen.pool.replaced_by == {}
