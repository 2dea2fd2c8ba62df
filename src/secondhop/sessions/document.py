"""The state of a session between rounds, as a document for a store.

It has no vectors and no texts of memories, not even titles. They are looked up when the session
goes on, so a memory that was deleted or has ended meanwhile is gone from it. (Two things in it are
words of a memory, all the same: queries for names in good evidence, and names of facts that were
looked up.)
"""

import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any, cast

from secondhop.errors import StoreError
from secondhop.nodes.fuse import as_candidate
from secondhop.nodes.services import Services
from secondhop.nodes.session.session_state import SessionState
from secondhop.nodes.spark import branch_name, branch_why, lateral_text
from secondhop.nodes.state import Candidate, Facet, Query
from secondhop.stores.records import MemoryCard

VERSION = 2
"""Grows when an older secondhop can no longer read the document."""

LEFT_OUT = frozenset(
    {"steps", "drops", "shortlist", "seen", "hidden", "close_to", "result", "answer", "resolved"}
)
"""Keys of the state that the next round makes again or never reads."""


def pack(state: SessionState) -> bytes:
    """The document of a state, compressed; `unpack` reads it."""
    titled = titled_facets(state)
    kept: dict[str, Any] = {k: v for k, v in state.items() if k not in LEFT_OUT}
    kept |= {
        "version": VERSION,
        "facets": {i: without_title(one, titled) for i, one in state["facets"].items()},
        "queries": {i: without_words(one) for i, one in state["queries"].items()},
        "votes": {i: {**one, "reason": ""} for i, one in state.get("votes", {}).items()},
        "candidates": {
            i: [one["first_round"], one["scores"], one.get("parts"), *marks_of(one)]
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


# --- parts with words of a memory, which are looked up again ---


async def with_words_of_today(known: dict[str, Any], *, services: Services) -> SessionState:
    """The state with current titles, and without what may no longer be shown."""
    scores: dict[str, list[Any]] = known["candidates"]
    state = cast(SessionState, {**known, "candidates": {}})
    proved = state["learned"]["questions"] if "learned" in state else {}
    cards = await services.reader.cards([*{*scores, *titled_facets(state).values()}])
    services.hidden.forget(state["trace_id"])  # something may have ended since the round
    hidden = await services.hidden.of(state, services)
    state["candidates"] = {
        memory_id: candidate_of(
            cards[memory_id], row, hidden.reasons, proved_for=proved.get(memory_id)
        )
        for memory_id, row in scores.items()
        if memory_id in cards and memory_id not in hidden.reasons
    }
    facets, queries = state["facets"].items(), state["queries"].items()
    state["facets"] = {i: with_title(facet, state, cards) for i, facet in facets}
    state["queries"] = {i: with_words(query, state, cards) for i, query in queries}
    return state


def candidate_of(
    card: MemoryCard, row: list[Any], hidden: Collection[str], *, proved_for: str | None
) -> Candidate:
    """A candidate with its current card, and with those of its cues that are still stored."""
    first_round, scores, parts, *marks = row
    candidate = as_candidate(card, scores, None, first_round, hidden=hidden, proved_for=proved_for)
    if parts is not None:
        candidate["parts"] = parts
    texts = {mark_of(text): text for text in (*card.cues, *card.undertakings)}
    cue, undertaking = map(texts.get, marks)
    if cue:
        candidate["cue"] = cue
    if undertaking:
        candidate["undertaking"] = undertaking
    return candidate


def marks_of(candidate: Candidate) -> list[str]:
    """Digests of its nearest cue and its undertaking, because the document has no words of them."""
    return [mark_of(candidate.get("cue", "")), mark_of(candidate.get("undertaking", ""))]


def mark_of(cue: str) -> str:
    """A digest by which a cue is found among those of its memory; "" for none."""
    return sha256(cue.encode()).hexdigest()[:12] if cue else ""


def titled_facets(state: SessionState) -> Mapping[str, str]:
    """{id of a facet named after a memory (a branch): that memory's id}."""
    return state.get("sparks", {})


def without_title(facet: Facet, titled: Mapping[str, str]) -> Facet:
    """The facet, without its name if that is the title of a memory."""
    return {**facet, "name": "", "why": ""} if facet["facet_id"] in titled else facet


def with_title(facet: Facet, state: SessionState, cards: Mapping[str, MemoryCard]) -> Facet:
    """The facet. A branch gets its name back, from the title of its spark."""
    memory_id = titled_facets(state).get(facet["facet_id"])
    if memory_id is None:
        return facet
    title = title_of(memory_id, cards)
    return {**facet, "name": branch_name(title), "why": branch_why(title)}


def without_words(query: Query) -> Query:
    """The query, without its text if that has the title of a memory."""
    return {**query, "text": ""} if query["origin"] == "spark" else query


def with_words(query: Query, state: SessionState, cards: Mapping[str, MemoryCard]) -> Query:
    """The query. One that `without_words` emptied gets its text back."""
    if query["origin"] != "spark":
        return query
    title = title_of(titled_facets(state).get(query["facet_id"], ""), cards)
    return {**query, "text": lateral_text(title, state["question"])}


def title_of(memory_id: str, cards: Mapping[str, MemoryCard]) -> str:
    """The title of a memory in the store; "" once it is deleted."""
    card = cards.get(memory_id)
    return card.title if card is not None else ""
