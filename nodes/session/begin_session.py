"""First node of a session: begins the recall, and sets how long the session stays open."""

import time
import uuid
from typing import cast

from secondhop.errors import UsageError
from secondhop.nodes.begin import begin
from secondhop.nodes.config import TTL_LIMIT_S
from secondhop.nodes.recall_input import checked_count
from secondhop.nodes.services import Services
from secondhop.nodes.session.session_state import SessionInput, SessionUpdate
from secondhop.nodes.state import RecallInput
from secondhop.wording import shown


async def begin_session(state: SessionInput, *, services: Services) -> SessionUpdate:
    """Like `begin`, with the k of sessions, plus the keys of a session. Raises UsageError if the
    question is empty, k or max_rounds is below 1, or ttl_s is no number or out of range."""
    settings = services.settings.session
    k, rounds, ttl_s = state.get("k"), state.get("max_rounds"), state.get("ttl_s")
    own_k = {"k": settings.k if k is None else k, "tokens": None}
    asked = cast(RecallInput, {**state, **own_k})
    if services.critic is not None and asked.get("effort") is None:
        asked["effort"] = "high"  # the critic votes in every round
    begun = await begin(asked, services=services)
    open_ttl_s = settings.ttl_s if ttl_s is None else checked_ttl(ttl_s)
    opened: SessionUpdate = {
        "session_id": state.get("session_id") or uuid.uuid4().hex,
        "max_rounds": checked_count(rounds, name="max_rounds") or settings.max_rounds,
        "ttl_s": open_ttl_s,
        "expires_at": time.time() + open_ttl_s,
        "ballots": [],
        "branches": [],
        "changes": [],
        "proposals": [],
        "converged": False,
        "why": "",
        "requests": [],
        "status": "open",
    }
    return cast(SessionUpdate, {**begun, **opened})


def checked_ttl(given: object) -> float:
    """The seconds; raises UsageError if they are no number, or out of range."""
    is_flag = isinstance(given, bool)
    if isinstance(given, int | float) and not is_flag and 0 < given <= TTL_LIMIT_S:
        return given
    raise UsageError(
        f"ttl_s must be a number of seconds above 0, and at most {TTL_LIMIT_S:,.0f} (a year), "
        f"not {shown(given)}"
    )
