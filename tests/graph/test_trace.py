"""The trace tells everything and keeps its schema, and a whole two-hop run does not change."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import ScriptedCritic, fixed_clock, votes
from tests.small_world import QUESTION, Answer, SmallWorld, ask, recall_settings

from secondhop.graph.trace import SCHEMA_VERSION, RecallTrace, TraceVote
from secondhop.nodes.critics.port import FollowUp

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture
async def two_rounds(world: SmallWorld) -> Answer:
    """A recall whose critic casts every vote and asks about a name in a second round."""
    more = FollowUp(text="winter tyres in the cellar", facet_id=None, name="tyres")
    critic = ScriptedCritic(
        votes(more, hot=["plan"], warm=["wins"], cold=["garden"], wrong=["bread"]),
        votes(hot=["plan", "car"], content=True),
    )
    return await ask(world.planned_services(critic=critic), k=3)


def compare(name: str, document: object, *, update: bool) -> None:
    """Fail when `document` differs from tests/golden/<name>; `--update-golden` rewrites it."""
    path = GOLDEN / name
    if update:
        path.write_text(
            json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
            encoding="utf-8",
        )
    assert json.loads(path.read_text(encoding="utf-8")) == document


def test_the_schema_changes_only_on_purpose(pytestconfig: pytest.Config) -> None:
    document = {"version": SCHEMA_VERSION, "schema": RecallTrace.model_json_schema()}

    compare("trace.schema.json", document, update=bool(pytestconfig.getoption("update_golden")))


async def test_a_two_hop_run_stays_as_it_was(
    world: SmallWorld, pytestconfig: pytest.Config
) -> None:
    services = world.planned_services(
        settings=recall_settings(k=4),
        critic=ScriptedCritic(votes(warm=["wins"], content=True)),
    )

    _, trace = await ask(services, trace_id="golden", asked_at=fixed_clock().isoformat())

    compare(
        "two_hops.json", without_times(trace), update=bool(pytestconfig.getoption("update_golden"))
    )


def without_times(trace: RecallTrace) -> Any:
    """The trace as JSON: times are 0, parallel steps are sorted by name, floats are rounded."""
    steps = [step.model_copy(update={"ms": 0}) for step in trace.steps]
    masked = trace.model_copy(
        update={
            "steps": sorted(steps, key=lambda step: (step.round, step.node, step.note)),
            "queries": [query.model_copy(update={"ms": 0}) for query in trace.queries],
            "spent": trace.spent.model_copy(update={"ms": 0}),
        }
    )
    written = masked.model_dump_json(exclude={"settings"})
    return json.loads(written, parse_float=lambda number: round(float(number), 3))


async def test_every_query_lists_its_hits_ranked_among_memories(two_rounds: Answer) -> None:
    for query in two_rounds.trace.queries:
        for hits in (query.dense, query.lexical):
            assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
            assert len({hit.memory_id for hit in hits}) == len(hits)
            scores = [hit.score for hit in hits]
            assert scores == sorted(scores, reverse=True)
    assert {query.round for query in two_rounds.trace.queries} == {1, 2}


async def test_every_candidate_was_returned_or_says_why_not(two_rounds: Answer) -> None:
    trace = two_rounds.trace
    for candidate in trace.candidates:
        last_round = [drop for drop in candidate.drops if drop.round == two_rounds.result.rounds]
        assert (candidate.slot is not None) != bool(last_round), candidate.memory_id
        assert all(drop.reason and drop.stage for drop in candidate.drops)
        assert candidate.facet_scores
    slots = sorted(candidate.slot for candidate in trace.candidates if candidate.slot)
    assert slots == list(range(1, len(trace.returned) + 1))


async def test_drops_name_what_they_were_measured_against(two_rounds: Answer) -> None:
    drops = [drop for candidate in two_rounds.trace.candidates for drop in candidate.drops]

    below = [drop for drop in drops if "threshold" in drop.reason]
    assert below
    assert all(
        drop.score is not None and drop.threshold is not None and drop.score < drop.threshold
        for drop in below
    )
    placed = [drop for drop in drops if drop.reason.startswith("came in at place")]
    assert all(drop.against and drop.rank is not None for drop in placed)


async def test_every_vote_stands_with_its_round_and_reason(two_rounds: Answer) -> None:
    cast = {
        (candidate.memory_id, vote.round, vote.vote)
        for candidate in two_rounds.trace.candidates
        for vote in candidate.votes
    }

    assert cast == {
        ("plan", 1, "hot"),
        ("wins", 1, "warm"),
        ("garden", 1, "cold"),
        ("bread", 1, "wrong"),
        ("plan", 2, "hot"),
        ("car", 2, "hot"),
    }


@pytest.mark.parametrize(
    ("said", "reason"),
    [("voted hot", ""), ("said the critic", ""), ("voted hot twice", "voted hot twice")],
)
def test_older_traces_gave_words_where_the_voter_gave_no_reason(said: str, reason: str) -> None:
    vote = {"vote": "hot", "by": "critic", "round": 1, "reason": said}
    assert TraceVote.model_validate(vote).reason == reason


async def test_the_rule_that_ended_it_and_the_settings_in_force_stand_in_it(
    two_rounds: Answer,
) -> None:
    trace = two_rounds.trace

    assert (trace.stop_reason, bool(trace.stop_detail)) == ("converged", True)
    assert trace.settings["limits.rounds"] == 4
    assert trace.settings["ranking.min_score"] == 0.35
    assert (trace.question, trace.entity, trace.k) == (QUESTION, "mara", 3)
    assert trace.asked_at == fixed_clock()
    assert trace.embedder.startswith("hashing")
    assert (trace.planner, trace.critic) == ("written", "scripted")
