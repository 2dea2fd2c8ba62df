"""Explains why a memory came back or not, and the smallest change that would admit it."""

from collections.abc import Mapping

from secondhop.errors import NotStoredError
from secondhop.graph.absent import forgotten_since, found_far, given_apart, kept_back, never_found
from secondhop.graph.deciding import (
    deciding,
    deciding_text,
    is_planned,
    keeps_hybrid_order,
    last_slot,
    rivalling,
    score_text,
    score_without,
)
from secondhop.graph.explanation import Explanation, Reach
from secondhop.graph.nearest_change import (
    id_and_title,
    is_close,
    is_founded,
    kind_of,
    nearest_change,
    title_of,
    with_a_cue,
)
from secondhop.graph.score_story import changed, facet_stories, found_story, made, score_parts
from secondhop.graph.slot_reason import LAST, chosen_by, slot_reason
from secondhop.graph.trace import (
    RecallTrace,
    TraceCandidate,
    TraceDrop,
    TraceQuery,
    TraceVote,
    hidden_of,
    preference_of,
)
from secondhop.nodes.critics.reading_votes import LEFT_UNNAMED
from secondhop.nodes.pick import CLOSE_TO, NOT_NEAR
from secondhop.nodes.reasons import LEAST_NEAR, match_needed, telling_cue
from secondhop.nodes.selection.relevance import NEWER
from secondhop.nodes.state import FACT_ASKED, FACT_NAMED
from secondhop.ranking.votes import IN_FAVOUR
from secondhop.wording import counted

ONLY_ORDERS = (
    "This score only orders what was found: it cannot be compared with ranking.min_score, which "
    "decides whether there is an answer."
)
"""Said of the score of a memory that was held back with the whole answer."""

LOOKED_UP = frozenset({FACT_NAMED, FACT_ASKED})
"""Origins of queries that look up a fact."""


def explain(
    trace: RecallTrace,
    memory_id: str,
    *,
    reach: Reach | None = None,
    names: Mapping[str, str] | None = None,
    similarity: float | None = None,
    takes_cue: bool = True,
    unvoted: RecallTrace | None = None,
) -> Explanation:
    """Explain from a trace what happened to a memory. Raises NotStoredError if it is neither in the
    trace nor stored.

    Args:
        reach: how close a memory that is not in the trace came; None: it is not stored.
        names: {id: title or first words} of memories for which the trace has no title.
        similarity: of its text to that of the newer memory that lowers its score; None: unknown.
        takes_cue: whether another cue can be added to it.
        unvoted: the first round of the same session, before any votes; None: not known.
    """
    if memory_id in trace.forgotten:
        return forgotten_since(trace, memory_id)
    candidate = trace.candidate(memory_id)
    if candidate is not None:
        return of_candidate(
            trace,
            candidate,
            names=names or {},
            similarity=similarity,
            takes_cue=takes_cue,
            unvoted=unvoted,
        )
    preference = preference_of(trace, memory_id)
    if preference is not None:
        return given_apart(preference)
    hidden = hidden_of(trace, memory_id)
    if hidden is not None:
        return kept_back(hidden)
    if reach is None:
        raise NotStoredError(
            f"no memory {memory_id!r} is stored for entity {trace.entity!r} or named in trace "
            f"{trace.trace_id}",
            cure="`secondhop list WORDS` and `recall.memories.find(words)` show the ids",
        )
    place = best_place(trace, memory_id)
    cue = with_a_cue(memory_id, trace.question, takes_cue=takes_cue)
    if place and not is_planned(trace):
        return found_far(memory_id, reach, place=place, cue=cue)
    return never_found(memory_id, reach, place=place, cue=cue)


def best_place(trace: RecallTrace, memory_id: str) -> int:
    """Its best place among the memories that a search found, from 1; 0 if none found it."""
    searches = (hits for query in trace.queries for hits in (query.dense, query.lexical))
    found = (list(dict.fromkeys(hit.memory_id for hit in hits)) for hits in searches)
    return min((ids.index(memory_id) + 1 for ids in found if memory_id in ids), default=0)


def of_candidate(
    trace: RecallTrace,
    candidate: TraceCandidate,
    *,
    names: Mapping[str, str],
    similarity: float | None,
    takes_cue: bool,
    unvoted: RecallTrace | None,
) -> Explanation:
    """The story of a memory that some query found: what speaks for it and against it, and whether
    it got a slot."""
    last = last_cut(candidate)
    story = [candidate.why]
    if candidate.slot is None and last and is_close(last) and last.against in trace.returned:
        closest = called(trace, last.against or "", names)
        story.insert(0, f"Much of what it says came back with {closest}.")
    story += [*asked_for(trace, candidate), *for_it(candidate)]
    story += against_it(trace, candidate, names=names, similarity=similarity)
    story += [
        voted(vote, candidate) if vote.round else f"Kept out: {vote.reason}."
        for vote in candidate.votes
    ]
    change = ""
    if candidate.slot is None:
        change = nearest_change(trace, candidate, last, takes_cue=takes_cue, unvoted=unvoted)
    if candidate.slot is not None:
        story.append(slot_reason(trace, candidate))
    elif last is not None and last.stage == "critique":  # its votes say why
        story += [beaten_by(trace, candidate, last, names=names).strip()]
    elif last is not None:
        story += [unread(trace, candidate), told_cut(trace, candidate, last, names=names)]
    else:
        story.append(lower_score(trace, candidate))
    return Explanation(
        memory_id=candidate.memory_id,
        title=candidate.title,
        returned=candidate.slot is not None,
        story=[sentence for sentence in story if sentence],
        parts=score_parts(trace, candidate),
        computed=[
            *([ONLY_ORDERS] if is_held_back(last) else []),
            *made(trace, candidate),
            *changed(trace, candidate),
            *facet_stories(trace, candidate),
            found_story(trace, candidate),
        ],
        cut_by="" if candidate.slot is not None else (last.stage if last else "pick"),
        nearest_change=change,
        replaced_by=candidate.outdated_by,
    )


def unread(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """A sentence if the critic voted but never read this memory; else ""."""
    read = [one for one in trace.candidates if any(vote.by == "critic" for vote in one.votes)]
    if not read or candidate in read:
        return ""
    return f"The critic did not read it: it was shown {counted(len(read), 'other')}."


def is_held_back(last: TraceDrop | None) -> bool:
    """Whether `ranking.min_score` held the whole answer back."""
    return last is not None and last.reason == NOT_NEAR and last.threshold is not None


def told_cut(
    trace: RecallTrace, candidate: TraceCandidate, last: TraceDrop, *, names: Mapping[str, str]
) -> str:
    """At which stage it was cut, why, and which memory it lost to."""
    told = f"Round {last.round}, {last.stage}: {last.reason}"
    if last.reason == NOT_NEAR and last.threshold is not None:
        return f"{told} ({match_needed(last.score or 0.0, last.threshold, kind_of(trace))})."
    if is_close(last):
        closest = called(trace, last.against or "", names)
        return f"Round {last.round}, {last.stage}: {CLOSE_TO} {closest}, and {LAST}."
    return f"{told}.{beaten_by(trace, candidate, last, names=names)}"


def beaten_by(
    trace: RecallTrace, candidate: TraceCandidate, last: TraceDrop, *, names: Mapping[str, str]
) -> str:
    """A sentence about the memory that it lost to, with a leading space; "" if there is none."""
    if not last.against or last.against == candidate.outdated_by:
        return ""
    named, rival = called(trace, last.against, names), trace.candidate(last.against)
    if rival is not None and chosen_by(rival) is not None:
        return f" It lost to {named}, which was voted for."
    by_score = last.reason.startswith("came in") and not keeps_hybrid_order(trace)
    if rival is None or not by_score or deciding(trace, rival) < deciding(trace, candidate):
        return f" It lost to {named}."
    own, other = deciding_text(trace, candidate), rivalling(trace, rival, candidate)
    told = f" Its score is {own}; {named}, which took a slot, has {other}."
    return told + loss_to_newer(trace, candidate, needed=deciding(trace, rival), names=names)


def loss_to_newer(
    trace: RecallTrace, candidate: TraceCandidate, *, needed: float, names: Mapping[str, str]
) -> str:
    """A sentence about the newer memory without which it would have the score that was `needed`;
    "" if there is none."""
    alone = score_without(trace, candidate, NEWER)
    if NEWER not in candidate.factors or alone <= needed:
        return ""
    newer, score = called(trace, candidate.weakened_by, names), score_text(trace, alone)
    return f" Without what it loses to the newer {newer}, it would have {score} and a slot."


def lower_score(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Why one of `RecallTrace.rest` was cut: its score next to that of the last slot."""
    if keeps_hybrid_order(trace):
        return "It was cut before slots were given: searches found others nearer to the question."
    own = deciding(trace, candidate)
    told = f"It was cut before slots were given: its score is {score_text(trace, own)}"
    last = last_slot(trace)
    if last is None:
        return f"{told}, and {len(trace.candidates)} others scored higher."
    least = deciding(trace, last)
    if least < own:
        return f"{told}, and slots did not go by score alone."
    by = score_text(trace, least)
    return f"{told}; the last slot went to {title_of(trace, last.memory_id)} with {by}."


def asked_for(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """What asked for a fact that was looked up; [] for a memory that only searches found."""
    return [
        lookup_sentence(query)
        for query in trace.queries
        if query.origin in LOOKED_UP
        and any(hit.memory_id == candidate.memory_id for hit in query.dense)
    ]


def lookup_sentence(query: TraceQuery) -> str:
    """What asked for the fact of a look-up query."""
    if query.origin == FACT_ASKED:
        return "The plan asked for this fact by name."
    named = "The question names" if query.hop == 1 else "A query of the plan names"
    return f"{named} this fact; it was looked up."


def for_it(candidate: TraceCandidate) -> list[str]:
    """What speaks for a memory; [] if it has a `why`, which says so already."""
    if candidate.why:
        return []
    cue = telling_cue(candidate.cue, candidate.undertaking, candidate.parts)
    near = cue and candidate.score >= LEAST_NEAR
    told = [f"In its favour: it was stored for “{cue}”."] if near else []
    if candidate.proved_for:
        told.append(f"In its favour: a session proved it useful for “{candidate.proved_for}”.")
    return told


def against_it(
    trace: RecallTrace,
    candidate: TraceCandidate,
    *,
    names: Mapping[str, str],
    similarity: float | None,
) -> list[str]:
    """What speaks against a memory: votes of earlier sessions, and newer memories."""
    told: list[str] = []
    if candidate.refused_for:
        told.append(f"Against it: a session voted it down for “{candidate.refused_for}”.")
    if candidate.outdated_by:
        newer = called(trace, candidate.outdated_by, names)
        told.append(f"Against it: {newer} is recorded as its replacement.")
    elif candidate.weakened_by:
        newer = called(trace, candidate.weakened_by, names)
        near = "" if similarity is None else f" (similarity {similarity:.2f})"
        costs = "comes last" if keeps_hybrid_order(trace) else "counts a third less"
        told.append(
            f"Against it: {newer} is newer and its text is close{near}, so this one {costs}."
        )
    return told


def called(trace: RecallTrace, memory_id: str, names: Mapping[str, str]) -> str:
    """`id “title”`, with the name from `names` or else the title from the trace."""
    name = names.get(memory_id)
    return id_and_title(memory_id, name) if name else title_of(trace, memory_id)


def voted(vote: TraceVote, candidate: TraceCandidate) -> str:
    """Who voted what, at which place of an order, and whether the vote counts."""
    if vote.by == "critic" and vote.vote == "cold" and vote.reason == LEFT_UNNAMED:
        return f"Round {vote.round}: the critic read it and did not name it."
    place = f", place {vote.place} of what was chosen" if vote.place else ""
    reason = f" ({vote.reason})" if vote.reason else ""
    told = f"Round {vote.round}: voted {vote.vote} by the {vote.by}{place}{reason}."
    liked = vote.by == "critic" and vote.vote in IN_FAVOUR
    if liked and not is_founded(candidate):
        told += " The vote does not count, because no search found the memory near the question."
    return told


def last_cut(candidate: TraceCandidate) -> TraceDrop | None:
    """The drop that decided: the last one of the last round."""
    last_round = max((drop.round for drop in candidate.drops), default=0)
    final = [drop for drop in candidate.drops if drop.round == last_round]
    order = ("fuse", "shortlist", "critique", "pick", "tokens")
    return max(final, key=lambda drop: order.index(drop.stage), default=None)
