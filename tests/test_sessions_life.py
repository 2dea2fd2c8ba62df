"""Whatever people, agents and killed workers do with a session, in any order: each vote is told
exactly once in the end, the answer keeps its promises, and errors say what they should."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from tests.session_world import Killed, MortalCritic, session_services, sessions_over, started
from tests.small_world import LIFE, small_world

from secondhop.errors import (
    NoRoundsLeftError,
    RoundMovedOnError,
    SessionAbandonedError,
    SessionExpiredError,
    SessionOverError,
    SessionResolvedError,
    UsageError,
    VoteRefusedError,
)
from secondhop.graph.session_result import ResolvedSession, SessionAnswer
from secondhop.stores.sessions_database import DatabaseSessions

T = TypeVar("T")

TTL_S, ROUNDS = 300.0, 3
OVER = {
    "resolved": SessionResolvedError,
    "abandoned": SessionAbandonedError,
    "expired": SessionExpiredError,
}
names = st.sampled_from(["hot", "warm", "cold", "wrong", "spark"])
voters = st.sampled_from(["person", "agent"])


class OneSession(RuleBasedStateMachine):
    """Two workers, and one that always dies, on one store."""

    @initialize()
    def begin(self) -> None:
        self.now, self.loop = 0.0, asyncio.new_event_loop()
        self.world = self.run(small_world(Path(mkdtemp(prefix="secondhop-life-"))))
        store = DatabaseSessions(Path(mkdtemp(prefix="secondhop-life-")) / "sessions.db")
        patch.object(store.database, "now", self.clock).start()
        limits = {"max_rounds": ROUNDS, "ttl_s": TTL_S}
        self.healthy = sessions_over(session_services(self.world, session=limits), store)
        mortal = session_services(self.world, session=limits, critic=MortalCritic())
        self.dying = sessions_over(mortal, store)
        self.answer: SessionAnswer = self.run(started(self.healthy))
        self.session_id = self.answer.session_id
        self.round, self.status, self.dies_at = 1, "open", TTL_S
        self.noted: dict[tuple[str, str], str] = {}
        self.told: dict[tuple[int, str, str], str] = {}
        """{(round, voter, memory): vote}: what the resolved session must tell in the end."""

    def clock(self, _: object) -> float:
        return self.now

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    @property
    def over(self) -> str:
        if self.status == "open" and self.now >= self.dies_at:
            return "expired"
        return "" if self.status == "open" else self.status

    def shown(self) -> list[str]:
        branches = [memory.id for branch in self.answer.branches for memory in branch.memories]
        return [*self.answer.ids(), *branches]

    def pick(self, places: list[int], vote_names: list[str]) -> dict[str, str]:
        shown = self.shown()
        chosen = [shown[place % len(shown)] for place in places] if shown else []
        return dict(zip(chosen, vote_names, strict=False))

    def note(self, by: str, votes: dict[str, str]) -> None:
        self.noted |= {(by, one): vote for one, vote in votes.items()}

    def next_round(self) -> None:
        self.told |= {(self.round, by, one): vote for (by, one), vote in self.noted.items()}
        self.noted, self.round = {}, self.round + 1

    @rule(
        places=st.lists(st.integers(0, 9), max_size=3),
        said=st.lists(names, min_size=3, max_size=3),
        by=voters,
        dies=st.booleans(),
    )
    def vote_and_go_on(self, places: list[int], said: list[str], by: str, dies: bool) -> None:
        votes = self.pick(places, said)
        worker = self.dying if dies else self.healthy
        act = worker.avote(self.session_id, votes, by=by, round_number=self.round)
        if self.over:
            self.refused(act, OVER[self.over])
        elif self.round == ROUNDS:
            self.refused(act, NoRoundsLeftError)
        elif not votes and not self.noted:
            self.refused(act, UsageError)
        else:
            if dies:
                with pytest.raises(Killed):
                    self.run(act)
                return
            self.run(act)
            self.note(by, votes)
            self.next_round()
            self.dies_at = self.now + TTL_S
            self.answer = self.run(self.healthy.aget(self.session_id))

    @rule(
        places=st.lists(st.integers(0, 9), min_size=1, max_size=3),
        said=st.lists(names, min_size=3, max_size=3),
        by=voters,
    )
    def vote_and_stay(self, places: list[int], said: list[str], by: str) -> None:
        votes = self.pick(places, said)
        act = self.healthy.avote(self.session_id, votes, by=by, go_on=False)
        if self.over:
            self.refused(act, OVER[self.over])
            return
        noted = self.run(act)
        self.note(by, votes)
        self.dies_at = self.now + TTL_S
        assert self.flat(noted) == self.noted

    @rule(by=voters)
    def take_it_all_back(self, by: str) -> None:
        own = {one: "" for voter, one in self.noted if voter == by}
        if not self.over:
            self.run(self.healthy.avote(self.session_id, own, by=by, go_on=False))
            self.noted = {key: vote for key, vote in self.noted.items() if key[0] != by}
            self.dies_at = self.now + TTL_S

    @rule()
    def vote_on_an_old_round_or_a_stranger(self) -> None:
        if self.over:
            return
        strangers = [memory.memory_id for memory in LIFE if memory.memory_id not in self.shown()]
        for memory_id in [*strangers[:1], "nobody-knows"]:
            self.refused(self.healthy.avote(self.session_id, {memory_id: "hot"}), VoteRefusedError)
        votes = self.pick([0], ["hot"])
        old = self.healthy.avote(self.session_id, votes, round_number=self.round - 1)
        self.refused(old, RoundMovedOnError)

    @rule(seconds=st.sampled_from([1.0, TTL_S / 2, TTL_S]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def resolve(self) -> None:
        act = self.healthy.aresolve(self.session_id)
        if self.over:
            self.refused(act, OVER[self.over])
            return
        story = self.run(act).session
        self.next_round()
        self.status = "resolved"
        assert votes_in(story) == self.told
        assert set(story.accepted) == {
            one for one, vote in story.last_votes().items() if vote in {"hot", "warm"}
        }

    @rule(really=st.integers(0, 5))
    def abandon(self, really: int) -> None:
        if really == 0:
            self.run(self.healthy.aabandon(self.session_id))
            self.status = self.over or "abandoned"

    @invariant()
    def the_answer_keeps_its_promises(self) -> None:
        if self.over:
            self.refused(self.healthy.aget(self.session_id), SessionOverError)
            return
        found = self.run(self.healthy.aget(self.session_id))
        assert found.ids() == self.answer.ids()
        assert (found.round, found.rounds_left) == (self.round, ROUNDS - self.round)
        assert self.flat(found) == self.noted
        last = {one: vote for (_, _, one), vote in sorted(self.told.items(), key=rank)}
        shown = self.shown()
        assert len(shown) == len(set(shown))
        assert not {one for one in shown if last.get(one) in {"cold", "wrong", "spark"}}
        assert {one for one, vote in last.items() if vote in {"hot", "warm"}} == set(found.kept)
        assert len([one for one in found.ids() if one not in found.kept]) <= 3

    def refused(self, act: Coroutine[Any, Any, Any], error: type[Exception]) -> None:
        with pytest.raises(error):
            self.run(act)

    def flat(self, answer: SessionAnswer) -> dict[tuple[str, str], str]:
        return {(by, one): v for by, own in answer.cast.items() for one, v in own.items()}

    def teardown(self) -> None:
        with suppress(AttributeError):
            self.run(self.world.store.aclose())
            self.loop.close()


def rank(entry: tuple[tuple[int, str, str], str]) -> tuple[int, bool]:
    """A vote's rank: later rounds outrank earlier ones, and then a person outranks an agent."""
    (number, by, _), _ = entry
    return number, by == "person"


def votes_in(story: ResolvedSession) -> dict[tuple[int, str, str], str]:
    """{(round, voter, memory): vote} of a resolved session."""
    return {
        (said.round, said.by, one): vote
        for said in story.votes
        for vote in ("hot", "warm", "cold", "wrong", "spark")
        for one in getattr(said, vote)
    }


@pytest.mark.slow
def test_no_order_of_steps_breaks_a_session() -> None:
    run_state_machine_as_test(
        OneSession,
        settings=settings(max_examples=20, stateful_step_count=12, deadline=None, derandomize=True),
    )
