"""Any sequence of steps leaves the stores of sessions in the same place, and votes where they are.

The file and the dictionary go through the same steps under one clock, beside a model of a few
lines that knows what must hold.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar

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

from secondhop.stores.sessions import (
    ENDED_REMEMBERED_S,
    RoundBallot,
    SessionStatus,
    SessionStore,
    Written,
)
from secondhop.stores.sessions_memory import MemorySessions
from secondhop.stores.sessions_sqlite import SqliteSessions

T = TypeVar("T")

TTL_S = 300.0
LEASE_S = 3.0
rounds = st.integers(0, 3)
workers = st.sampled_from(["w1", "w2"])
voters = st.sampled_from(["person", "agent"])
some_votes = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["hot", "cold", ""]))


@dataclass
class Model:
    """What must hold, said as briefly as it can be."""

    round: int = 1
    closed: bool = False
    status: str = "open"
    dies_at: float = TTL_S
    votes: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    published: list[int] = field(default_factory=list[int])


class TwoStores(RuleBasedStateMachine):
    """One session in two stores."""

    @initialize()
    def begin(self) -> None:
        self.now = 0.0
        self.loop = asyncio.new_event_loop()
        self.folder = Path(mkdtemp(prefix="secondhop-sessions-"))
        self.stores: list[SessionStore] = [
            MemorySessions(clock=lambda: self.now),
            SqliteSessions(self.folder / "sessions.db", clock=lambda: self.now),
        ]
        self.model = Model()
        for store in self.stores:
            assert self.run(store.create("s", owner="o", state="round 1", ttl_s=TTL_S))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def both(self, told: list[Written]) -> Written:
        """The stores' one answer; it fits the model's."""
        assert told[0] == told[1]
        return told[0]

    @property
    def stands(self) -> bool:
        return self.model.status == "open" and self.now < self.model.dies_at

    @rule(number=rounds, by=voters, votes=some_votes, closes=st.booleans(), worker=workers)
    def vote(self, number: int, by: str, votes: dict[str, str], closes: bool, worker: str) -> None:
        ballot = RoundBallot(
            round=number, by=by, votes=votes, closes=closes, worker=worker, lease_s=LEASE_S
        )
        told = self.both([self.run(s.record("s", ballot, ttl_s=TTL_S)) for s in self.stores])
        model = self.model
        assert told.done == (self.stands and number == model.round and not model.closed)
        if told.done:
            cast = {(by, one): vote for one, vote in votes.items()}
            model.votes = {one: vote for one, vote in (model.votes | cast).items() if vote}
            model.closed, model.dies_at = closes, self.now + TTL_S

    @rule(number=rounds, worker=workers)
    def claim(self, number: int, worker: str) -> None:
        told = [
            self.run(s.claim("s", round_number=number, worker=worker, lease_s=LEASE_S))
            for s in self.stores
        ]
        assert told[0] == told[1]
        if told[0]:
            assert self.stands
            assert (number, True) == (self.model.round, self.model.closed)

    @rule(number=rounds)
    def publish(self, number: int) -> None:
        told = self.both(
            [
                self.run(
                    s.publish("s", round_number=number, state=f"round {number + 1}", ttl_s=TTL_S)
                )
                for s in self.stores
            ]
        )
        model = self.model
        assert told.done == (self.stands and number == model.round and model.closed)
        if told.done:
            assert self.flat(told) == model.votes  # the very votes that were cast, every one once
            model.published.append(number)
            model.votes, model.closed = {}, False
            model.round, model.dies_at = number + 1, self.now + TTL_S

    @rule(number=rounds, status=st.sampled_from(["resolved", "abandoned"]))
    def end(self, number: int, status: SessionStatus) -> None:
        told = self.both(
            [self.run(s.end("s", round_number=number, status=status)) for s in self.stores]
        )
        assert told.done == (self.stands and number == self.model.round)
        if told.done:
            assert self.flat(told) == self.model.votes
            self.model.status, self.model.dies_at = status, self.now

    @rule(seconds=st.sampled_from([1.0, LEASE_S, TTL_S / 2, TTL_S]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def another_session_begins(self) -> None:
        """Whatever is tidied up then, what stands is not touched."""
        for store in self.stores:
            self.run(store.create(f"at {self.now}", owner="o", state="", ttl_s=TTL_S))

    @invariant()
    def both_tell_the_same_and_what_the_model_says(self) -> None:
        found = [self.run(store.load("s")) for store in self.stores]
        assert found[0] == found[1]
        if self.now >= self.model.dies_at + ENDED_REMEMBERED_S:
            assert found[0] is None
            return
        assert found[0] is not None
        if not self.stands:
            ended = self.model.status if self.model.status != "open" else "expired"
            assert (found[0].head.status, found[0].state, found[0].votes) == (ended, "", {})
            return
        assert found[0].state == f"round {self.model.round}"
        assert found[0].head.closed == self.model.closed
        assert self.flat(found[0]) == self.model.votes

    @invariant()
    def no_round_is_published_twice(self) -> None:
        assert self.model.published == sorted(set(self.model.published))

    def flat(self, told: Any) -> dict[tuple[str, str], str]:
        return {(by, one): v for by, own in told.votes.items() for one, v in own.items()}

    def teardown(self) -> None:
        with suppress(AttributeError):
            for store in self.stores:
                self.run(store.aclose())
            self.loop.close()


@pytest.mark.slow
def test_no_order_of_steps_tells_the_stores_apart() -> None:
    run_state_machine_as_test(
        TwoStores,
        settings=settings(max_examples=30, stateful_step_count=15, deadline=None, derandomize=True),
    )
