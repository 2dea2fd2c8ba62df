"""Computes the rounds of sessions, from a question or from a state with votes."""

import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from secondhop.graph.session_result import ResolvedSession, SessionAnswer
from secondhop.graph.trace_build import TraceDraft
from secondhop.nodes.budget import in_time
from secondhop.nodes.reasons import cut_by
from secondhop.nodes.reducers import taken_in
from secondhop.nodes.selection.near_misses import near_misses
from secondhop.nodes.services import Services, session_services
from secondhop.nodes.session.begin_session import begin_session
from secondhop.nodes.session.pick_round import pick_round
from secondhop.nodes.session.present import present, shown_evidence
from secondhop.nodes.session.session_state import SessionInput, SessionState
from secondhop.nodes.session.settle import settle
from secondhop.nodes.session.take_votes import take_votes
from secondhop.nodes.session.voting import shown_now
from secondhop.nodes.state import Candidate
from secondhop.running import GRACE_S, READING_S, RecallEvent, ended_in_time, silent
from secondhop.telemetry import RECALLS, span_of
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langgraph.types import StreamMode

    from secondhop.graph.session import RoundGraph

T = TypeVar("T")

Progress: TypeAlias = Callable[[RecallEvent], None]
"""Called with every step as it ends."""


class SessionRounds:
    """The rounds of one entity's sessions. Between calls it keeps only their traces."""

    def __init__(self, services: Services, *, traces: TraceFolder | None = None) -> None:
        self.services, self._traces = session_services(services), traces
        """The services, with the critic of sessions."""

    @cached_property
    def _graph(self) -> "RoundGraph":
        """Compiled at the first round, because most programs have no sessions."""
        from secondhop.graph.session import build_round_graph

        return build_round_graph(self.services)

    async def first(self, asked: SessionInput, *, progress: Progress | None = None) -> SessionState:
        """The state with the first answer."""
        return await self._run(dict(asked), round_number=1, progress=progress)

    async def next(self, state: SessionState, *, progress: Progress | None = None) -> SessionState:
        """The state with the next answer, after the one that its ballots are about. It is due at
        the state's `deadline_at`.

        The same state gives the same answer, as long as the store does not change and no language
        model votes.
        """
        self.services.hidden.forget(state["trace_id"])
        begun = {
            **state,
            "trace_id": uuid.uuid4().hex[:12],  # new, so that what may be shown is looked up again
        }
        return await self._run(begun, round_number=state["round"] + 1, progress=progress)

    async def answer(self, state: SessionState, *, expires_at: datetime) -> SessionAnswer:
        """The current answer, with its texts and the votes noted on it since. If the store does
        not give the texts in time, there is no memory in it."""
        timed: SessionState = {**state, "expires_at": expires_at.timestamp()}
        reason = (
            f"texts: the limit of {self.services.settings.limits.deadline_s:g} s was reached, and "
            f"the store has not given them; get the session again"
        )
        late: SessionState = {**timed, "degraded": {**state.get("degraded", {}), "texts": reason}}
        update = await self._read(present, timed, late=late)
        return SessionAnswer.model_validate(update.get("answer"))

    async def settled(
        self, state: SessionState, *, accepted: list[str] | None, note: str
    ) -> ResolvedSession:
        """The outcome of the session."""
        ended: SessionState = {**state, "note_of_end": note}
        if accepted is not None:
            ended = {**ended, "accepted": accepted}
        update = await settle(ended, services=self.services)
        self.services.hidden.forget(state["trace_id"])
        return ResolvedSession.model_validate(update.get("resolved"))

    def deadline(self) -> float:
        """When the answer of a step that begins now is due, epoch seconds."""
        return time.time() + self.services.settings.limits.deadline_s

    def reading_s(self, state: SessionState) -> float:
        """How long the store may still take in this step, seconds; it has until `READING_S` after
        the deadline."""
        return state["deadline_at"] + GRACE_S + READING_S - time.time()

    # --- inside ---

    async def _read(
        self,
        step: Callable[..., Awaitable[T]],
        state: SessionState,
        *,
        late: SessionState | None = None,
    ) -> T:
        """What a step gives; if the store is too slow for it, what it gives without the store.
        `late`: the state for that."""
        return await in_time(
            step(state, services=self.services),
            limit_s=self.reading_s(state),
            otherwise=lambda: step(late or state, services=silent(self.services)),
        )

    async def _run(
        self, given: Mapping[str, Any], *, round_number: int, progress: Progress | None
    ) -> SessionState:
        """Compute one round, in a span of its own."""
        with span_of("session round", "RETRIEVER", metric=RECALLS) as span:
            state = await self._in_time(given, round_number=round_number, progress=progress)
            picked = [state["candidates"][pick["memory_id"]] for pick in state["picks"]]
            span.found((one["memory_id"], one["score"]) for one in picked)
        if self._traces is not None:
            self._traces.keep(await self._read(self._draft, state))
        return state

    async def _draft(self, state: SessionState, *, services: Services) -> TraceDraft:
        """The draft of a round's trace. What its answer and its branches show counts as
        returned."""
        shown, settings = shown_now(state), self.services.settings
        evidence, _ = await shown_evidence(shown, state, services=services)
        misses = near_misses(state, shown, over_budget=(), settings=settings)
        led = {
            one: branch["sparked_by"]
            for branch in state["branches"]
            for one in branch["memory_ids"]
        }
        told: SessionState = {
            **state,
            "candidates": {
                one: Candidate({**known, "sparked_by": led[one]}) if one in led else known
                for one, known in state["candidates"].items()
            },
            "result": {
                "memories": [
                    {"id": one, "evidence": [{"passage_id": own} for own in evidence.get(one, ())]}
                    for one in shown
                ],
                "maybe": [
                    {"id": one, "cut_by": cut_by(drop, state["kind"])}
                    for one, drop in misses.items()
                ],
            },
            "stop_reason": "votes",
            "stop_detail": "the round waits for votes",
        }
        return TraceDraft(
            state=told,
            services=self.services,
            ms=state["round_ms"],
            session_id=state["session_id"],
        )

    async def _in_time(
        self, given: Mapping[str, Any], *, round_number: int, progress: Progress | None
    ) -> SessionState:
        """Compute one round. Past the deadline, answer with what was found by then."""
        modes: list[StreamMode] = ["updates", "values"]
        steps = self._graph.astream(cast(Any, given), stream_mode=modes)
        state = {"deadline_at": self.deadline(), **given}
        limit_s, tell = state["deadline_at"] - time.time(), progress or unheard
        if not await ended_in_time(steps, state, limit_s=limit_s, tell=tell):
            return await self._cut_short(state, round_number=round_number)
        return cast(SessionState, state)

    async def _cut_short(self, state: Mapping[str, Any], *, round_number: int) -> SessionState:
        """The answer from what was found so far. The store has `READING_S` for the passages that
        are compared; without them, repeats are not noticed."""
        limit = self.services.settings.limits.deadline_s
        if "trace_id" not in state:  # on a busy machine, even the first step has not ended
            begun = await self._read(begin_session, cast(SessionState, state))
            state = {**state, **begun, "deadline_at": state["deadline_at"]}
        elif state.get("ballots"):  # or reading the session left no time to count the votes
            counted = await take_votes(cast(SessionState, state), services=self.services)
            state = taken_in(state, counted)
        reason = (
            f"round {round_number}: the limit of {limit:g} s was reached; the running step was "
            f"cancelled"
        )
        stopped = cast(SessionState, {"candidates": {}, **state, "round": round_number})
        stopped["degraded"] = {**state.get("degraded", {}), f"deadline {round_number}": reason}
        update = await self._read(pick_round, stopped)
        shown = {**stopped.get("shown", {}), **update.get("shown", {})}
        return cast(SessionState, {**stopped, **update, "shown": shown})


def unheard(_: RecallEvent) -> None:
    """Nobody listens to the steps of this round."""
