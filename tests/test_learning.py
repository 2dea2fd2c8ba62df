"""Learning through the front door: sessions teach, recalls in the same context profit, others do
not, and what is forgotten is forgotten. Real stores, the hashing embedder."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes import EchoPlanner
from tests.small_world import LIFE, QUESTION, ask
from tests.store_files import stores_below

from secondhop.graph.session_result import ResolvedSession, SparkPair, VotesOfRound
from secondhop.graph.trace import RecallTrace
from secondhop.memories.records import Fact
from secondhop.nodes.config import Config
from secondhop.recall import Recall
from secondhop.stores.learning import LearningStore
from secondhop.stores.lessons import LearningChange

pytestmark = pytest.mark.usefixtures("library_of_tests")

OTHER = "What do my tomatoes need?"
AT = datetime(2026, 3, 1, tzinfo=UTC)
VOTES = {"research-1": "cold", "research-2": "cold", "plan": "hot", "wins": "hot"}


async def teach(recall: Recall, *, votes: Mapping[str, str] = VOTES, times: int = 1) -> None:
    """Sessions about the interview, voted on and resolved."""
    for _ in range(times):
        async with recall.sessions.open(QUESTION, k=6, at=AT) as session:
            shown = session.answer.ids()
            cast = {one: vote for one, vote in votes.items() if one in shown}
            await session.vote(cast, go_on=False)
            await session.resolve()


async def traced(recall: Recall, question: str = QUESTION, *, days: float = 0) -> RecallTrace:
    found = await recall.arecall(question, k=4, at=AT + timedelta(days=days))
    return recall.trace(found.trace_id)


def file_below(folder: Path) -> Path:
    """The one file of lessons."""
    (path,) = folder.rglob("learning.db")
    return path


def bytes_learned(folder: Path) -> bytes:
    """Of all files of lessons, and what SQLite keeps beside them."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("learning.db*")))


def factors(trace: RecallTrace) -> dict[str, float]:
    return {
        one.memory_id: one.factors["learned"]
        for one in trace.candidates
        if "learned" in one.factors
    }


async def test_a_resolved_session_moves_what_it_voted_on_and_the_trace_says_so(
    recall: Recall,
) -> None:
    before = await traced(recall)
    await teach(recall, times=3)

    after = await traced(recall)

    assert factors(before) == {}
    learned = factors(after)
    assert learned["plan"] == learned["wins"] == pytest.approx(1 + 0.3 * 3 / 4)
    assert learned["research-1"] < 1
    assert after.returned.index("plan") <= before.returned.index("plan")
    story = (await recall.aexplain(after, "plan")).story
    assert any("learned × 1.23" in sentence for sentence in story)
    assert any(step.node == "dispatch" and "1 context known" in step.note for step in after.steps)


async def test_another_question_is_recalled_as_if_nothing_had_been_learned(recall: Recall) -> None:
    before = await traced(recall, OTHER)
    await teach(recall, times=3)

    after = await traced(recall, OTHER)

    assert after.returned == before.returned
    assert factors(after) == {}
    assert [one.score for one in after.candidates] == [one.score for one in before.candidates]


async def test_lessons_fade_and_a_question_about_the_past_does_not_know_them(
    recall: Recall,
) -> None:
    await teach(recall)

    now = factors(await traced(recall))
    later = factors(await traced(recall, days=360))
    past = await recall.arecall(QUESTION, k=4, as_of=AT)

    assert now["plan"] > later["plan"] > 1.0
    assert later["plan"] < 1.05
    assert factors(recall.trace(past.trace_id)) == {}


async def test_nothing_is_learned_where_nothing_was_said_or_without_the_end(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.arecall(QUESTION)
    before = stores_below(tmp_path)
    async with recall.sessions.open(QUESTION, k=3) as left:
        await left.vote({left.answer.ids()[0]: "hot"})
    await recall.learning.areport()
    assert stores_below(tmp_path) == before

    async with recall.sessions.open(QUESTION, k=3, at=AT) as silent:
        resolution = await silent.resolve()

    assert not resolution.learned.learned
    assert (await recall.learning.areport()).contexts == []
    counted = await recall.memories.acounters(*silent.answer.ids())
    assert [(one.shown, one.accepted) for one in counted.values()] == [(1, 0)] * 3


async def test_switched_off_nothing_is_learned_or_used_and_nothing_is_lost(
    recall: Recall, tmp_path: Path
) -> None:
    await teach(recall)
    await recall.learning.aswitch(on=False)
    before = stores_below(tmp_path)

    await teach(recall)

    assert stores_below(tmp_path) == before
    assert factors(await traced(recall)) == {}
    assert await recall.learning.acues() == []
    await recall.learning.aswitch(on=True)
    assert factors(await traced(recall))["plan"] == pytest.approx(1.15)


async def test_forgetting_a_memory_forgets_what_was_learned_of_it(
    recall: Recall, tmp_path: Path
) -> None:
    await teach(recall)

    await recall.memories.aforget("plan")

    exported = await recall.learning.aexported()
    assert "plan" not in str(exported)
    assert "wins" in str(exported)
    kept = bytes_learned(tmp_path)
    assert b'"wins"' in kept
    assert b'"plan"' not in kept


async def test_no_word_of_a_question_and_no_vote_is_kept(recall: Recall, tmp_path: Path) -> None:
    await teach(recall)

    kept = bytes_learned(tmp_path)

    assert b"research-1" in kept
    for word in ("prepare", "Carefeed", "interview", "hot", "cold", "person"):
        assert word.encode() not in kept
    assert QUESTION not in str(await recall.learning.aexported())


async def test_lessons_of_another_embedding_model_wait_and_count_for_nothing(
    recall: Recall, tmp_path: Path
) -> None:
    await teach(recall)
    store = LearningStore(file_below(tmp_path))
    (known,) = (await store.read()).contexts
    other = replace(known, embedder_id="another", vector=known.vector[:7])
    await store.change(lambda _: LearningChange(kept=[other]))

    assert factors(await traced(recall)) == {}
    await teach(recall)

    report = await recall.learning.areport()
    assert (len(report.contexts), report.other_models) == (1, 1)
    assert factors(await traced(recall))["plan"] == pytest.approx(1.15)


async def test_a_recall_goes_on_without_lessons_that_cannot_be_read(
    recall: Recall, tmp_path: Path
) -> None:
    await teach(recall)
    await recall.learning.aclose()
    file_below(tmp_path).write_bytes(b"no database at all" * 100)

    async with await Recall.aopen(tmp_path / "store", entity="mara", embedder="hashing") as again:
        found = await again.arecall(QUESTION, k=4)
        async with again.sessions.open(QUESTION) as session:
            await session.vote({session.answer.ids()[0]: "hot"}, go_on=False)
            resolution = await session.resolve()

    assert found.memories
    assert any("nothing learned was used" in reason for reason in found.degraded)
    assert not resolution.learned.learned


async def planned(recall: Recall) -> RecallTrace:
    """A recall that searches the question alone, no deeper than its settings say."""
    services = replace(recall.services, planner=EchoPlanner())
    return (await ask(services, QUESTION, k=1, asked_at=AT.isoformat())).trace


async def test_what_helped_together_is_looked_at_though_no_search_found_it(
    tmp_path: Path,
) -> None:
    shallow = Config()
    shallow = replace(shallow, ranking=replace(shallow.ranking, depth_factor=1))
    async with await Recall.aopen(tmp_path, embedder="hashing", config=shallow) as recall:
        await recall.aadd(LIFE)
        assert (await planned(recall)).candidate("car") is None
        await recall.learning.alearn(resolved(hot=["plan", "car"]))

        found = await planned(recall)

        (query,) = [one for one in found.queries if one.origin == "learned"]
        assert {hit.memory_id for hit in query.dense} == {"plan", "car"}
        assert factors(found)["car"] > 1
        await recall.memories.adeprecate("car", "sold", at=AT - timedelta(days=1))
        after = await planned(recall)
        assert after.candidate("car") is None
        assert [one.memory_id for one in after.hidden] == ["car"]


async def test_a_promoted_cue_opens_a_facet_of_its_own(recall: Recall) -> None:
    for _ in range(3):
        assert await recall.learning.acues() == []
        await recall.learning.alearn(resolved(hot=["plan", "dentist"], leads=("wins", "dentist")))

    (cue,) = await recall.learning.acues()
    found = await traced(recall)

    assert (cue.spark, cue.leads_to, cue.wins, cue.status) == ("wins", "dentist", 3, "promoted")
    assert cue.leads_to_title == "About dentist"
    (facet,) = [one for one in found.facets if one.name == "led before to About dentist"]
    (query,) = [one for one in found.queries if one.facet_id == facet.facet_id]
    assert (query.origin, query.dense[0].memory_id) == ("learned", "dentist")


async def test_many_rounds_are_seen_and_the_context_is_named(recall: Recall) -> None:
    now = datetime.now(UTC)
    for _ in range(3):
        await recall.learning.alearn(resolved(hot=["plan"], rounds=4, at=now))
    await recall.learning.alearn(resolved(hot=["garden"], rounds=1, question=OTHER, at=now))

    told = await recall.learning.arounds()

    assert (told.sessions, told.mean_rounds) == (4, 3.25)
    assert "needs tuning" in told.verdict
    assert [one.about() for one in told.needs_tuning] == [["Goals for the first year"]]


async def test_what_persons_voted_out_of_three_sessions_does_not_come_back(recall: Recall) -> None:
    cold = (await recall.arecall(QUESTION, k=4, at=AT)).ids()[0]
    for _ in range(3):
        await teach(recall, votes={cold: "cold"})

    found = await traced(recall)
    near = await traced(recall, f"Please: {QUESTION}")
    other = await recall.arecall(OTHER, k=4, at=AT)
    faded = await traced(recall, days=200)

    assert cold not in found.returned
    every = (await recall.arecall(QUESTION, k=50, at=AT)).ids()
    assert cold not in every, "a slot was free"
    assert cold not in near.returned
    assert cold in faded.returned
    assert other.ids()
    told = await recall.aexplain(found, cold)
    assert any("people refused it for questions like this one" in line for line in told.story)
    assert f"recall.learning.forget([{cold!r}])" in told.nearest_change
    await recall.learning.aforget([cold])
    assert cold in (await traced(recall)).returned


async def test_facts_that_were_corrected_carry_nothing_over(recall: Recall) -> None:
    old = await recall.memories.aremember(
        Fact(subject="me", attribute="employer", value="Carefeed")
    )
    await recall.learning.alearn(resolved(hot=["plan", old.memory_id]))
    new = await recall.memories.aupdate(old.memory_id, "Zeta")

    learned = factors(await traced(recall))

    assert old.memory_id not in learned
    assert new.memory_id not in learned


def resolved(
    *,
    hot: list[str],
    leads: tuple[str, str] | None = None,
    rounds: int = 2,
    question: str = QUESTION,
    at: datetime = AT,
) -> ResolvedSession:
    """A session that somebody else's graph has settled."""
    return ResolvedSession(
        session_id=f"s-{rounds}-{question[:4]}",
        entity="mara",
        question=question,
        asked_at=at,
        rounds=rounds,
        shown=[*hot, *(leads or ())],
        votes=[VotesOfRound(round=1, by="person", hot=hot, spark=[leads[0]] if leads else [])],
        accepted=hot,
        sparks=[SparkPair(spark=leads[0], accepted=[leads[1]])] if leads else [],
    )


def test_what_was_learned_is_told_and_forgotten_without_an_event_loop(tmp_path: Path) -> None:
    with Recall.open(tmp_path / "store", embedder="hashing") as recall:
        recall.add(LIFE)
        recall.learning.learn(resolved(hot=["plan"]))
        assert len(recall.learning.report().contexts) == 1
        recall.learning.forget_all()
        recall.learning.switch(on=False)

        report = recall.learning.report()

    assert (report.on, report.contexts) == (False, [])
