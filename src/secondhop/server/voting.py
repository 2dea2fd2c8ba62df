"""Routes for sessions: recalls that stay open for votes."""

from fastapi import APIRouter

from secondhop.graph.session_result import SessionAnswer
from secondhop.learning.records import LearningReport
from secondhop.server.access import Readable, Writable
from secondhop.server.recall_bodies import ResolveBody, SessionBody, VotesBody
from secondhop.sessions.learner import Resolution

router = APIRouter(prefix="/sessions", tags=["sessions"])


@router.post("", status_code=201)
async def start(recall: Writable, body: SessionBody) -> SessionAnswer:
    """Open a session and return its first answer."""
    return await recall.sessions.astart(**dict(body))


@router.get("")
async def list_open(recall: Readable) -> list[str]:
    """Ids of the open sessions."""
    return await recall.sessions.alist_open()


@router.get("/{session_id}")
async def standing(recall: Readable, session_id: str) -> SessionAnswer:
    """The current answer of a session."""
    return await recall.sessions.aget(session_id)


@router.post("/{session_id}/votes")
async def vote(recall: Writable, session_id: str, body: VotesBody) -> SessionAnswer:
    """Vote on the current answer and return the next one, or only note the votes."""
    return await recall.sessions.avote(
        session_id,
        body.votes,
        by=body.by,
        round_number=body.round,
        go_on=body.go_on,
        request_id=body.request_id,
    )


@router.post("/{session_id}/resolve")
async def resolve(recall: Writable, session_id: str, body: ResolveBody) -> Resolution:
    """End a session by saying what helped; later recalls learn from it."""
    return await recall.sessions.aresolve(
        session_id, accepted=body.accepted, note=body.note, dry_run=body.dry_run
    )


@router.delete("/{session_id}", status_code=204)
async def abandon(recall: Writable, session_id: str) -> None:
    """Give up a session; nothing is learned from it."""
    await recall.sessions.aabandon(session_id)


taught = APIRouter(prefix="/learned", tags=["sessions"])


@taught.get("")
async def learned(recall: Readable) -> LearningReport:
    """What resolved sessions taught, by question, the newest first."""
    return await recall.learning.areport()


@taught.delete("/{memory_id:path}", status_code=204)
async def unlearn(recall: Writable, memory_id: str) -> None:
    """Take back what sessions taught about a memory; the memory stays."""
    await recall.learning.aforget([memory_id])
