"""Sessions in the small world: real stores, the hashing embedder, no model."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.fakes import ScriptedCritic, ScriptedPlanner, plan
from tests.small_world import QUESTION, SmallWorld, interview_plan

from secondhop.graph.session_result import SessionAnswer
from secondhop.nodes.config import SessionSettings
from secondhop.nodes.critics.port import CriticRequest, Verdict
from secondhop.nodes.services import Services
from secondhop.sessions.learner import Learned
from secondhop.sessions.rounds import SessionRounds
from secondhop.sessions.service import Sessions
from secondhop.stores.sessions import SessionStore
from secondhop.stores.sessions_database import SESSIONS, DatabaseSessions
from secondhop.stores.sqlite import SqliteDatabase
from secondhop.sync import BackgroundLoop


class Killed(BaseException):
    """The worker was killed."""


class MortalCritic(ScriptedCritic):
    """Kills its worker in every round but the first."""

    async def judge(self, request: CriticRequest) -> Verdict:
        if request.round > 1:
            raise Killed
        return await super().judge(request)


async def nothing_to_do() -> None:
    """Does nothing: there are no models to load."""


async def nothing_to_learn(*_: Any, **__: Any) -> Learned:
    """Learns nothing."""
    return Learned()


def session_services(
    world: SmallWorld, *, session: dict[str, Any] | None = None, **parts: Any
) -> Services:
    """The small world's services with the interview's plan and these session settings."""
    planner = ScriptedPlanner(decompose=[plan()] * 50, expand=[interview_plan()] * 50)
    numbers: dict[str, Any] = {"k": 3, **(session or {})}
    settings = SessionSettings(**numbers)
    services = world.services(**{"planner": planner, **parts})
    return replace(services, settings=replace(services.settings, session=settings))


def own_file() -> SqliteDatabase:
    """A new file for sessions, which stays open only while it is used."""
    path = Path(mkdtemp()) / "sessions.db"
    return SqliteDatabase(path, steps=SESSIONS, journal="DELETE", keeps_open=False)


def sessions_over(
    services: Services,
    store: SessionStore | None = None,
    *,
    ready: Callable[[], Awaitable[None]] = nothing_to_do,
    learn: Callable[..., Awaitable[Learned]] = nothing_to_learn,
) -> Sessions:
    """The sessions of one worker."""
    return Sessions(
        SessionRounds(services),
        store if store is not None else DatabaseSessions(own_file()),
        entity=services.entity,
        ready=ready,
        learn=learn,
        loop=BackgroundLoop(),
    )


async def started(sessions: Sessions, **asked: Any) -> SessionAnswer:
    """Start a session about the interview; returns its first answer."""
    return await sessions.astart(QUESTION, **asked)
