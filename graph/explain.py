"""Explains why a memory came back or not, and the smallest change that would admit it."""

from collections.abc import Mapping

from pydantic import Field

from secondhop.errors import NotStoredError
from secondhop.graph.deciding import deciding, is_planned, keeps_hybrid_order, weighed
from secondhop.graph.nearest_change import (
    id_and_title,
    is_founded,
    kind_of,
    nearest_change,
    set_options,
    title_of,
)
from secondhop.graph.result import Frozen
from secondhop.graph.slot_reason import slot_reason
from secondhop.graph.trace import (
    RecallTrace,
    TraceCandidate,
    TraceDrop,
    TraceFacet,
    TraceHidden,
    TracePreference,
    TraceQuery,
    TraceVote,
    hidden_of,
    preference_of,
)
from secondhop.nodes.critics.reading_votes import UNNAMED
from secondhop.nodes.pick import NOT_NEAR
from secondhop.nodes.reasons import match_needed
from secondhop.nodes.selection.blend import (
    BROAD_CUES,
    CUES,
    HYBRID,
    NUMBER,
    PLAYBOOKS,
    SIMILARITY,
    UNDERTAKING,
)
from secondhop.nodes.selection.relevance import NEWER
from secondhop.nodes.selection.relevance import UNNAMED as LEFT_UNNAMED
from secondhop.nodes.selection.visibility import OUTSIDE
from secondhop.nodes.state import DIRECT, FACT_ASKED, FACT_NAMED
from secondhop.ranking.votes import IN_FAVOUR
from secondhop.stores.keeping import ALWAYS
from secondhop.wording import command

LOOKED_UP = frozenset({FACT_NAMED, FACT_ASKED})
"""Origins of queries that look a fact up."""


class ScorePart(Frozen):
    """What one retriever, or what was learned of a memory, added to its score."""

    name: str
    meaning: str
    added: float
    """In standard deviations over the candidates, weighted."""


class Explanation(Frozen):
    """The story of one memory in one recall."""

    memory_id: str
    title: str
    returned: bool
    story: list[str]
    """Sentences in the order things happened."""
    parts: list[ScorePart] = Field(default_factory=list[ScorePart])
    """What adds up to its score, the largest first; [] where a plan's facets share the slots."""
    computed: list[str] = Field(default_factory=list[str])
    """How its score was computed."""
    cut_by: str
    """never_found, filter, validity, fuse, shortlist, critique, pick, tokens or forgotten; "" if it
    came back."""
    nearest_change: str
    """The smallest change that would admit it; "" if it was returned. Settings have the names that
    `--set` takes."""
    replaced_by: str = ""
    """The newer memory whose annotation says that it replaces this one; "" if there is none."""


class Reach(Frozen):
    """How close a memory that no query found came to being found."""

    title: str
    query: str
    """The query it is most similar to."""
    facet: str
    cosine: float
    last_cosine: float
    """Score of the last memory that this query did find."""
    rank: int
    """Its rank for this query among all memories, from 1; 0: too far down to be counted."""
    depth: int
    """Memories that a query brings."""
    depth_factor: int
    """The smallest with which this query brings it; 0 when rank is."""


def explain(
    trace: RecallTrace,
    memory_id: str,
    *,
    reach: Reach | None = None,
    names: Mapping[str, str] | None = None,
    similarity: float | None = None,
) -> Explanation:
    """Explain from a trace what happened to a memory.

    Args:
        names: {id: title or first words} of memories that the trace has no title of.
        similarity: of its text to the newer one's because of which it counts less; None: unknown.
        reach: for a memory that is not in the trace, how close it came; None: it is not stored.

    Raises:
        UsageError: the memory is neither in the trace nor stored.
    """
    if memory_id in trace.forgotten:
        return forgotten_since(trace, memory_id)
    candidate = trace.candidate(memory_id)
    if candidate is not None:
        return of_candidate(trace, candidate, names=names or {}, similarity=similarity)
    preference = preference_of(trace, memory_id)
    if preference is not None:
        return given_apart(preference)
    hidden = hidden_of(trace, memory_id)
    if hidden is not None:
        return kept_back(hidden)
    if reach is None:
        raise NotStoredError(
            f"no memory {memory_id!r} is stored for entity {trace.entity!r} or named in trace "
            f"{trace.trace_id}; `secondhop list WORDS` and `recall.memories.find(words)` tell ids"
        )
    return never_found(memory_id, reach)


def of_candidate(
    trace: RecallTrace,
    candidate: TraceCandidate,
    *,
    names: Mapping[str, str],
    similarity: float | None,
) -> Explanation:
    """The story of a memory that some query found: what speaks for it, what against it, and what
    came of it."""
    story = [candidate.why] if candidate.why else []
    story += [*asked_for(trace, candidate), *for_it(candidate)]
    story += against_it(trace, candidate, names=names, similarity=similarity)
    story += [
        voted(vote, candidate) if vote.round else f"Kept out: {vote.reason}."
        for vote in candidate.votes
    ]
    last = last_cut(trace, candidate)
    taught = last is not None and last.stage == "critique" and is_taught(candidate)
    if candidate.slot is not None:
        story.append(slot_reason(trace, candidate))
    elif last is not None and not taught:
        story.append(told_cut(trace, candidate, last, names=names))
    elif not taught:
        story.append(lower_score(trace, candidate))
    return Explanation(
        memory_id=candidate.memory_id,
        title=candidate.title,
        returned=candidate.slot is not None,
        story=story,
        parts=score_parts(candidate),
        computed=[
            *made(trace, candidate),
            *changed(trace, candidate),
            *facet_stories(trace, candidate),
            found_story(trace, candidate),
        ],
        cut_by="" if candidate.slot is not None else (last.stage if last else "pick"),
        nearest_change="" if candidate.slot is not None else nearest_change(trace, candidate, last),
        replaced_by=candidate.outdated_by,
    )


def is_taught(candidate: TraceCandidate) -> bool:
    """Whether earlier sessions alone voted on it; no round of this recall did."""
    return bool(candidate.votes) and not any(vote.round for vote in candidate.votes)


def told_cut(
    trace: RecallTrace, candidate: TraceCandidate, last: TraceDrop, *, names: Mapping[str, str]
) -> str:
    """At which stage it was cut, why, and what stands in its place."""
    told = f"Round {last.round}, {last.stage}: {last.reason}"
    if last.reason == NOT_NEAR:
        best, needed = last.score or 0.0, last.threshold or 0.0
        return f"{told} ({match_needed(best, needed, kind_of(trace))})."
    return f"{told}.{beaten_by(trace, candidate, last, names=names)}"


def beaten_by(
    trace: RecallTrace, candidate: TraceCandidate, last: TraceDrop, *, names: Mapping[str, str]
) -> str:
    """What stands in its place, as a sentence after a space; "" where nothing does."""
    if not last.against or last.against == candidate.outdated_by:
        return ""
    named, rival = called(trace, last.against, names), trace.candidate(last.against)
    by_score = last.reason.startswith("came in") and not keeps_hybrid_order(trace)
    if rival is None or not by_score or deciding(trace, rival) < deciding(trace, candidate):
        return f" Against: {named}."
    own, other = deciding(trace, candidate), deciding(trace, rival)
    return f" Its score is {own:.2f}; {named}, which took a slot, has {other:.2f}."


def lower_score(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Why one of the rest was cut before slots were given: its score against the last slot's."""
    if keeps_hybrid_order(trace):
        return "It was cut before slots were given: searches found others nearer to the question."
    own = deciding(trace, candidate)
    told = f"It was cut before slots were given: its score is {own:.2f}"
    last = trace.candidate(trace.returned[-1]) if trace.returned else None
    if last is None:
        return f"{told}, and {len(trace.candidates)} others scored more."
    least = deciding(trace, last)
    if least < own:
        return f"{told}, and slots did not go by score alone."
    return f"{told}; the last slot went to {title_of(trace, last.memory_id)} with {least:.2f}."


def forgotten_since(trace: RecallTrace, memory_id: str) -> Explanation:
    """The story of a memory whose words are no more in the trace."""
    slot = f" It had slot {trace.returned.index(memory_id) + 1}." * (memory_id in trace.returned)
    return Explanation(
        memory_id=memory_id,
        title="",
        returned=memory_id in trace.returned,
        story=[f"It was forgotten after this recall; its words were taken out of the trace.{slot}"],
        cut_by="" if memory_id in trace.returned else "forgotten",
        nearest_change="",
    )


def given_apart(preference: TracePreference) -> Explanation:
    """The story of a preference that counted."""
    if preference.by_name:
        asked = f"The plan asked for it by its name, its context “{preference.scope}”."
    elif preference.facet:
        asked = (
            f"The plan asked for its context, “{preference.scope}”: facet “{preference.facet}” "
            f"with “{preference.query}” (similarity {preference.score:.2f})."
        )
    elif preference.scope.casefold() == ALWAYS:
        asked = "It was said for always." if preference.stale else "It always holds."
    else:
        asked = (
            f"The question is near its context, “{preference.scope}” "
            f"(similarity {preference.score:.2f})."
        )
    if preference.stale:
        asked += f" It does not hold any more ({preference.stale}); what ended was asked for, too."
    return Explanation(
        memory_id=preference.memory_id,
        title=preference.scope,
        returned=True,
        story=[asked, "It is a preference: it was given beside the memories, and took no slot."],
        cut_by="",
        nearest_change="",
    )


def kept_back(hidden: TraceHidden) -> Explanation:
    """The story of a memory that was found, and does not hold."""
    ended = hidden.reason.startswith(("superseded", "deprecated", "expired"))
    return Explanation(
        memory_id=hidden.memory_id,
        title=hidden.title,
        returned=False,
        story=["Queries found it.", f"It does not come back: {hidden.reason}."],
        cut_by="validity",
        nearest_change=(
            f"`--include-stale` shows it, marked; "
            f"{command('update', hidden.memory_id, '--restore')} lets it hold again"
            if ended
            else "another moment, or another kind of memory"
        ),
    )


def left_out(memory_id: str, title: str) -> Explanation:
    """The story of a memory that the filter of the recall does not admit."""
    return Explanation(
        memory_id=memory_id,
        title=title,
        returned=False,
        story=[f"It was not searched: {OUTSIDE}."],
        cut_by="filter",
        nearest_change="a filter that admits it, or none",
    )


def found_story(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Which queries found it, and where in their rankings: the three best."""
    found: list[tuple[int, str, str]] = []
    for query in trace.queries:
        for way, hits in (("similarity", query.dense), ("words", query.lexical)):
            for hit in hits:
                if hit.memory_id == candidate.memory_id:
                    found.append((hit.rank, query.text, f"by {way} at place {hit.rank}"))
    if not found:
        return f"Playbooks or cues brought it in round {candidate.first_round}; no text search did."
    by_text: dict[str, list[str]] = {}
    for _, text, place in sorted(found)[:3]:
        by_text.setdefault(text, []).append(place)
    best = "; ".join(f"{', '.join(places)} for “{text}”" for text, places in by_text.items())
    return f"Found first in round {candidate.first_round}: {best}."


def asked_for(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """What asked for a fact, which was then looked up; [] for what searches found alone."""
    return [
        looked_up(query)
        for query in trace.queries
        if query.origin in LOOKED_UP
        and any(hit.memory_id == candidate.memory_id for hit in query.dense)
    ]


def looked_up(query: TraceQuery) -> str:
    """What asked for the fact of a query that looks one up."""
    if query.origin == FACT_ASKED:
        return "The plan asked for this fact by its name."
    named = "The question names" if query.hop == 1 else "A query of the plan names"
    return f"{named} this fact; it was looked up."


def facet_stories(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """What searches measured, in the facets that it serves best, at most three."""
    names = {facet.facet_id: facet for facet in trace.facets}
    if not is_planned(trace):
        return [
            f"Its text and the question: cosine {score.dense:.2f}, words {score.lexical:.2f}."
            for score in candidate.facet_scores
            if score.facet_id == DIRECT and score.dense
        ]
    return [
        f"For “{names[score.facet_id].name}”{hop_of(names[score.facet_id])} it was found at place "
        f"{score.rank}"
        + (f" (cosine {score.dense:.2f}, words {score.lexical:.2f})." if score.dense else ".")
        for score in candidate.facet_scores[:3]
    ]


def hop_of(facet: TraceFacet) -> str:
    """The hop of a plan's facet; what cues bring for the question itself may be a second one."""
    return "" if facet.facet_id == DIRECT else f" (hop {facet.hop})"


def for_it(candidate: TraceCandidate) -> list[str]:
    """What speaks for a memory whose `why` does not say it."""
    if candidate.why:
        return []
    told = [f"For it: it was stored for “{candidate.cue}”."] if candidate.cue else []
    if candidate.proved_for:
        told.append(f"For it: a session proved it for “{candidate.proved_for}”.")
    return told


def against_it(
    trace: RecallTrace,
    candidate: TraceCandidate,
    *,
    names: Mapping[str, str],
    similarity: float | None,
) -> list[str]:
    """What speaks against it: votes of earlier sessions, and what is newer."""
    told: list[str] = []
    if candidate.refused_for:
        told.append(f"Against it: a session voted it down for “{candidate.refused_for}”.")
    if candidate.outdated_by:
        newer = called(trace, candidate.outdated_by, names)
        told.append(f"Against it: {newer} is noted to replace it.")
    elif candidate.weakened_by:
        newer = called(trace, candidate.weakened_by, names)
        near = "" if similarity is None else f" (similarity {similarity:.2f})"
        costs = "comes last" if keeps_hybrid_order(trace) else "counts a third less"
        told.append(
            f"Against it: {newer} is newer and its text is close{near}; it might say the same "
            f"afresh, so this one {costs}."
        )
    return told


def called(trace: RecallTrace, memory_id: str, names: Mapping[str, str]) -> str:
    """`id “title”`: as the trace knows it, or as it is stored."""
    name = names.get(memory_id)
    return id_and_title(memory_id, name) if name else title_of(trace, memory_id)


MEANING = {
    CUES: "the requests it was stored for",
    BROAD_CUES: "the undertakings it was stored for",
    UNDERTAKING: "what it shares with the top memories",
    NUMBER: "how many requests it was stored for",
    SIMILARITY: "its text",
    HYBRID: "its words and its text",
    PLAYBOOKS: "what such questions usually need",
}
"""What each part of a score measures, in a few words; in full: docs/ranking.md."""


FACTOR_MEANING = {
    "source": "its kind of document",
    "salience": "its salience",
    "recency": "its age",
    "exposure": "shown lately",
    "learned": "votes in earlier sessions",
    NEWER: "something newer",
    LEFT_UNNAMED: "the critic did not name it",
}
"""What each factor is there for, in a few words; in full: docs/ranking.md."""


def made(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """What searches made its score, before anything changed it."""
    found = weighed(trace, candidate).found
    if keeps_hybrid_order(trace):
        return [f"Its places in both searches make a score of {found:.4f}."]
    facet = next((one for one in trace.facets if one.facet_id == candidate.slot_facet), None)
    if is_planned(trace):
        served = f"For “{facet.name}”{hop_of(facet)}" if facet else "Where it serves best"
        return [f"{served} searches make a score of {found:.2f} on a scale from 0 to 1."]
    if trace.settings.get("slots.by") == "relevance" or not candidate.parts:
        return [f"Searches make a score of {found:.2f} on a scale from 0 to 1."]
    together = sum(candidate.parts.values())
    return [f"The parts add up to {together:+.2f}: a score of {found:.2f} on a scale from 0 to 1."]


def changed(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """What source, salience, age, earlier sessions, a newer memory and the critic made of it."""
    _, factors, score = weighed(trace, candidate)
    if not factors:
        return []
    digits = 4 if keeps_hybrid_order(trace) else 2
    told = ", ".join(
        f"{name} × {factor:.2f} ({FACTOR_MEANING.get(name, name)})"
        for name, factor in factors.items()
    )
    return [f"Then {told}: a score of {score:.{digits}f}."]


def score_parts(candidate: TraceCandidate) -> list[ScorePart]:
    """What each retriever added to its score, the largest first."""
    by_size = sorted(candidate.parts.items(), key=lambda part: -abs(part[1]))
    return [
        ScorePart(name=name, meaning=MEANING.get(name, ""), added=round(part, 2))
        for name, part in by_size
        if abs(part) >= 0.005
    ]


def voted(vote: TraceVote, candidate: TraceCandidate) -> str:
    """Who voted what, at which place of an order, and whether it is believed."""
    if vote.by == "critic" and vote.vote == "cold" and vote.reason == UNNAMED:
        return f"Round {vote.round}: the critic read it and did not name it."
    place = f", place {vote.place} of its order" if vote.place else ""
    reason = f" ({vote.reason})" if vote.by == "critic" else ""
    told = f"Round {vote.round}: voted {vote.vote} by the {vote.by}{place}{reason}."
    liked = vote.by == "critic" and vote.vote in IN_FAVOUR
    if liked and not is_founded(candidate):
        told += " It does not count, for no search found the memory near the question."
    return told


def last_cut(trace: RecallTrace, candidate: TraceCandidate) -> TraceDrop | None:
    """The drop that decided: the last one of the last round."""
    last_round = max((drop.round for drop in candidate.drops), default=0)
    final = [drop for drop in candidate.drops if drop.round == last_round]
    order = ("fuse", "shortlist", "critique", "pick", "tokens")
    return max(final, key=lambda drop: order.index(drop.stage), default=None)


def never_found(memory_id: str, reach: Reach) -> Explanation:
    """The story of a memory that no query brought."""
    if not reach.rank:
        return Explanation(
            memory_id=memory_id,
            title=reach.title,
            returned=False,
            story=["No query of this recall found it, or came anywhere near it."],
            cut_by="never_found",
            nearest_change="a question that names what the memory is about",
        )
    return Explanation(
        memory_id=memory_id,
        title=reach.title,
        returned=False,
        story=[
            "No query of this recall found it.",
            f"It is nearest to “{reach.query}” for “{reach.facet}”: cosine {reach.cosine:.2f}, "
            f"rank {reach.rank}; a query brings {reach.depth} memories, the last of them had "
            f"{reach.last_cosine:.2f}.",
        ],
        cut_by="never_found",
        nearest_change=(
            f"ranking.depth_factor = {reach.depth_factor} would bring it into the pool (rank "
            f"{reach.rank} of that query; ask again with "
            f"{set_options({'ranking.depth_factor': str(reach.depth_factor)})}), "
            f"or a question that names what the memory is about"
        ),
    )
