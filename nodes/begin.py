"""First node: fills in defaults, and refuses input that is not valid."""

import asyncio
import time
import uuid
from collections.abc import Sequence
from unicodedata import category

from secondhop.nodes.budget import SHARE_BESIDE
from secondhop.nodes.effort import checked_effort, planning_steps
from secondhop.nodes.planning.follow_up import with_subject
from secondhop.nodes.planning.question_kind import question_kind, several_questions
from secondhop.nodes.recall_input import (
    MISSING,
    check_limits,
    checked_earlier,
    checked_question,
    checked_time,
)
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT, QUESTION_WEIGHT, Facet, Query, RecallInput, RecallUpdate
from secondhop.stores.where import Where


async def begin(state: RecallInput, *, services: Services) -> RecallUpdate:
    """Check the input, set defaults, and make the question the first facet."""
    alone = checked_question(state.get("question", MISSING))
    earlier = checked_earlier(state.get("earlier"))
    question = with_subject(alone, earlier)
    limits, ranking = services.settings.limits, services.settings.ranking
    k, tokens = state.get("k"), state.get("tokens")
    check_limits(k=k, tokens=tokens)
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
        "note": noted(question, alone=alone, earlier=earlier),
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


def noted(question: str, *, alone: str, earlier: Sequence[str]) -> str:
    """What the trace says of the question, and of the earlier ones if any were given."""
    if question != alone:
        return f"{len(question)} characters, with an earlier question"
    unused = ", no follow-up: the earlier questions do not count" if earlier else ""
    return f"{len(question)} characters{unused}"


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
                known["name_replaced"] = standing.name_replaced
                known["stored"] = standing.memories
    except TimeoutError:
        degraded["cues"] = "which memories have cues could not be read in time"
    if services.settings.ranking.freshness > 0:
        known["exposure"] = services.exposure.weary(question)
    return {**known, "degraded": degraded} if degraded else known
