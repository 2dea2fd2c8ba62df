"""Finds the smallest change that would admit a memory that a recall did not return."""

import re
from collections.abc import Iterable, Mapping
from math import prod

from secondhop.graph.deciding import (
    comes_last,
    is_planned,
    is_voted_on,
    question_score,
    score_text,
    score_to_beat,
    score_without,
    slots_given,
)
from secondhop.graph.trace import RecallTrace, TraceCandidate, TraceDrop, TraceVote
from secondhop.nodes.pick import CLOSE_TO, NOT_NEAR, OUTDATED, REFUSED
from secondhop.nodes.reasons import rounded_down
from secondhop.nodes.retrieve import UNPLANNED
from secondhop.nodes.selection.relevance import (
    LEAST_RELEVANCE,
    LEAST_SUM,
    NEWER,
    REPLACED_FACTOR,
    UNNAMED,
)
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
    """One change of a setting, a vote, the question or the memory; "" if none is known.

    Args:
        last: the drop that decided; None if the memory has no drop.
        takes_cue: whether another cue can be added to the memory.
        unvoted: the first round of the same session, before any votes; None: not known.
    """
    hint = cue_hint(trace, candidate, takes_cue=takes_cue)
    unread = hint if "answer.min_score" in trace.settings else ""
    is_voted_session = bool(cast_by_others(trace.candidates))
    if last is None:
        return NEARER_QUESTION if is_voted_session else never_weighed(trace, candidate, hint)
    if last.stage == "tokens":
        return f"--tokens {last.budget}" if last.budget else NEARER_QUESTION
    if last.stage == "critique":
        return other_vote(trace, candidate, hint=unread)
    if last.reason == REFUSED or was_refused(trace):
        return without_critic(trace, candidate, hint=unread)
    if last.reason == NOT_NEAR:
        cue = ""
        if not candidate.outdated_by:
            cue = with_a_cue(candidate.memory_id, trace.question, takes_cue=takes_cue)
        return answered_after_all(trace, last, hint=cue)
    if last.threshold is not None:
        return below_threshold(trace, candidate, last.threshold)
    if is_voted_session and is_close(last):
        return cue_ahead(trace, last, hint) + without_votes(trace, candidate, unvoted, hint="")
    if is_voted_session:
        return next_round(trace, last) + without_votes(trace, candidate, unvoted, hint=hint)
    if last.stage == "pick" and last.rank is not None:
        if is_better_unread(trace, candidate, last.rank):
            others = without_critic(trace, candidate, hint=hint)
            return f"{slots_of(trace, last.rank)}; or {others}"
        return more_slots(trace, candidate, last, last.rank, hint=hint)
    return never_weighed(trace, candidate, hint)


CUE_LIFTS = "; a cue may lift it for such questions"

NEARER_QUESTION = "a question nearer to it: what it says is too far from this one"


def never_weighed(trace: RecallTrace, candidate: TraceCandidate, hint: str) -> str:
    """The change for a memory that selection never saw."""
    if trace.stop_reason == "deadline":
        return "more time: a longer --deadline"
    disbelieved = bool(candidate.votes) and not is_founded(candidate)
    if disbelieved or candidate.score <= 0 or len(trace.scores()) <= trace.k:
        return NEARER_QUESTION
    found = len(trace.scores())
    return f"--k {found}, as many as were found (fewer may do){hint}"


def other_vote(trace: RecallTrace, candidate: TraceCandidate, *, hint: str) -> str:
    """The change for a memory that was voted out, now or in an earlier session."""
    forgetting = f"`recall.learning.forget([{candidate.memory_id!r}])`"
    for vote in cast_by_others([candidate])[-1:]:
        if vote.round == 1:
            return f"ask again without this vote; if what was learned keeps it out, {forgetting}"
        return (
            f"ask again in a new session with the same votes before, where the {vote.by} votes it "
            f"hot in round {vote.round} (what a {vote.by} votes hot stays)"
        )
    learned = [vote for vote in candidate.votes if vote.round == 0]
    if learned:
        place = place_by_score(trace, candidate, without="learned")
        then = f"; it then comes in at place {place}: ask for as many" if place > trace.k else ""
        return f"{forgetting}: {learned[0].reason}{then}"
    return without_critic(trace, candidate, hint=hint)


def cast_by_others(candidates: Iterable[TraceCandidate]) -> list[TraceVote]:
    """The votes of people and agents in this session, by round for each memory."""
    return [
        vote
        for candidate in candidates
        for vote in candidate.votes
        if vote.round and vote.by != "critic"
    ]


def without_critic(trace: RecallTrace, candidate: TraceCandidate, *, hint: str) -> str:
    """What admits a memory that the critic did not want: to ask none, or to persuade it; or a
    nearer question if no search found the memory similar to this one."""
    if not is_founded(candidate):
        return NEARER_QUESTION
    persuaded = "a question, or a `critique` prompt, for which the critic votes it hot"
    if is_planned(trace) or trace.tokens is not None:
        return persuaded
    place = place_by_score(trace, candidate, without=UNNAMED)
    unvoted = f"no critic votes there, and by score it comes in at place {place}"
    lower, admitting = "", trace.settings.get("answer.min_score")
    if isinstance(admitting, float):
        lower = f" --set ranking.min_score={rounded_down(admitting):.2f}"
        unvoted = f"without the critic's votes, nothing stored is near enough; {unvoted}"
    return (
        f"--effort none{lower} --k {max(trace.k, place)} or a little more ({unvoted}){hint}; or "
        f"{persuaded}"
    )


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
    """Whether some search found it similar to the question; see `relevance.well_founded`."""
    if candidate.parts and sum(candidate.parts.values()) > LEAST_SUM:
        return True
    best = max((score.relevance for score in candidate.facet_scores), default=0.0)
    return best >= LEAST_RELEVANCE


def was_refused(trace: RecallTrace) -> bool:
    """Whether the critic voted against what it read, and nothing came back."""
    votes = [vote for candidate in trace.candidates for vote in candidate.votes]
    against = any(vote.by == "critic" and vote.vote in SUPPRESSED for vote in votes)
    return against and not trace.returned


def more_slots(
    trace: RecallTrace, candidate: TraceCandidate, last: TraceDrop, place: int, *, hint: str
) -> str:
    """The change for a memory that came after the last slot."""
    if is_close(last):
        return cue_ahead(trace, last, hint) + slots_of(trace, place)
    if last.reason.startswith(OUTDATED):
        return slots_of(trace, place) + noted_outdated(trace, candidate)
    return slots_of(trace, place) + hint + unlearned(trace, candidate)


def cue_ahead(trace: RecallTrace, last: TraceDrop, hint: str) -> str:
    """The hint of a cue for a memory that is close to one ahead, as the first of two changes; "" if
    there is no such hint. Ahead of the other, it takes its place."""
    if not hint:
        return ""
    lifted = f"a cue may lift it ahead of {title_of(trace, last.against)} for such questions"
    return f"{lifted}{hint.removeprefix(CUE_LIFTS)}; or "


def without_votes(
    trace: RecallTrace, candidate: TraceCandidate, unvoted: RecallTrace | None, *, hint: str
) -> str:
    """The change for a memory that a session with votes has no slot for. Only what its answer shows
    can be voted on, and another recall has not these votes."""
    if candidate.first_round > 1:  # votes moved the search that found it
        return NEARER_QUESTION
    place = None if unvoted is None else place_in(unvoted, candidate.memory_id)
    if place is None:
        found = len(trace.scores())
        return (
            f"--k {found} in a new recall without votes, as many as were found (fewer may do){hint}"
        )
    if place <= trace.k:
        return f"ask again in a new recall without votes (before them, it came in at place {place})"
    return (
        f"--k {place} or a little more in a new recall without votes (before them, it came in at "
        f"place {place}){hint}"
    )


def next_round(trace: RecallTrace, last: TraceDrop) -> str:
    """What may admit the memory that is next in line in a session; "" if it is not that one, or if
    everything in the answer was voted for."""
    given = slots_given(trace)
    open_to_votes = [one for one in given if not any(v.vote in IN_FAVOUR for v in one.votes)]
    if last.rank != len(given) + 1 or not open_to_votes or is_close(last):
        return ""
    return "a cold vote on a memory of this answer may make room for it in the next round; or "


def place_in(trace: RecallTrace, memory_id: str) -> int | None:
    """The place at which a memory came in, with or without a slot; None: it took no part."""
    own = trace.candidate(memory_id)
    if own is None:
        return None
    ranks = [drop.rank for drop in own.drops if drop.stage == "pick"]
    return own.slot or (ranks[-1] if ranks else None)


def slots_of(trace: RecallTrace, place: int) -> str:
    """The k that has a slot for this place; it says so if a higher k may change the places."""
    came_in = f"it came in at place {place}, and {trace.k} were asked for"
    if any(vote.by == "critic" for one in trace.candidates for vote in one.votes):
        return (
            f"--k {place} or a little more ({came_in}; the critic is asked again and may choose "
            f"others)"
        )
    depth = trace.settings.get("ranking.depth_factor")
    if not is_planned(trace) and isinstance(depth, int) and place * depth <= UNPLANNED:
        return f"--k {place} ({came_in})"
    return (
        f"--k {place} or a little more ({came_in}; a higher k also looks deeper, so places may "
        f"move)"
    )


def is_close(last: TraceDrop) -> bool:
    """Whether the memory came last because it is close to one ahead of it."""
    return last.reason.startswith((CLOSE_TO, "repeats "))  # "repeats ": in older traces


def noted_outdated(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """What else admits an outdated memory, and why no cue does."""
    newer, alone = title_of(trace, candidate.outdated_by), score_without(trace, candidate, NEWER)
    earlier = without_note = ""
    if alone > score_to_beat(trace) and candidate.close_to in ("", candidate.outdated_by):
        earlier = f"; or `--as-of` with a time before {newer} was written"
    if REPLACED_FACTOR * alone > score_to_beat(trace) and not candidate.close_to:
        without_note = f"; or storing {newer} without saying that it replaces this one"
    return (
        f"{earlier}{without_note} ({newer} is recorded as its replacement, and replaced memories "
        f"come last, whatever their cues)"
    )


def unlearned(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """The hint to forget what sessions taught, if that alone keeps the memory out; else ""."""
    counts = candidate.factors.get("learned", 1.0) < 1 and not is_voted_on(trace)
    if not counts or score_without(trace, candidate, "learned") <= score_to_beat(trace):
        return ""
    return f"; or `recall.learning.forget([{candidate.memory_id!r}])`: a session voted it down"


def cue_hint(trace: RecallTrace, candidate: TraceCandidate, *, takes_cue: bool) -> str:
    """The hint that a cue would raise the memory, as an alternative to a higher k.

    "" if the question is its cue already, it is outdated or chosen, or its factors keep it below
    the last slot.
    """
    most = prod(candidate.factors.values())
    by_score = trace.settings.get("slots.by") == "score" and not is_voted_on(trace)
    chosen = any(vote.vote in IN_FAVOUR for vote in candidate.votes)
    if (
        chosen
        or words(candidate.cue) == words(trace.question)
        or candidate.outdated_by
        or (by_score and most <= score_to_beat(trace))
    ):
        return ""
    to_beat = score_text(trace, score_to_beat(trace))
    needed = f" (it must score more than {to_beat} with it)" if by_score else ""
    return f"{with_a_cue(candidate.memory_id, trace.question, takes_cue=takes_cue)}{needed}"


_QUOTING = re.compile(r"[\\`‘’‚‛]")
"""What some shells read inside quotes. Somebody else may have asked the question."""


def with_a_cue(memory_id: str, question: str, *, takes_cue: bool) -> str:
    """The hint that the question as a cue may raise a memory, as one of several changes."""
    asked = " ".join(question.split())
    is_plain = not cue_fault(asked) and not _QUOTING.search(asked)
    cue = asked if is_plain else "a request for which it matters"
    typed = command("cues", memory_id, "--add", cue)
    if not takes_cue:
        typed = f"remove one of its {MOST_CUES['specific']} first ({command('cues', memory_id)})"
    return f"{CUE_LIFTS}: {typed}"


def kind_of(trace: RecallTrace) -> str:
    """The kind of question that the recall took it for; "" in older traces."""
    return str(trace.settings.get("question.kind", ""))


def answered_after_all(trace: RecallTrace, last: TraceDrop, *, hint: str) -> str:
    """The change for a memory that was held back because nothing is near the question.

    Args:
        hint: that a cue may raise it; none helps a greeting.
    """
    nearer = "a question nearer to what is stored"
    if last.threshold is None:
        return nearer
    changes = {"ranking.min_score": f"{rounded_down(last.score or 0.0):.2f}"}
    if last.rank is not None and last.rank > trace.k:
        changes["limits.k"] = str(last.rank)
    return f"{nearer}, or {named(changes)}; ask again with {set_options(changes)}{hint}"


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
    changes = {"ranking.min_score": f"{lower:.2f}"}
    if rivals > trace.k:
        changes["limits.k"] = str(rivals)
    return (
        f"{named(changes)} (it scores {best:.3f}, {threshold:.3f} is needed); "
        f"ask again with {set_options(changes)}"
    )


def named(changes: Mapping[str, str]) -> str:
    """The changes in words, like "limits.k = 7 or more"."""
    told = " and ".join(f"{name} = {value}" for name, value in changes.items())
    return f"{told} or more" if "limits.k" in changes else told


def set_options(changes: Mapping[str, str]) -> str:
    """What applies these settings, like "`--set limits.k=8` (in Python: `Config`)"."""
    options = " ".join(f"--set {name}={value}" for name, value in changes.items())
    return f"`{options}` (in Python: `Config`)"


def title_of(trace: RecallTrace, memory_id: str | None) -> str:
    """`id “title”` of a memory; the id alone if the trace does not have the memory."""
    other = trace.candidate(memory_id) if memory_id else None
    return id_and_title(other.memory_id, other.title) if other else str(memory_id)


def id_and_title(memory_id: str, title: str) -> str:
    """`id “title”`; the id alone if the title is "" or equal to the id."""
    return f"{memory_id} “{title}”" if title not in {"", memory_id} else memory_id
