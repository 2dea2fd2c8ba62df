"""Makes briefings for the library, the CLI and MCP; writes nothing.

    catalog, by indexes ─► categories ─► score ─► order, no two of the same thing ─► budgets ─► text
    counters ───────────────────────────► ▲

No model is asked and nothing is embedded.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from secondhop.briefing.briefing import HEADINGS, OPENING, Briefing, heading_line
from secondhop.briefing.entries import EntryMaker, cost_of, shared_out
from secondhop.briefing.order import (
    Ranked,
    Weighing,
    active_order,
    core_order,
    preferences_order,
    recent_order,
)
from secondhop.briefing.sources import (
    BriefingAsked,
    BriefingSources,
    Found,
    checked_budget,
    looked_up,
    said_by,
)
from secondhop.stores.records import BriefableMemory

RECENT_CANDIDATES: Final = 100
"""The recent memories are chosen from this many newest ones."""

LEAST_TOKENS: Final = 10
"""No entry's line has fewer tokens, because its date alone takes that many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InOrder:
    """The memories of every category, in the order in which they are shown."""

    core: Sequence[Ranked]
    active: Sequence[Ranked]
    preferences: Sequence[Ranked]
    recent: Iterable[Ranked]
    """Lazy: repeats are found as it is read."""

    def memories(self) -> list[BriefableMemory]:
        """The memories of all categories except the recent ones."""
        return [one.memory for one in (*self.core, *self.active, *self.preferences)]


async def brief(sources: BriefingSources, asked: BriefingAsked) -> Briefing:
    """Make a briefing; it is empty for an entity without memories.

    Raises:
        UsageError: a limit is below 1, or both limits were given.
    """
    budget = checked_budget(asked)
    found = await sources.look(partial(looked_up, recents=RECENT_CANDIDATES), asked)
    weighing = await weighed(found, sources, asked)
    ranked = ordered(found, weighing=weighing, at_most=most_entries(budget, asked))
    candidates = [*ranked.memories(), *found.recent]
    sayings = await sources.look(partial(said_by, candidates, texts=found.texts), asked)
    maker = EntryMaker(
        sayings=sayings,
        used=weighing.used,
        count_tokens=None if asked.tokens is None else sources.count_tokens,
    )
    core = list(maker.all_of(ranked.core))
    left = max(0, budget - frame_cost(maker) - sum(map(cost_of, core)))
    lists = {
        "active": [*maker.all_of(ranked.active)],
        "preferences": [*maker.all_of(ranked.preferences)],
        "recent": [*maker.all_of(ranked.recent)],
    }
    chosen = shared_out(lists, asked.settings, left)
    entries = [*core, *(entry for own in chosen.values() for entry in own)]
    shown = {entry.id for entry in entries}
    told = Briefing(
        entity=sources.entity,
        at=asked.now,
        entries=entries,
        limit=budget if asked.tokens is None else None,
        token_limit=asked.tokens,
        tokens=None,
        left_out={
            "active": sum(one.memory_id not in shown for one in found.active),
            "preferences": sum(one.memory_id not in shown for one in found.preferences),
        },
    )
    if maker.count_tokens is None:
        return told
    return told.model_copy(update={"tokens": maker.count_tokens(told.text)})


async def weighed(found: Found, sources: BriefingSources, asked: BriefingAsked) -> Weighing:
    """The `Weighing`, with the counters of all memories to score."""
    scored = [*found.active, *found.preferences, *found.recent]
    counted = await sources.counters.of([one.memory_id for one in scored])
    return Weighing(now=asked.now, counted=counted)


def most_entries(budget: int, asked: BriefingAsked) -> int:
    """The most entries that can be shown."""
    return budget if asked.tokens is None else budget // LEAST_TOKENS + 1


def ordered(found: Found, *, weighing: Weighing, at_most: int) -> InOrder:
    """Order every category; active and preferences are cut to `at_most`."""
    active = active_order(found.active, found.recent, weighing=weighing, texts=found.texts)
    threads = {one.memory.memory_id for one in active}
    fresh = [one for one in found.recent if one.memory_id not in threads]
    return InOrder(
        core=core_order(found.core),
        active=active[:at_most],
        preferences=preferences_order(found.preferences, weighing=weighing)[:at_most],
        recent=recent_order(fresh, weighing=weighing, texts=found.texts, told=found.core),
    )


def frame_cost(maker: EntryMaker) -> int:
    """Tokens of the opening and of every heading; 0 if the limit counts entries."""
    if maker.count_tokens is None:
        return 0
    lines = [OPENING, *map(heading_line, HEADINGS.values())]
    return sum(maker.count_tokens(f"{line}\n") for line in lines)
