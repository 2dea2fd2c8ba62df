"""First node: fills in defaults, and refuses input that is not valid."""

import asyncio
import time
import uuid
from datetime import datetime
from typing import Final
from unicodedata import category

from pydantic import TypeAdapter, ValidationError

from secondhop.errors import UsageError
from secondhop.moments import in_utc, with_zone
from secondhop.nodes.budget import SHARE_BESIDE
from secondhop.nodes.config import COUNT_LIMIT, TOKENS_LIMIT
from secondhop.nodes.effort import checked_effort, planning_steps
from secondhop.nodes.planning.follow_up import with_subject
from secondhop.nodes.planning.question_kind import question_kind, several_questions
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT, QUESTION_WEIGHT, Facet, Query, RecallInput, RecallUpdate
from secondhop.stores.where import Where
from secondhop.wording import shown

MISSING: Final = object()
_TEXTS: Final = TypeAdapter(list[str])

QUESTION_CHARS = 20_000
"""Longer questions are refused. They are documents, and no embedder reads them to the end."""


async def begin(state: RecallInput, *, services: Services) -> RecallUpdate:
    """Check the input, set defaults, and make the question the first facet."""
    alone = checked_question(state.get("question", MISSING))
    question = with_subject(alone, checked_earlier(state.get("earlier")))
    limits, ranking = services.settings.limits, services.settings.ranking
    k = checked_count(state.get("k"), name="k")
    tokens = checked_count(state.get("tokens"), name="tokens", most=TOKENS_LIMIT)
    if k is not None and tokens is not None:
        raise UsageError("k and tokens both limit the answer; give only one of them")
    asked_at = checked_time(state.get("asked_at"), name="at") or services.clock()
    as_of = checked_time(state.get("as_of"), name="as_of")
    if as_of is None and ranking.hide_later:
        as_of = asked_at
    given = state.get("where")
    where = None if given is None else Where.of(given)
    direct = Facet(
        facet_id=DIRECT,
        name="the question itself",
        why="What the question names.",
        hop=1,
        weight=QUESTION_WEIGHT,
    )
    update: RecallUpdate = {
        "question": question,
        "k": k or (limits.k if tokens is None else limits.shortlist),
        "tokens": tokens,
        "asked_at": asked_at.isoformat(),
        "trace_id": state.get("trace_id") or uuid.uuid4().hex[:12],
        "deadline_at": time.time() + limits.deadline_s,
        "as_of": as_of.isoformat() if as_of else "",
        "include_stale": bool(state.get("include_stale")),
        "where": where.values() if where else {},
        "kind": question_kind(question),
        "earlier": (),  # in the question now; the next turn of a host's thread begins without it
        "facets": {DIRECT: direct},
        "round": 0,
        "content": False,
        "stop_reason": "",
        "stop_detail": "",
        "note": f"{len(question)} characters{', with an earlier question' * (question != alone)}",
    }
    known = await known_of_entity(question, services)
    effort = checked_effort(
        state.get("effort"), annotated=known.get("annotated", 0.0), services=services
    )
    if not any(category(char)[0] in "LN" for char in question):  # "???" and "👍" say nothing
        unasked = {"question": f"{question!r:.40} has no words, so nothing was searched"}
        known["degraded"] = {**known.get("degraded", {}), **unasked}
        return {**update, **known, "effort": "none", "queries": {}}
    update |= {"effort": effort, "note": f"{update['note']}, effort {effort}"}
    update = {**update, **known}
    parts = "decompose" not in planning_steps(update, services)
    update["queries"] = direct_queries(question, parts=parts)
    return update


def direct_queries(question: str, *, parts: bool) -> dict[str, Query]:
    """The queries of the question itself: "q0" is the whole question. `parts`: each question of
    a message that asks several gets one, too; otherwise the planner's `decompose` does that."""
    several = several_questions(question) if parts else []
    return {
        f"q{number}": Query(
            query_id=f"q{number}",
            facet_id=DIRECT,
            text=text,
            hop=1,
            round=0,
            origin="question",
            feedback=[],
        )
        for number, text in enumerate([question, *several])
    }


async def known_of_entity(question: str, services: Services) -> RecallUpdate:
    """How many memories have cues, and what was shown lately if freshness is on."""
    share = SHARE_BESIDE * services.settings.limits.deadline_s
    ends_at = asyncio.get_running_loop().time() + share
    degraded: dict[str, str] = {}
    known: RecallUpdate = {}
    try:
        async with asyncio.timeout_at(ends_at):
            if services.cues is not None:
                standing = await services.cues.standing()
                known["annotated"], known["proved"] = standing.share, standing.proved
    except TimeoutError:
        degraded["cues"] = "which memories have cues could not be read in time"
    if services.settings.ranking.freshness > 0:
        known["exposure"] = services.exposure.weary(question)
    return {**known, "degraded": degraded} if degraded else known


def checked_question(question: object) -> str:
    """The question in the form of `clean_question`. Raises UsageError if it is missing, not a text,
    empty, or longer than `QUESTION_CHARS`."""
    if question is MISSING:
        raise UsageError('the graph takes a question as text: {"question": "…"}')
    if not isinstance(question, str):
        raise UsageError(f"the question must be text (str), not {shown(question)}")
    text = clean_question(question)
    if not text:
        raise UsageError("the question is empty; ask something")
    if len(text) > QUESTION_CHARS:
        raise UsageError(
            f"the question has {len(text):,} characters, but at most {QUESTION_CHARS:,} are read; "
            f"ask the question alone, and ingest the document it comes with"
        )
    return text


def checked_earlier(given: object) -> list[str]:
    """The earlier questions in the form of `checked_question`, without empty ones.

    Raises:
        UsageError: they are not a list of texts.
    """
    try:
        texts = _TEXTS.validate_python(() if given is None else given)
    except ValidationError as error:
        raise UsageError(f"earlier must be a list of texts (str), not {shown(given)}") from error
    return [text for one in texts if (text := clean_question(one))]


def clean_question(text: str) -> str:
    """Cleaned as `secondhop.ingest` cleans what is stored, and without surrounding white space."""
    lines = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    return lines.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip()


def checked_count(count: object, *, name: str, most: int = COUNT_LIMIT) -> int | None:
    """The count, checked; None stands for the default. Raises UsageError if the count is not a
    whole number, below 1, or above `most`."""
    if count is None:
        return None
    if not isinstance(count, int) or isinstance(count, bool):
        raise UsageError(f"{name} must be a whole number (int), not {shown(count)}")
    if count < 1:
        raise UsageError(f"{name} must be at least 1, not {count}")
    if count > most:
        raise UsageError(f"{name} must be at most {most:,}")
    return count


def checked_time(given: object, *, name: str) -> datetime | None:
    """The moment with a time zone (UTC if it has none); None for None or "". Raises UsageError if
    it is neither a datetime nor ISO 8601 text, or lies outside the years of UTC."""
    if given is None or given == "":
        return None
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else given
        if not isinstance(moment, datetime):
            raise UsageError(f"{name} must be a datetime, or ISO 8601 text, not {shown(given)}")
        in_utc(moment)
    except OverflowError as error:
        raise UsageError(
            f"{name} must be between the years 1 and 9999, in UTC as well, not {given}"
        ) from error
    except ValueError as error:
        raise UsageError(
            f"{name} must be a datetime, or ISO 8601 text like 2026-03-01T09:00Z, not "
            f"{shown(given)}"
        ) from error
    return with_zone(moment)
