"""The critic without a model: which names it follows."""

from typing import Any

from tests.nodes.scripted_llm import critic_request, view

from secondhop.nodes.critics.coverage import HOT, LEAD_WEIGHT, LEADS, CoverageCritic
from secondhop.nodes.critics.port import FollowUp

SAID = "I asked Marta Weller about the GimliStore outage."


async def follow_ups(*evidence: str, score: float = HOT, **parts: Any) -> tuple[FollowUp, ...]:
    request = critic_request(view("a", *evidence, score=score), **parts)
    return (await CoverageCritic().judge(request)).follow_ups


async def test_a_name_or_identifier_in_good_evidence_opens_a_facet_one_hop_further() -> None:
    leads = await follow_ups(SAID)

    assert {lead.text for lead in leads} == {"Marta Weller", "GimliStore"}
    for lead in leads:
        assert (lead.facet_id, lead.source_hop, lead.weight) == (None, 2, LEAD_WEIGHT)
        assert lead.why == "Named in “About a”."


async def test_what_the_question_or_a_query_names_already_is_no_lead() -> None:
    question, asked = "What did Marta Weller say?", ["outage of the gimlistore"]

    assert await follow_ups(SAID, question=question, asked=asked) == ()


async def test_weak_evidence_and_later_rounds_lead_nowhere() -> None:
    assert await follow_ups(SAID, score=HOT - 0.01) == ()
    assert await follow_ups(SAID, round=2) == ()


async def test_no_more_names_are_followed_than_a_round_may() -> None:
    names = "I met Ada Byron, Grace Hopper, Alan Turing, Edsger Dijkstra and Barbara Liskov."

    assert len(await follow_ups(names)) == LEADS
