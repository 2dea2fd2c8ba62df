"""Finds the smallest change that would admit a memory that a recall did not return."""

import re
from collections.abc import Iterable
from math import prod
from typing import cast

from secondhop.graph.deciding import (
    comes_last,
    is_planned,
    is_voted_on,
    question_score,
    score_to_beat,
    score_without,
    slots_given,
)
from secondhop.graph.trace import RecallTrace, TraceCandidate, TraceDrop, TraceVote
from secondhop.nodes.pick import CLOSE_TO, NOT_NEAR, OUTDATED, REFUSED
from secondhop.nodes.reasons import rounded_down
from secondhop.nodes.retrieve import UNPLANNED
from secondhop.nodes.selection.relevance import NEWER, REPLACED_FACTOR, UNNAMED, well_founded
from secondhop.nodes.state import Candidate
from secondhop.ranking.votes import IN_FAVOUR, SUPPRESSED
from secondhop.ranking.words import words
from secondhop.stores.cues import MOST_CUES, cue_fault
from secondhop.wording import command


def nearest_change(
    trace: RecallTrace,
    candidate: TraceCandidate,
    last: TraceDrop | None,
    *,
    takes_cue: bool = True,
    unvoted: RecallTrace | None = None,
) -> str:
    """One change of a setting, a vote, the question or the memory; "" if none is known. `last`:
    the drop that decided. The others are as in `explain`."""
    near = title_of(trace, last.against) if last is not None and is_close(last) else ""
    cue = cue_hint(trace, candidate, takes_cue=takes_cue, ahead_of=near)
    unread = cue if "answer.min_score" in trace.settings else ""
    is_voted_session = bool(cast_by_others(trace.candidates))
    if last is None:
        return NEARER_QUESTION if is_voted_session else never_weighed(trace, candidate, cue)
    if last.stage == "tokens":
        return f"--tokens {last.budget} (fewer may do)" if last.budget else NEARER_QUESTION
    if last.stage == "critique":
        return other_vote(trace, candidate, cue=unread)
    if last.reason == REFUSED or was_refused(trace):
        return without_critic(trace, candidate, cue=unread)
    if last.reason == NOT_NEAR:
        added = with_a_cue(candidate.memory_id, trace.question, takes_cue=takes_cue)
        return answered_after_all(trace, last, cue="" if candidate.outdated_by else added)
    if last.threshold is not None:
        return below_threshold(trace, candidate, last.threshold)
    if is_voted_session:
        first, then = (cue, "") if near else (next_round(trace, last), cue)
        return either(first, without_votes(trace, candidate, unvoted, cue=then))
    if last.stage == "pick" and last.rank is not None:
        slots = slots_of(trace, last.rank)
        if is_better_unread(trace, candidate, last.rank):
            return either(slots, without_critic(trace, candidate, cue=cue))
        if near:
            return either(cue, slots)
        if last.reason.startswith(OUTDATED):
            return either(slots, *noted_outdated(trace, candidate))
        return either(slots, cue, unlearned(trace, candidate))
    return never_weighed(trace, candidate, cue)


def either(*changes: str) -> str:
    """Several changes, each of which may do; "" is left out."""
    return "; or ".join(filter(None, changes))


NEARER_QUESTION = "a question nearer to it: what it says is too far from this one"


def never_weighed(trace: RecallTrace, candidate: TraceCandidate, cue: str) -> str:
    """The change for a memory that selection never saw."""
    if trace.stop_reason == "deadline":
        return "more time: a longer --deadline"
    disbelieved = bool(candidate.votes) and not is_founded(candidate)
    if disbelieved or candidate.score <= 0 or len(trace.scores()) <= trace.k:
        return NEARER_QUESTION
    found = len(trace.scores())
    return either(f"--k {found}, as many as were found (fewer may do)", cue)


def other_vote(trace: RecallTrace, candidate: TraceCandidate, *, cue: str) -> str:
    """The change for a memory that was voted out, now or in an earlier session."""
    forgetting = f"`recall.learning.forget([{candidate.memory_id!r}])`"
    for vote in cast_by_others([candidate])[-1:]:
        if vote.round == 1:
            return f"ask again without this vote; if what was learned keeps it out, {forgetting}"
        return (
            f"ask again in a new session with the same votes before round {vote.round}, "
            f"and a hot one for it there"
        )
    learned = [vote for vote in candidate.votes if vote.round == 0]
    if learned:
        place = place_by_score(trace, candidate, without="learned")
        then = f"; it then comes in at place {place}: ask for as many" if place > trace.k else ""
        return f"{forgetting}: {learned[0].reason}{then}"
    return without_critic(trace, candidate, cue=cue)


def cast_by_others(candidates: Iterable[TraceCandidate]) -> list[TraceVote]:
    """The votes of people and agents in this session, by round for each memory."""
    return [
        vote
        for candidate in candidates
        for vote in candidate.votes
        if vote.round and vote.by != "critic"
    ]


def without_critic(trace: RecallTrace, candidate: TraceCandidate, *, cue: str) -> str:
    """What admits a memory that the critic did not want: to ask none, or to persuade it; or a
    nearer question if no search found the memory similar to this one."""
    if not is_founded(candidate):
        return NEARER_QUESTION
    if is_planned(trace) or trace.tokens is not None:
        return "a question, or a `critique` prompt, for which the critic votes it hot"
    place = place_by_score(trace, candidate, without=UNNAMED)
    admitting = trace.settings.get("answer.min_score")
    lower = (
        f" --set ranking.min_score={rounded_down(admitting):.2f}"
        if isinstance(admitting, float)
        else ""
    )
    unread = f"--effort none{lower} --k {max(trace.k, place)} or a little more"
    return either(f"{unread} (by score it is at place {place})", cue)


def is_better_unread(trace: RecallTrace, candidate: TraceCandidate, place: int) -> bool:
    """Whether a memory that the critic did not name has a better place without a critic."""
    unnamed = candidate.factors.get(UNNAMED, 1.0) < 1
    can_tell = not is_planned(trace) and trace.tokens is None and is_founded(candidate)
    return unnamed and can_tell and place_by_score(trace, candidate, without=UNNAMED) < place


def place_by_score(trace: RecallTrace, candidate: TraceCandidate, *, without: str) -> int:
    """Its place among the candidates if scores decided, and all lacked one factor; those that
    come last anyway do so."""

    def rank(one: TraceCandidate) -> tuple[bool, float]:
        return not comes_last(trace, one), question_score(trace, one, without=without)

    return 1 + sum(rank(other) > rank(candidate) for other in trace.candidates)


def is_founded(candidate: TraceCandidate) -> bool:
    """Whether some search found it similar to the question."""
    best = max((score.relevance for score in candidate.facet_scores), default=0.0)
    parts = {"parts": candidate.parts} if candidate.parts else {}
    return well_founded(cast(Candidate, {**parts, "score": best}))


def was_refused(trace: RecallTrace) -> bool:
    """Whether the critic voted against what it read, and nothing came back."""
    votes = [vote for candidate in trace.candidates for vote in candidate.votes]
    against = any(vote.by == "critic" and vote.vote in SUPPRESSED for vote in votes)
    return against and not trace.returned


def without_votes(
    trace: RecallTrace, candidate: TraceCandidate, unvoted: RecallTrace | None, *, cue: str
) -> str:
    """The change for a memory that a session with votes has no slot for. Only what its answer shows
    can be voted on, and another recall has not these votes."""
    if candidate.first_round > 1:  # votes moved the search that found it
        return NEARER_QUESTION
    new = "in a new recall without votes"
    place = None if unvoted is None else place_in(unvoted, candidate.memory_id)
    if place is None:
        found = len(trace.scores())
        return either(f"--k {found} {new}, as many as were found (fewer may do)", cue)
    before = f"{new} (before them, it came in at place {place})"
    if place <= trace.k:
        return f"ask again {before}"
    return either(f"--k {place} or a little more {before}", cue)


def next_round(trace: RecallTrace, last: TraceDrop) -> str:
    """What may admit the memory that is next in line in a session; "" if it is not that one, or if
    everything in the answer was voted for."""
    given = slots_given(trace)
    open_to_votes = [one for one in given if not any(v.vote in IN_FAVOUR for v in one.votes)]
    if last.rank != len(given) + 1 or not open_to_votes or is_close(last):
        return ""
    return "a cold vote on another memory, which may make room for it in the next round"


def place_in(trace: RecallTrace, memory_id: str) -> int | None:
    """The place at which a memory came in, with or without a slot; None: it took no part."""
    own = trace.candidate(memory_id)
    if own is None:
        return None
    ranks = [drop.rank for drop in own.drops if drop.stage == "pick"]
    return own.slot or (ranks[-1] if ranks else None)


def slots_of(trace: RecallTrace, place: int) -> str:
    """The k that has a slot for this place; it says so if a higher k may change the places."""
    came_in = f"it came in at place {place}"
    if any(vote.by == "critic" for one in trace.candidates for vote in one.votes):
        return f"--k {place} or a little more ({came_in}, but the critic may now choose others)"
    depth = trace.settings.get("ranking.depth_factor")
    same = not is_planned(trace) and isinstance(depth, int) and place * depth <= UNPLANNED
    return f"--k {place}{'' if same else ' or a little more'} ({came_in})"


def is_close(last: TraceDrop) -> bool:
    """Whether the memory came last because it is close to one ahead of it."""
    return last.reason.startswith((CLOSE_TO, "repeats "))  # "repeats ": in older traces


def noted_outdated(trace: RecallTrace, candidate: TraceCandidate) -> list[str]:
    """What else admits an outdated memory; no cue does."""
    newer, alone = title_of(trace, candidate.outdated_by), score_without(trace, candidate, NEWER)
    changes: list[str] = []
    if alone > score_to_beat(trace) and candidate.close_to in ("", candidate.outdated_by):
        changes.append(f"`--as-of` with a time before {newer} was written")
    if REPLACED_FACTOR * alone > score_to_beat(trace) and not candidate.close_to:
        changes.append(f"storing {newer} without saying that it replaces this one")
    return changes


def unlearned(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """The hint to forget what sessions taught, if that alone keeps the memory out; else ""."""
    counts = candidate.factors.get("learned", 1.0) < 1 and not is_voted_on(trace)
    if not counts or score_without(trace, candidate, "learned") <= score_to_beat(trace):
        return ""
    return f"`recall.learning.forget([{candidate.memory_id!r}])`: a session voted it down"


def cue_hint(
    trace: RecallTrace, candidate: TraceCandidate, *, takes_cue: bool, ahead_of: str
) -> str:
    """The hint that a cue would raise the memory, as an alternative to a higher k.

    "" if the question is its cue already, it is outdated or chosen, or its factors keep it below
    the last slot. (What sessions taught, and what it replaces, are no such factors: they count
    less, the higher the score.)
    """
    shrinking = {"learned", "replaces"}
    factors = [value for name, value in candidate.factors.items() if name not in shrinking]
    by_score = trace.settings.get("slots.by") == "score" and not is_voted_on(trace)
    if (
        any(vote.vote in IN_FAVOUR for vote in candidate.votes)
        or words(candidate.cue) == words(trace.question)
        or candidate.outdated_by
        or (by_score and prod(factors) <= score_to_beat(trace))
    ):
        return ""
    return with_a_cue(candidate.memory_id, trace.question, takes_cue=takes_cue, ahead_of=ahead_of)


_QUOTING = re.compile(r"[\\`‘’‚‛]")
"""What some shells read inside quotes. Somebody else may have asked the question."""


def with_a_cue(memory_id: str, question: str, *, takes_cue: bool, ahead_of: str = "") -> str:
    """The hint that the question as a cue may raise a memory, ahead of another if one is named."""
    asked = " ".join(question.split())
    is_plain = not cue_fault(asked) and not _QUOTING.search(asked)
    cue = asked if is_plain else "a request for which it matters"
    lifts = f"which may lift it{f' ahead of {ahead_of}' if ahead_of else ''}"
    if takes_cue:
        return f"add a cue, {lifts}: {command('cues', memory_id, '--add', cue)}"
    full = f"in place of one of its {MOST_CUES['specific']}"
    return f"add a cue {full}, {lifts}: {command('cues', memory_id)}"


def kind_of(trace: RecallTrace) -> str:
    """The kind of question that the recall took it for; "" in older traces."""
    return str(trace.settings.get("question.kind", ""))


def answered_after_all(trace: RecallTrace, last: TraceDrop, *, cue: str) -> str:
    """The change for a memory that was held back because nothing is near the question.

    Args:
        cue: that one may raise it; none helps a greeting.
    """
    nearer = "a question nearer to what is stored"
    if last.threshold is None:
        return nearer
    k = last.rank if last.rank is not None and last.rank > trace.k else None
    return either(nearer, lower_bar(rounded_down(last.score or 0.0), k=k), cue)


def below_threshold(trace: RecallTrace, candidate: TraceCandidate, threshold: float) -> str:
    """The `ranking.min_score` that admits it, with a k that has slots for all that it admits."""
    best = candidate.facet_scores[0].relevance if candidate.facet_scores else candidate.score
    held_back = [
        drop.score or 0.0
        for other in trace.candidates
        for drop in other.drops
        if drop.reason == NOT_NEAR
    ]
    lower = rounded_down(min([best, *held_back]))
    rivals = sum(score >= lower for score in trace.scores())
    bar = lower_bar(lower, k=rivals if rivals > trace.k else None)
    return f"{bar} (it scores {best:.3f}, {threshold:.3f} is needed)"


def lower_bar(score: float, *, k: int | None) -> str:
    """The options that admit this score; `k`: how many slots that needs, if more than before."""
    slots = f" --set limits.k={k}" if k else ""
    return f"`--set ranking.min_score={score:.2f}{slots}`"


def title_of(trace: RecallTrace, memory_id: str | None) -> str:
    """`id “title”` of a memory; the id alone if the trace does not have the memory."""
    other = trace.candidate(memory_id) if memory_id else None
    return id_and_title(other.memory_id, other.title) if other else str(memory_id)


def id_and_title(memory_id: str, title: str) -> str:
    """`id “title”`; the id alone if the title is "" or equal to the id."""
    return f"{memory_id} “{title}”" if title not in {"", memory_id} else memory_id
