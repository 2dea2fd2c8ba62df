"""Sessions: who may vote on what and when, what votes do, and what survives a killed worker."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from tests.fakes import (
    HangingCritic,
    ScriptedCritic,
    ScriptedPlanner,
    facet,
    forever,
    note,
    plan,
    votes,
)
from tests.session_world import Killed, MortalCritic, session_services, sessions_over, started
from tests.small_world import LIFE, QUESTION, SmallWorld, recall_settings

from secondhop.errors import (
    NotShownError,
    SecondhopError,
    SessionAbandonedError,
    SessionResolvedError,
    StoreUnavailableError,
    UnknownMemoryError,
    UnknownSessionError,
    UsageError,
)
from secondhop.graph import rounds
from secondhop.graph import session as session_graph
from secondhop.graph.session import build_session_graph
from secondhop.graph.session_result import ResolvedSession, SessionAnswer, VoteRecord
from secondhop.nodes.critics.port import FollowUp
from secondhop.nodes.reconsider import BRANCHES
from secondhop.nodes.services import Services
from secondhop.nodes.session import pick_round
from secondhop.nodes.session.session_state import SessionInput, SessionUpdate
from secondhop.nodes.state import RecallState, RecallUpdate
from secondhop.recall import Recall
from secondhop.sessions.learner import Learned
from secondhop.sessions.rounds import SessionRounds
from secondhop.sessions.service import Sessions
from secondhop.stores.sessions_database import DatabaseSessions
from secondhop.traces import TraceFolder


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[DatabaseSessions]:
    async with aclosing(DatabaseSessions(tmp_path / "sessions.db")) as made:
        yield made


@pytest.fixture
def sessions(world: SmallWorld, store: DatabaseSessions) -> Sessions:
    return sessions_over(session_services(world), store)


@pytest.fixture
async def answer(sessions: Sessions) -> SessionAnswer:
    return await started(sessions)


# --- answers ---


async def test_the_first_answer_is_what_a_recall_brings(
    sessions: Sessions, answer: SessionAnswer
) -> None:
    assert set(answer.ids()) == {"plan", "wins", "coaching"}
    assert (answer.round, answer.rounds_left, answer.changes, answer.kept) == (1, 3, [], [])
    assert answer.new == answer.ids()
    assert (answer.converged, answer.why) == (False, "3 of 3 memories are new")
    assert all(memory.evidence[0].text and memory.why for memory in answer.memories)
    assert (await sessions.aget(answer.session_id)).ids() == answer.ids()


@pytest.mark.parametrize("vote", ["cold", "wrong"])
async def test_nothing_voted_out_comes_back_in_this_session(
    sessions: Sessions, answer: SessionAnswer, vote: str
) -> None:
    after = await sessions.avote(answer.session_id, {"plan": vote, "wins": "hot"})
    later = await sessions.avote(answer.session_id, {after.ids()[-1]: "warm"})

    assert "plan" not in {*after.ids(), *later.ids()}


async def test_every_change_names_the_vote_that_made_it(
    sessions: Sessions, answer: SessionAnswer
) -> None:
    after = await sessions.avote(answer.session_id, {"plan": "cold", "wins": "hot"}, by="agent")

    left = {change.memory_id: change for change in after.changes if change.change == "left"}
    came = {change.memory_id: change for change in after.changes if change.change == "came"}
    assert set(came) == set(after.ids()) - set(answer.ids()) == {"research-1", "research-2"}
    made_room = VoteRecord(memory_id="plan", vote="cold", by="agent", round=1)
    assert [change.because for change in (left["plan"], *came.values())] == [[made_room]] * 3
    assert all(change.why for change in after.changes)


async def test_the_critics_votes_are_told_apart_from_those_of_people(world: SmallWorld) -> None:
    lead = FollowUp(text="first year goals", facet_id=None, name="goals", why="Named.")
    critic = ScriptedCritic(votes(lead, hot=["plan", "wins"]), votes(lead, hot=["plan", "wins"]))
    sessions = sessions_over(session_services(world, critic=critic))
    answer = await started(sessions)
    by_critic = {memory.id: memory.vote for memory in answer.memories}

    after = await sessions.avote(answer.session_id, {"plan": "hot", "coaching": "cold"})

    assert set(by_critic.values()) == {""}
    assert {one: answer.critic.get(one) for one in ("plan", "wins")} == {
        "plan": "hot",
        "wins": "hot",
    }
    assert {memory.id: memory.vote for memory in after.memories if memory.vote} == {"plan": "hot"}
    assert "plan" not in after.critic
    assert {vote.by for change in after.changes for vote in change.because} <= {"person"}
    assert {vote.by for change in after.changes for vote in change.critic} <= {"critic"}


async def test_the_critic_can_be_switched_off(world: SmallWorld) -> None:
    critic = ScriptedCritic()
    services = session_services(world, session={"critic": False}, critic=critic)

    answer = await started(sessions_over(services))

    assert critic.requests == []
    assert {memory.vote for memory in answer.memories} == {""}


async def test_a_wrong_memory_is_proposed_as_superseded_and_nothing_is_written(
    world: SmallWorld,
) -> None:
    await world.add(
        note(
            "plan-2",
            "My plan for the first year in the new role: shorten onboarding from nine weeks "
            "to four, then hire three designers.",
            title="Goals, revised",
            day=9,
        )
    )
    sessions = sessions_over(session_services(world, session={"k": 5}))
    answer = await started(sessions)
    assert {"plan", "plan-2"} & set(answer.ids())
    shown = "plan" if "plan" in answer.ids() else "plan-2"

    after = await sessions.avote(answer.session_id, {shown: "wrong"})
    (proposal,) = after.proposals

    assert proposal.memory_id == shown
    assert proposal.replaced_by == ("plan-2" if shown == "plan" else None)
    assert proposal.why
    resolution = await sessions.aresolve(answer.session_id)
    assert resolution.session.proposals == [proposal]


async def test_a_wrong_memory_is_proposed_as_superseded_by_the_one_whose_annotation_names_it(
    world: SmallWorld,
) -> None:
    newer = note("plan-2", "Three designers come first.", day=9)
    await world.add(replace(newer, cues=("who comes first?",), replaces=("plan",)))
    sessions = sessions_over(session_services(world, session={"k": 20}))
    answer = await started(sessions)

    after = await sessions.avote(answer.session_id, {"plan": "wrong"})

    (proposal,) = after.proposals
    assert (proposal.memory_id, proposal.replaced_by) == ("plan", "plan-2")


async def test_a_session_without_anything_near_says_so_and_cannot_be_voted_on(
    world: SmallWorld,
) -> None:
    services = replace(
        session_services(world), settings=recall_settings(ranking={"min_score": 0.99})
    )
    sessions = sessions_over(services)

    answer = await sessions.astart("Which moon of Jupiter is the largest?")

    assert (answer.ids(), answer.converged) == ([], True)
    assert "near" in answer.why
    with pytest.raises(UsageError, match="no vote"):
        await sessions.avote(answer.session_id, {})


async def test_a_session_converges_when_two_rounds_of_votes_agree_whatever_else_comes(
    world: SmallWorld,
) -> None:
    sessions = sessions_over(session_services(world, session={"k": 2}))
    first = await started(sessions)
    hot, other = first.ids()
    second = await sessions.avote(first.session_id, {hot: "hot"})

    third = await sessions.avote(first.session_id, {other: "cold"})

    assert (first.converged, second.converged, third.converged) == (False, False, True)
    assert third.new
    assert "votes of two rounds agree" in third.why


async def test_after_the_first_answer_weaker_memories_may_be_shown(
    world: SmallWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = recall_settings(ranking={"min_score": 0.6})
    shown: list[list[str]] = []
    for later in (0.05, 0.6):
        monkeypatch.setattr(pick_round, "LATER_MIN_SCORE", later)
        sessions = sessions_over(session_services(world, settings=strict))
        answer = await started(sessions)
        shown.append(answer.ids())
        shown.append((await sessions.avote(answer.session_id, {answer.ids()[0]: "hot"})).ids())

    assert shown[0] == shown[2]
    assert set(shown[1]) > set(shown[3])


async def test_past_the_deadline_the_best_answer_so_far_comes_back(world: SmallWorld) -> None:
    services = session_services(
        world, critic=HangingCritic(), settings=recall_settings(deadline_s=0.8)
    )
    sessions = sessions_over(services)

    answer = await started(sessions)
    after = await sessions.avote(answer.session_id, {answer.ids()[0]: "cold"})

    assert answer.ids()
    assert after.round == 2
    assert answer.ids()[0] not in after.ids()
    assert any("no votes" in reason or "was reached" in reason for reason in after.degraded)


async def test_past_the_deadline_the_trace_of_a_round_that_found_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def searches_and_searches(state: RecallState, *, services: Services) -> RecallUpdate:
        return await forever()

    monkeypatch.setattr(rounds, "retrieve", searches_and_searches)
    late = recall_settings(deadline_s=0.1)
    async with await Recall.aopen(tmp_path, embedder="hashing", config=late) as recall:
        await recall.aadd(LIFE)
        answer = await recall.sessions.astart(QUESTION)

        assert answer.ids() == []
        assert any("s was reached; the running step" in reason for reason in answer.degraded)
        assert recall.trace(answer.trace_id).returned == []


async def test_past_the_deadline_there_is_an_answer_even_without_a_search(
    world: SmallWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def begins_and_begins(state: SessionInput, *, services: Services) -> SessionUpdate:
        return await forever()

    monkeypatch.setattr(session_graph, "begin_session", begins_and_begins)
    sessions = sessions_over(session_services(world, settings=recall_settings(deadline_s=0.1)))

    answer = await started(sessions)

    assert answer.ids() == []
    assert any("s was reached; the running step" in reason for reason in answer.degraded)
    assert await sessions.alist_open() == [answer.session_id]


# --- a store that does not answer ---

LIMIT_S = 0.4
LATE_S = 1.5
"""How much later than the limit an answer may come on a busy machine; reading takes 0.5 s of it."""


class Asleep:
    """Parts of a store, of which these reads never return; no names: none does."""

    def __init__(self, part: Any, *names: str) -> None:
        self.part, self.names = part, names

    def __getattr__(self, name: str) -> Any:
        async def never(*_: object, **__: object) -> None:
            await forever()

        return never if not self.names or name in self.names else getattr(self.part, name)


def over_sleeping(
    world: SmallWorld, store: DatabaseSessions, *names: str, **parts: Any
) -> Sessions:
    """A worker with little time, for whom these reads of the memories never return."""
    asleep: Any = Asleep(world.store, *names)
    reads = {"search": asleep, "reader": asleep, "keeping": asleep}
    limits = recall_settings(deadline_s=LIMIT_S)
    return sessions_over(session_services(world, settings=limits, **reads), store, **parts)


@asynccontextmanager
async def soon(limit_s: float = LIMIT_S) -> AsyncGenerator[None, None]:
    """Asserts that the block takes no longer than the limit and the time for reading."""
    clock = asyncio.get_running_loop().time
    began = clock()
    async with asyncio.timeout(10):
        yield
    assert clock() - began < limit_s + LATE_S


@pytest.mark.parametrize("names", [("passage_ids",), ("passages", "vectors"), ("standing",), ()])
async def test_a_session_starts_in_time_though_the_store_does_not_answer(
    world: SmallWorld, sessions: Sessions, store: DatabaseSessions, names: tuple[str, ...]
) -> None:
    async with soon():
        answer = await started(over_sleeping(world, store, *names))

    assert (answer.round, answer.ids()) == (1, [])
    assert any("was reached" in reason for reason in answer.degraded)
    later = await sessions.aget(answer.session_id)
    assert len(later.ids()) == (3 if names and names != ("standing",) else 0)


@pytest.mark.parametrize("names", [("passage_ids",), ("passages", "vectors")])
async def test_votes_count_in_time_though_the_store_gives_no_texts(
    world: SmallWorld,
    sessions: Sessions,
    store: DatabaseSessions,
    answer: SessionAnswer,
    names: tuple[str, ...],
) -> None:
    hot, cold, _ = answer.ids()

    async with soon():
        after = await over_sleeping(world, store, *names).avote(
            answer.session_id, {hot: "hot", cold: "cold"}
        )

    assert (after.round, after.ids()) == (2, [])
    assert any("get the session again" in reason for reason in after.degraded)
    later = await sessions.aget(answer.session_id)
    assert (later.round, later.ids()[0], later.kept) == (2, hot, [hot])
    assert cold not in later.ids()
    assert len(later.ids()) > 1
    assert all(memory.evidence for memory in later.memories)


async def test_votes_count_though_reading_the_session_took_all_the_time(
    world: SmallWorld, sessions: Sessions, store: DatabaseSessions, answer: SessionAnswer
) -> None:
    class Slow(Asleep):
        async def cards(self, memory_ids: list[str]) -> Any:
            await asyncio.sleep(LIMIT_S + 0.2)
            return await world.store.cards(memory_ids)

    hot, cold, _ = answer.ids()
    slow: Any = Slow(world.store, "topics")
    services = session_services(world, settings=recall_settings(deadline_s=LIMIT_S), reader=slow)

    async with soon():
        await sessions_over(services, store).avote(answer.session_id, {hot: "hot", cold: "cold"})

    later = await sessions.aget(answer.session_id)
    assert (later.round, later.ids()[0], later.kept, later.cast) == (2, hot, [hot], {})
    assert cold not in later.ids()


async def test_the_trace_of_a_round_is_kept_though_the_store_does_not_answer(
    world: SmallWorld, tmp_path: Path
) -> None:
    asleep: Any = Asleep(world.store, "passage_ids")
    services = session_services(world, settings=recall_settings(deadline_s=LIMIT_S), reader=asleep)
    traces = TraceFolder(tmp_path)

    async with soon():
        state = await SessionRounds(services, traces=traces).first({"question": QUESTION})

    trace = traces.load(state["trace_id"])
    assert trace.returned == [pick["memory_id"] for pick in state["picks"]] != []
    assert all(trace.evidence[one] for one in trace.returned)


async def test_a_session_that_cannot_be_read_in_time_is_refused_and_no_vote_counts(
    world: SmallWorld, sessions: Sessions, store: DatabaseSessions, answer: SessionAnswer
) -> None:
    session_id, asleep = answer.session_id, over_sleeping(world, store)

    async with soon():
        said = await asyncio.gather(
            asleep.avote(session_id, {"plan": "hot"}),
            asleep.avote(session_id, {"plan": "hot"}, go_on=False),
            asleep.aget(session_id),
            asleep.aresolve(session_id),
            return_exceptions=True,
        )

    assert {type(one) for one in said} == {StoreUnavailableError}
    assert f"session '{session_id}' within the limit of 0.4 s" in str(said[0])
    later = await sessions.aget(session_id)
    assert (later.round, later.cast, later.ids()) == (1, {}, answer.ids())


Call = Callable[[Sessions, str], Awaitable[object]]


HANGING: Sequence[tuple[str, Call]] = [
    ("save", lambda worker, _: started(worker)),
    ("save", lambda worker, one: worker.avote(one, {"plan": "hot"}, go_on=False)),
    ("save", lambda worker, one: worker.aresolve(one)),
    ("save", lambda worker, one: worker.aabandon(one)),
    ("load", lambda worker, one: worker.aabandon(one)),
    ("load", lambda worker, _: worker.alist_open()),
    ("open_ids", lambda worker, _: worker.alist_open()),
]


@pytest.mark.parametrize(("hangs", "call"), HANGING)
async def test_a_session_store_that_hangs_ends_every_call_in_time(
    world: SmallWorld, store: DatabaseSessions, answer: SessionAnswer, hangs: str, call: Call
) -> None:
    asleep: Any = Asleep(store, hangs)
    worker = over_sleeping(world, asleep, "topics")

    async with soon(2 * LIMIT_S):
        with pytest.raises(StoreUnavailableError, match=r"within the limit of 0\.4 s"):
            await call(worker, answer.session_id)


async def test_a_step_in_the_graph_of_a_host_ends_in_time_though_the_store_hangs(
    world: SmallWorld,
) -> None:
    asleep: Any = Asleep(world.store)
    limits = recall_settings(deadline_s=LIMIT_S)
    services = session_services(
        world, settings=limits, search=asleep, reader=asleep, keeping=asleep
    )
    graph = build_session_graph(services, InMemorySaver())

    async with soon(3 * LIMIT_S):
        with pytest.raises(StoreUnavailableError, match=r"the step \w+ took longer"):
            await graph.ainvoke({"question": QUESTION}, {"configurable": {"thread_id": "t"}})


async def test_the_loading_of_a_model_takes_no_time_from_a_round(
    world: SmallWorld, store: DatabaseSessions, answer: SessionAnswer
) -> None:
    async def loads_a_model() -> None:
        await asyncio.sleep(1.5)

    limits = recall_settings(deadline_s=1)
    services = session_services(world, settings=limits)
    worker = sessions_over(services, store, ready=loads_a_model)

    after = await worker.avote(answer.session_id, {answer.ids()[0]: "cold"})

    assert (after.round, after.degraded, len(after.ids())) == (2, [], 3)


async def test_a_session_is_resolved_in_time_though_learning_hangs(
    world: SmallWorld, store: DatabaseSessions, answer: SessionAnswer
) -> None:
    async def never_learns(*_: object, **__: object) -> Learned:
        return await forever()

    async with soon():
        resolution = await over_sleeping(world, store, "topics", learn=never_learns).aresolve(
            answer.session_id, accepted=["plan"]
        )

    assert (resolution.session.accepted, resolution.learned) == (["plan"], Learned())


# --- sparks ---


async def sparked(world: SmallWorld, **session: int) -> tuple[Sessions, SessionAnswer]:
    """A session whose first answer shows the car; more memories about the car are stored."""
    await world.add(
        note("garage", "The car's winter tyres and brakes: the garage changes them in October."),
        note("cellar", "In the cellar stand the car's winter tyres, the skis and the old brakes."),
    )
    planner = ScriptedPlanner(
        decompose=[plan()], expand=[plan(facet("own plan", "my plan for the first year"))]
    )
    services = session_services(world, session={"k": 6, **session}, planner=planner)
    services = replace(services, settings=recall_settings(ranking={"min_score": 0.01}))
    sessions = sessions_over(services)
    answer = await started(sessions)
    while "car" not in answer.ids():
        refused = {one: "cold" for one in answer.ids() if one in {"garage", "cellar", "bread"}}
        answer = await sessions.avote(answer.session_id, refused or {answer.ids()[0]: "hot"})
    return sessions, answer


async def test_a_spark_opens_a_branch_apart_and_takes_no_slot(world: SmallWorld) -> None:
    sessions, answer = await sparked(world)
    plain = [one for one in answer.ids() if one != "car"]

    after = await sessions.avote(answer.session_id, {"car": "spark"})

    (branch,) = after.branches
    assert (branch.sparked_by, branch.title) == ("car", "About car")
    found = [memory.id for memory in branch.memories]
    assert not set(found) & set(after.ids())
    assert "car" not in {*after.ids(), *found}
    assert set(plain) <= set(after.ids())
    assert len(found) <= 3
    led = VoteRecord(memory_id="car", vote="spark", by="person", round=after.round - 1)
    told = {change.memory_id: change for change in after.changes if change.branch == "car"}
    assert list(told) == found
    assert all((one.change, one.because) == ("came", [led]) for one in told.values())


async def test_votes_on_a_branch_stay_in_the_branch_and_its_accepted_are_told(
    world: SmallWorld,
) -> None:
    sessions, answer = await sparked(world)
    after = await sessions.avote(answer.session_id, {"car": "spark"})
    (branch,) = after.branches
    good = branch.memories[0].id

    later = await sessions.avote(answer.session_id, {good: "hot"})

    assert later.branches[0].memories[0].id == good
    assert good not in later.ids()
    assert good in later.kept
    resolution = await sessions.aresolve(answer.session_id)
    (pair,) = resolution.session.sparks
    assert (pair.spark, pair.accepted) == ("car", [good])


async def test_more_sparks_than_branches_leave_the_answer(world: SmallWorld) -> None:
    sessions = sessions_over(session_services(world, session={"k": 5}))
    answer = await started(sessions)
    voted = answer.ids()
    assert len(voted) > BRANCHES

    after = await sessions.avote(answer.session_id, dict.fromkeys(voted, "spark"))

    followed = [branch.sparked_by for branch in after.branches]
    left = {one.memory_id for one in after.changes if one.change == "left"}
    assert followed == voted[:BRANCHES]
    assert left == set(voted)


# --- what is refused ---


async def test_votes_on_what_was_not_shown_are_refused_and_none_counts(
    sessions: Sessions, answer: SessionAnswer
) -> None:
    with pytest.raises(UnknownMemoryError, match="nobody-knows"):
        await sessions.avote(answer.session_id, {"plan": "hot", "nobody-knows": "hot"})
    with pytest.raises(NotShownError, match="garden"):
        await sessions.avote(answer.session_id, {"plan": "hot", "garden": "cold"})
    for no_vote in ("lukewarm", None, 5, ["hot"]):
        with pytest.raises(UsageError, match=r"is not a vote; vote hot, warm"):
            await sessions.avote(answer.session_id, {"wins": "hot", "plan": cast(Any, no_vote)})
    with pytest.raises(UsageError, match="critic"):
        await sessions.avote(answer.session_id, {"plan": "hot"}, by="critic")
    assert (await sessions.aget(answer.session_id)).cast == {}


async def test_a_stranger_cannot_tell_anothers_session_from_none(
    world: SmallWorld, store: DatabaseSessions, answer: SessionAnswer
) -> None:
    theirs = sessions_over(replace(session_services(world), entity="theo"), store)

    acts: list[Callable[[str], Awaitable[object]]] = [
        theirs.aget,
        lambda session_id: theirs.avote(session_id, {"plan": "hot"}),
        theirs.aresolve,
        theirs.aabandon,
    ]
    for act in acts:
        said: list[str] = []
        for session_id in (answer.session_id, "nowhere"):
            with pytest.raises(UnknownSessionError, match=session_id) as raised:
                await act(session_id)
            said.append(str(raised.value).replace(session_id, "ID"))
        assert said[0] == said[1]
        assert "another entity" in said[0]
        assert "mara" not in said[0]


# --- the end ---


class Pupil:
    """A learner that records what it is taught, or fails."""

    def __init__(self, error: SecondhopError | None = None) -> None:
        self.lessons: list[ResolvedSession] = []
        self._error = error

    async def alearn(self, session: ResolvedSession, *, dry_run: bool = False) -> Learned:
        self.lessons.append(session)
        if self._error is not None:
            raise self._error
        return Learned(updated=2, learned=True)


async def test_a_resolved_session_tells_its_whole_story_and_is_learned_from(
    world: SmallWorld,
) -> None:
    pupil = Pupil()
    sessions = sessions_over(session_services(world), learn=pupil.alearn)
    answer = await started(sessions)
    await sessions.avote(answer.session_id, {"plan": "hot", "wins": "cold"})
    await sessions.avote(answer.session_id, {"coaching": "warm"}, by="agent", go_on=False)

    resolution = await sessions.aresolve(answer.session_id, note="for the panel")

    told = resolution.session
    assert (told.question, told.rounds, told.note) == (QUESTION, 2, "for the panel")
    assert set(answer.ids()) <= set(told.shown)
    assert [(one.round, one.by, one.hot, one.warm, one.cold) for one in told.votes] == [
        (1, "person", ["plan"], [], ["wins"]),
        (2, "agent", [], ["coaching"], []),
    ]
    assert told.accepted == ["plan", "coaching"]
    assert told.last_votes() == {"plan": "hot", "wins": "cold", "coaching": "warm"}
    assert pupil.lessons == [told]
    assert (resolution.learned.updated, resolution.learned.learned) == (2, True)


async def test_what_helped_may_be_named_and_must_have_been_shown(
    sessions: Sessions, answer: SessionAnswer
) -> None:
    with pytest.raises(NotShownError):
        await sessions.aresolve(answer.session_id, accepted=["garden"])

    resolution = await sessions.aresolve(answer.session_id, accepted=["coaching", "coaching"])

    assert resolution.session.accepted == ["coaching"]


async def test_a_session_is_resolved_once(world: SmallWorld, store: DatabaseSessions) -> None:
    pupil = Pupil()
    workers = [sessions_over(session_services(world), store, learn=pupil.alearn) for _ in range(3)]
    answer = await started(workers[0])

    outcomes = await asyncio.gather(
        *(worker.aresolve(answer.session_id) for worker in workers), return_exceptions=True
    )

    assert sum(isinstance(one, SessionResolvedError) for one in outcomes) == 2
    assert len(pupil.lessons) == 1
    with pytest.raises(SessionResolvedError, match="resolved"):
        await workers[0].avote(answer.session_id, {"plan": "hot"})


async def test_sessions_that_know_a_forgotten_memory_end_and_others_go_on(
    sessions: Sessions, answer: SessionAnswer
) -> None:
    assert await sessions.alist_open() == [answer.session_id]

    await sessions.aforget(["pla", "nobody-knows"])
    assert (await sessions.aget(answer.session_id)).ids() == answer.ids()
    await sessions.aforget(["nobody-knows", "plan"])

    with pytest.raises(SessionAbandonedError):
        await sessions.aget(answer.session_id)
    assert await sessions.alist_open() == []


# --- workers that are killed ---


async def test_a_worker_killed_before_its_answer_has_counted_nothing_and_others_go_on(
    world: SmallWorld, store: DatabaseSessions
) -> None:
    said = {"plan": "hot", "wins": "cold"}
    whole = sessions_over(session_services(world), store)
    undisturbed = await whole.avote((await started(whole)).session_id, said)
    dying = sessions_over(session_services(world, critic=MortalCritic(votes(content=True))), store)
    answer = await started(dying)
    with pytest.raises(Killed):
        await dying.avote(answer.session_id, said, request_id="mine")

    found = await whole.aget(answer.session_id)
    after = await whole.avote(answer.session_id, said, request_id="mine")

    assert (found.round, found.ids(), found.cast) == (1, answer.ids(), {})
    assert (after.round, after.kept, after.ids()) == (2, ["plan"], undisturbed.ids())


async def test_a_lost_reply_is_asked_for_again_after_others_have_voted_on(
    sessions: Sessions, answer: SessionAnswer
) -> None:
    mine = await sessions.avote(answer.session_id, {"plan": "hot"}, request_id="mine")
    theirs = await sessions.avote(answer.session_id, {mine.new[0]: "warm"}, by="agent")

    again = await sessions.avote(answer.session_id, {"plan": "hot"}, request_id="mine")

    assert (again.round, again.ids()) == (3, theirs.ids())
    said = (await sessions.aresolve(answer.session_id)).session.votes
    assert [(one.round, one.by, one.hot) for one in said] == [
        (1, "person", ["plan"]),
        (2, "agent", []),
    ]
