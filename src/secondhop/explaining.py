"""Why a memory came back in a recall, or did not."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from secondhop.errors import NotStoredError, UsageError
from secondhop.given_values import check_id
from secondhop.graph.absent import left_out, not_shown, written_later
from secondhop.graph.explain import explain
from secondhop.graph.explanation import Explanation
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace, hidden_of, preference_of
from secondhop.memories.finding import id_of
from secondhop.nodes.selection.visibility import OUTSIDE, Hidden, VisibilityFilter, hidden_by
from secondhop.nodes.services import Services
from secondhop.reach import reach_of, vectors_of
from secondhop.stores.cues import MOST_CUES
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.titles import first_words
from secondhop.traces import OLD_SUFFIX, SUFFIX, TraceFolder, read_trace
from secondhop.wording import shown

if TYPE_CHECKING:
    from secondhop.recall import Recall


ROUNDS_NEAR = 50
"""How many of the newest traces are looked through for the first round of a session."""


async def explained(
    trace: str | Path | RecallTrace | RecallResult,
    memory_id: str,
    *,
    traces: TraceFolder,
    store: EntityStore,
    services: Services,
) -> Explanation:
    """See `Recall.aexplain`."""
    check_id(memory_id)
    story = found_trace(trace, traces)
    if story.entity != services.entity:
        raise UsageError(
            f"trace {story.trace_id} belongs to entity {story.entity!r}, not to "
            f"{services.entity!r}; open that entity"
        )
    reach = None
    known = memory_id in story.forgotten or story.candidate(memory_id) is not None
    card = None if known else (await store.cards([memory_id])).get(memory_id)
    not_seen = await hidden_now(story, store)
    if card is not None and not_seen.reasons.get(memory_id) == OUTSIDE:
        return left_out(memory_id, card.title)
    told = hidden_of(story, memory_id) or preference_of(story, memory_id)
    ended = not_seen.ended.get(memory_id)
    ended_since = ended is not None and ended.at > story.asked_at
    if card is not None and not told and memory_id in not_seen.reasons and not ended_since:
        return not_shown(memory_id, card.title, not_seen.reasons[memory_id])
    if not known and not told:
        reach = await reach_of(
            story, memory_id, store=store, embedder=services.embedder, hidden=not_seen
        )
    would_be_found = reach is not None and 0 < reach.rank <= reach.depth
    if card is not None and would_be_found and card.created_at > story.asked_at:
        return written_later(memory_id, card.title, card.created_at)
    explanation = explain(
        story,
        memory_id,
        reach=reach,
        names=await names_of_newer(story, memory_id, store),
        similarity=await similarity_to_newer(story, memory_id, store),
        takes_cue=await takes_cue(memory_id, store),
        unvoted=await asyncio.to_thread(before_votes, story, traces),
    )
    if memory_id in story.rest:  # its title is not in the trace
        cards = await store.cards([memory_id])
        title = cards[memory_id].title if memory_id in cards else ""
        return explanation.model_copy(update={"title": title})
    return explanation


async def explained_by_words(
    recall: "Recall", trace: Path | RecallTrace, words: str
) -> Explanation:
    """Explain the memory with this id, or else the only one with this title or these words.
    Raises NotStoredError if no memory matches; UsageError, with their ids, if several do."""
    try:
        return await recall.aexplain(trace, words)
    except NotStoredError:
        return await recall.aexplain(trace, await id_of(recall.memories, words))


async def names_of_newer(trace: RecallTrace, memory_id: str, store: EntityStore) -> dict[str, str]:
    """{id: title or first words} of the memories that replace this one and have no title in the
    trace."""
    own = trace.candidate(memory_id)
    newer = {own.outdated_by, own.weakened_by} - {""} if own else set[str]()
    unknown = [one for one in newer if not ((other := trace.candidate(one)) and other.title)]
    stored = [await store.memory(one) for one in unknown]
    return {one.memory_id: one.title or first_words(one.text) for one in stored if one is not None}


async def similarity_to_newer(
    trace: RecallTrace, memory_id: str, store: EntityStore
) -> float | None:
    """Best cosine between the memory's passages and those of the newer memory that weakens it.

    None if no newer memory weakens it, or if one of the two is no longer stored.
    """
    own = trace.candidate(memory_id)
    if own is None or not own.weakened_by:
        return None
    texts = [await vectors_of(one, store) for one in (memory_id, own.weakened_by)]
    if not all(map(len, texts)):
        return None
    return float((texts[0] @ texts[1].T).max())


async def takes_cue(memory_id: str, store: EntityStore) -> bool:
    """Whether another specific cue can be added to the memory by hand."""
    cues = (await store.cues.of_memories([memory_id])).get(memory_id, ())
    own = [one for one in cues if (one.origin, one.breadth) == ("host", "specific")]
    return len(own) < MOST_CUES["specific"]


def before_votes(trace: RecallTrace, traces: TraceFolder) -> RecallTrace | None:
    """The first round of the session that this trace is a later round of; None if it is not kept,
    or if the trace is no such round."""
    if not trace.session_id or trace.spent.rounds == 1:
        return None
    rounds = [one for one in traces.newest(ROUNDS_NEAR) if one.session_id == trace.session_id]
    return next((one for one in rounds if one.spent.rounds == 1), None)


async def hidden_now(trace: RecallTrace, store: EntityStore) -> Hidden:
    """What a recall with the same date and filter may not show today."""
    visibility = VisibilityFilter(
        trace.asked_at.isoformat(),
        trace.as_of.isoformat() if trace.as_of else "",
        trace.include_stale,
        trace.where,
    )
    return await hidden_by(visibility, store)


def found_trace(trace: object, traces: TraceFolder) -> RecallTrace:
    """The trace itself, or the trace that a result, an id or a file names. Raises UsageError if
    `trace` is none of these, or there is no such trace."""
    if isinstance(trace, RecallTrace):
        return trace
    if isinstance(trace, RecallResult):
        return traces.load(trace.trace_id)
    if not isinstance(trace, str | Path):
        raise UsageError(
            f"the trace must be a result, a trace, its id or its file, not {shown(trace)}"
        )
    path = Path(trace)
    is_file = path.name.endswith((SUFFIX, OLD_SUFFIX)) or path.parent != Path(".")
    return read_trace(path) if isinstance(trace, Path) or is_file else traces.load(trace)
