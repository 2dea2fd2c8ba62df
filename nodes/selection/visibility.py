"""What a recall may not show: ended memories, later ones, preferences, what a filter excludes."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from secondhop.nodes.state import RecallState
from secondhop.stores.keeping import End, FactName
from secondhop.stores.records import Memory, PassageHit, Standing
from secondhop.stores.where import Where

if TYPE_CHECKING:
    from secondhop.nodes.services import Services

REMEMBERED = 512
"""Running recalls whose hidden memories are kept. If more run, some look theirs up again."""

NOTED = 10
"""Hidden memories per query that the trace lists."""

MOST_DEEPER = 64
"""A filter makes the first search at most this many times deeper."""

COMPARED = 1_000
"""If at most this many memories fit a filter, searches look at these alone, because they may lie
far down in any ranking. If more fit, a deeper search finds enough of them."""

OUTSIDE = "the filter of this recall leaves it out"

APART = "it is a preference, and those that apply are returned beside the memories"


FORGOTTEN = "it is being forgotten"


class MemoryKeeping(Protocol):
    """Reads which memories hold, and which facts contradict each other."""

    async def standing(
        self, *, until: datetime | None = None, where: Where | None = None
    ) -> Standing:
        """The keepings, the preferences, the names of facts, the memories written after `until`,
        and those that `where` admits."""
        ...

    async def rivals(self, memory_ids: Sequence[str]) -> Mapping[str, Sequence[Memory]]:
        """{memory id: facts with the same subject and attribute, whether they hold or not}.

        The ids are those of facts. The fact itself comes first, then the others, oldest first.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """What one recall may not show, and why. It stays the same from the first query to the last."""

    reasons: Mapping[str, str]
    """{memory id: why it does not come back}."""
    ended: Mapping[str, End]
    """{memory id: how it ended}, whether or not it may be shown."""
    preferences: Sequence[Memory]
    """The preferences that hold, oldest first; with `include_stale` also those that ended."""
    facts: Sequence[FactName] = ()
    """The names of the facts that may be shown, oldest first."""
    admitted: frozenset[str] | None = None
    """With a filter: ids of all memories that may be shown. None: no filter."""
    compared: Sequence[str] | None = None
    """Ids of all memories that fit the filter, to look at these alone; some may not be shown. None
    if there is no filter, or more than `COMPARED` fit."""

    def hides(self, memory_id: str) -> bool:
        """Whether a memory may not be shown. With a filter, that includes memories stored since the
        filter was looked up."""
        outside = self.admitted is not None and memory_id not in self.admitted
        return outside or memory_id in self.reasons

    def heir(self, memory_id: str) -> str:
        """The memory that superseded this one, at once or in turn, and may be shown; "" if none."""
        passed: set[str] = set()
        while memory_id in self.reasons and memory_id not in passed:
            passed.add(memory_id)
            end = self.ended.get(memory_id)
            memory_id = end.by if end is not None else ""
        return "" if not memory_id or self.hides(memory_id) else memory_id

    def depth(self, k: int) -> int:
        """How many hits to fetch first to be left with `k`; more if a filter excludes many."""
        if self.admitted is None:
            return k
        return k * min(MOST_DEEPER, 1 + len(self.reasons) // max(1, len(self.admitted)))


NOTHING_HIDDEN = Hidden(reasons={}, ended={}, preferences=())


class VisibilityFilter(NamedTuple):
    """What a recall may see, in the words of its state."""

    asked_at: str
    as_of: str
    include_stale: bool
    where: Mapping[str, Any]


@dataclass(slots=True, eq=False)
class HiddenMemory:
    """The hidden memories of all running recalls."""

    _kept: OrderedDict[str, list[tuple[VisibilityFilter, Hidden]]] = field(
        default_factory=OrderedDict[str, list[tuple[VisibilityFilter, Hidden]]]
    )
    """{trace id: [(filter, hidden)]}. A host may give two recalls the same trace id, so each looks
    for its own filter."""

    async def of(self, state: RecallState, services: "Services") -> Hidden:
        """What a recall may not show, looked up once.

        It has no time limit but the recall's deadline, because without it nothing may be shown.
        """
        if services.keeping is None:
            return NOTHING_HIDDEN
        visibility = VisibilityFilter(
            state["asked_at"],
            state.get("as_of", ""),
            state.get("include_stale", False),
            state.get("where", {}),
        )
        for seen, known in self._kept.get(state["trace_id"], ()):
            if seen == visibility:
                return known
        known = await hidden_by(visibility, services.keeping)
        self._kept.setdefault(state["trace_id"], []).append((visibility, known))
        while len(self._kept) > REMEMBERED:
            self._kept.popitem(last=False)
        return known

    def forget(self, trace_id: str) -> None:
        """Drop what was kept for a recall that has its answer."""
        self._kept.pop(trace_id, None)


async def hidden_by(visibility: VisibilityFilter, keeping: MemoryKeeping) -> Hidden:
    """What a recall with this filter may not show."""
    now = datetime.fromisoformat(visibility.asked_at)
    as_of = datetime.fromisoformat(visibility.as_of) if visibility.as_of else None
    stored = await keeping.standing(
        until=as_of, where=Where.of(visibility.where) if visibility.where else None
    )
    ended = {
        memory_id: end
        for memory_id, kept in stored.keepings.items()
        if (end := kept.end(now=now, as_of=as_of)) is not None
    }
    reasons = {} if visibility.include_stale else {i: end.describe() for i, end in ended.items()}
    if as_of is not None:
        reasons |= dict.fromkeys(stored.later, f"written after {as_of:%Y-%m-%d %H:%M}")
    reasons |= {one.memory_id: APART for one in stored.preferences}
    reasons |= dict.fromkeys(stored.forgotten, FORGOTTEN)
    shown = [
        one
        for one in stored.preferences
        if (visibility.include_stale or one.memory_id not in ended)
        and (as_of is None or one.created_at <= as_of)
    ]
    fits = stored.admitted
    fitting = sorted(one for one, admitted in (fits or {}).items() if admitted)
    if fits is not None:
        reasons |= dict.fromkeys((one for one, admitted in fits.items() if not admitted), OUTSIDE)
        shown = [one for one in shown if fits.get(one.memory_id)]
    return Hidden(
        reasons=reasons,
        ended=ended,
        preferences=shown,
        facts=[one for one in stored.facts if one.memory_id not in reasons],
        admitted=None if fits is None else frozenset(fits.keys() - reasons.keys()),
        compared=fitting if fits is not None and len(fitting) <= COMPARED else None,
    )


class Visible(NamedTuple):
    """What a search found for one query."""

    hits: list[PassageHit]
    """The hits that may be shown, best first."""
    hidden: dict[str, str]
    """{memory id: why it may not be shown}, for hidden memories ranked above the last hit."""


PassagesOf = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[str]]]]
"""Memory ids → {memory id: ids of its passages in order}."""


async def visible(
    search: Callable[[int], Awaitable[list[list[PassageHit]]]],
    all_among: Callable[[Sequence[str]], Awaitable[list[list[PassageHit]]]],
    *,
    k: int,
    least: int,
    hidden: Hidden,
    passages_of: PassagesOf,
) -> list[Visible]:
    """For each query, its `first_hits` that may be shown.

    Searches four times as deep until each query has `k` hits, or there are no more; and once if
    they belong to fewer than `least` memories. If few memories fit the filter, all hits among
    these are taken instead.
    """
    seen_of = partial(visible_among, k=k, least=least, hidden=hidden, passages_of=passages_of)
    if hidden.compared is not None:
        return await seen_of(await all_among(hidden.compared))
    first = depth = hidden.depth(k)
    while True:
        rankings = await search(depth)
        found = await seen_of(rankings)
        wanted = least if depth == first else 0
        both = zip(rankings, found, strict=True)
        if all(len(hits) < depth or is_enough(seen.hits, k, wanted) for hits, seen in both):
            return found
        depth *= 4


def is_enough(hits: Sequence[PassageHit], k: int, least: int) -> bool:
    """Whether there are `k` hits, of at least `least` memories."""
    return len(hits) >= k and len({hit.memory_id for hit in hits}) >= least


def first_hits(hits: Sequence[PassageHit], k: int, least: int) -> list[PassageHit]:
    """The first `k` hits. If they belong to fewer than `least` memories, because one long memory is
    all about the subject, the best hits of others follow."""
    first = list(hits[:k])
    there = {hit.memory_id for hit in first}
    for hit in hits[k:]:
        if len(there) >= least:
            break
        if hit.memory_id not in there:
            there.add(hit.memory_id)
            first.append(hit)
    return first


async def visible_among(
    rankings: Sequence[Sequence[PassageHit]],
    *,
    k: int,
    least: int,
    hidden: Hidden,
    passages_of: PassagesOf,
) -> list[Visible]:
    """For each ranking, its `first_hits` that may be shown."""
    if not hidden.reasons and hidden.admitted is None:
        return [Visible(first_hits(hits, k, least), {}) for hits in rankings]
    heirs = {
        heir
        for hits in rankings
        for found in [{hit.memory_id for hit in hits}]
        for one in found & hidden.reasons.keys()
        if (heir := hidden.heir(one)) and heir not in found
    }
    owned: Mapping[str, Sequence[str]] = {}
    if heirs:
        owned = await passages_of(sorted(heirs))
    shown = [first_hits(shown_of(hits, hidden, owned), k, least) for hits in rankings]
    return [
        Visible(seen, passed_over(hits, seen, hidden))
        for hits, seen in zip(rankings, shown, strict=True)
    ]


def shown_of(
    hits: Sequence[PassageHit], hidden: Hidden, owned: Mapping[str, Sequence[str]]
) -> list[PassageHit]:
    """The hits that may be shown, best first. A memory that supersedes others ranks where the
    best of them would: it answers what they answered, often in words far from the question.
    `owned` has the passages of those that the search did not find."""
    best: dict[str, float] = {}
    for hit in hits:
        if hit.memory_id in hidden.reasons and (heir := hidden.heir(hit.memory_id)):
            best[heir] = max(best.get(heir, hit.score), hit.score)
    shown = [hit for hit in hits if not hidden.hides(hit.memory_id)]
    if not best:
        return shown
    raised = [
        hit._replace(score=max(hit.score, best.pop(hit.memory_id, hit.score))) for hit in shown
    ]
    raised += [  # by their own words, they are farther down than the search went
        PassageHit(owned[heir][0], heir, score) for heir, score in best.items() if owned.get(heir)
    ]
    return sorted(raised, key=lambda hit: (-hit.score, hit.passage_id))


def passed_over(
    hits: Sequence[PassageHit], seen: Sequence[PassageHit], hidden: Hidden
) -> dict[str, str]:
    """{memory id: why it is hidden} for hits above the last one shown; at most `NOTED`."""
    noted: dict[str, str] = {}
    for hit in hits:
        if len(noted) >= NOTED or (seen and hit.passage_id == seen[-1].passage_id):
            break
        if hit.memory_id in hidden.reasons:
            noted[hit.memory_id] = hidden.reasons[hit.memory_id]
    return noted
