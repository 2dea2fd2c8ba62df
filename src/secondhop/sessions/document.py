"""The state of a session between rounds, as a document for a store.

It has no vectors and no texts of memories. They are looked up when the session goes on, so a memory
that has ended meanwhile is gone from it. Some words of memories are in it: titles of sparks, cues,
names of facts. A session ends when a memory in it is deleted.
"""

import json
import zlib
from collections.abc import Sequence
from typing import Any, cast

from secondhop.errors import StoreError
from secondhop.nodes.fuse import as_candidate
from secondhop.nodes.services import Services
from secondhop.nodes.session.session_state import SessionState
from secondhop.nodes.state import Candidate

VERSION = 3
"""Grows when an older secondhop can no longer read the document."""

LEFT_OUT = frozenset(
    {"steps", "drops", "shortlist", "seen", "hidden", "close_to", "result", "answer", "resolved"}
)
"""Keys of the state that the next round makes again or never reads."""

OWN = frozenset({"first_round", "scores", "parts", "cue", "undertaking"})
"""Keys of a candidate that its card in the store does not have."""


def pack(state: SessionState) -> bytes:
    """The document of a state, compressed; `unpack` reads it."""
    kept: dict[str, Any] = {k: v for k, v in state.items() if k not in LEFT_OUT}
    kept |= {
        "version": VERSION,
        "votes": {i: {**one, "reason": ""} for i, one in state.get("votes", {}).items()},
        "candidates": {
            i: {key: value for key, value in one.items() if key in OWN}
            for i, one in state.get("candidates", {}).items()
        },
    }
    return zlib.compress(json.dumps(kept, separators=(",", ":")).encode())


async def unpack(document: bytes, *, services: Services) -> SessionState:
    """The state, with what the store says about its memories now.

    Raises:
        StoreError: another version of secondhop wrote it, or it is damaged.
    """
    try:
        known: dict[str, Any] = json.loads(zlib.decompress(document))
        if known.pop("version") != VERSION:
            raise StoreError(
                "the session was written by another version of secondhop; start a new one, and "
                "let all workers that serve sessions run the same version"
            )
        return await with_words_of_today(known, services=services)
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"the session is damaged ({error!r}); start a new one") from error


def names_one(document: bytes, memory_ids: Sequence[str]) -> bool:
    """Whether a document contains one of these ids; True if it is damaged.

    >>> names_one(zlib.compress(b'{"candidates":{"plan":[1]}}'), ["plan"])
    True
    >>> names_one(zlib.compress(b'{"candidates":{"planning":[1]}}'), ["plan"])
    False
    """
    if not document:
        return False
    try:
        text = zlib.decompress(document).decode()
    except (zlib.error, UnicodeDecodeError):  # damaged: it cannot go on in any case
        return True
    return any(json.dumps(memory_id) in text for memory_id in memory_ids)


async def with_words_of_today(known: dict[str, Any], *, services: Services) -> SessionState:
    """The state with current cards of its candidates, and without what may no longer be shown."""
    kept: dict[str, dict[str, Any]] = known["candidates"]
    state = cast(SessionState, {**known, "candidates": {}})
    proved = state["learned"]["questions"] if "learned" in state else {}
    cards = await services.reader.cards([*kept])
    services.hidden.forget(state["trace_id"])  # something may have ended since the round
    hidden = await services.hidden.of(state, services)
    for memory_id, own in kept.items():
        if memory_id in cards and memory_id not in hidden.reasons:
            made = as_candidate(
                cards[memory_id],
                own["scores"],
                None,
                own["first_round"],
                hidden=hidden.reasons,
                proved_for=proved.get(memory_id),
            )
            state["candidates"][memory_id] = cast(Candidate, {**made, **own})
    return state
