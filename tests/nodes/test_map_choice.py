"""The memory map in an offline plan: what it drops and adds, and that it says so."""

import pytest
from tests.fakes import NOW

from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.budget import Remaining
from secondhop.nodes.plan_step import planned_update
from secondhop.nodes.planning.map_choice import MapChoice
from secondhop.nodes.planning.playbook import PlaybookPlanner
from secondhop.nodes.planning.port import Plan, PlanRequest
from secondhop.prompts.library import parse_playbook
from secondhop.stores.records import Topic

BOAT = """
domain: boats
intents:
  - name: winter-berth
    asks: ["Help me get the boat ready for winter", "The boat goes ashore soon"]
    facets:
      - {name: berth, why: w, hop: 2, queries: ["winter berth booked at the boat yard"]}
      - {name: engine, why: w, hop: 2, queries: ["boat engine drained for the winter"]}
      - {name: sails, why: w, hop: 2, queries: ["boat sails dried and folded"]}
      - {name: insurance, why: w, hop: 2, queries: ["policy premium renewal underwriter"]}
"""
BOAT_TOPIC = Topic(
    label="boat winter engine sails berth", size=4, titles=["Boat yard berth", "Engine drained"]
)


async def planned(
    choice: MapChoice, *topics: Topic, question: str = "Help me get the boat ready for winter"
) -> Plan:
    library = tuple(parse_playbook(BOAT, name="boat.yaml"))
    planner = PlaybookPlanner(library, embedder=HashingEmbedder(), map_choice=choice)
    remaining = Remaining(seconds=10.0, llm_calls=0, llm_tokens=0, rounds=1)
    request = PlanRequest(question=question, asked_at=NOW, topics=topics, remaining=remaining)
    return await planner.expand(request)


async def test_a_facet_far_from_every_topic_is_dropped_and_named() -> None:
    plan = await planned(MapChoice(drop=0.1), BOAT_TOPIC)

    assert [facet.name for facet in plan.facets] == ["berth", "engine", "sails"]
    assert plan.note == "the memory map dropped “insurance”"
    note = planned_update(plan, step="expand").get("note", "")
    assert note == "3 facets, 3 queries; the memory map dropped “insurance”"


async def test_a_topic_near_to_the_question_that_no_facet_asks_for_is_added() -> None:
    near = Topic(label="get the boat ready", size=2, titles=["Crane driver", "Cradle"])
    question = "Who is the crane driver, and where is the cradle, to get the boat ready?"
    plan = await planned(MapChoice(topics=1), BOAT_TOPIC, near, question=question)

    assert [facet.name for facet in plan.facets][4:] == ["get the boat ready"]
    assert plan.facets[4].queries == ("Crane driver", "Cradle")
    assert plan.note == "the memory map added “get the boat ready”"


@pytest.mark.parametrize("choice", [MapChoice(), MapChoice(drop=0.9)])
async def test_without_a_setting_or_without_reason_the_plan_stays(choice: MapChoice) -> None:
    plan = await planned(choice, BOAT_TOPIC)

    assert len(plan.facets) == 4
    assert plan.note == ""


async def test_an_empty_map_decides_nothing() -> None:
    assert len((await planned(MapChoice(drop=0.01, topics=3))).facets) == 4
