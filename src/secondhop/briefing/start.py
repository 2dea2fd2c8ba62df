"""Makes briefings for the library, the CLI and MCP; writes nothing.

    catalog, by indexes ─► categories ─► score ─► order, no two of the same thing ─► budgets ─► text
    counters ───────────────────────────► ▲

No model is asked and nothing is embedded. Source: the reference audit of session starts, whose
first bug is that two interfaces did this in two ways.
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
"""Newest memories among which the recent ones are chosen."""

LEAST_TOKENS: Final = 10
"""No entry's line has fewer: a date alone takes as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InOrder:
    """Every category, best first."""

    core: Sequence[Ranked]
    active: Sequence[Ranked]
    preferences: Sequence[Ranked]
    recent: Iterable[Ranked]
    """Compared with one another as they are taken."""

    def memories(self) -> list[BriefableMemory]:
        """Of all but the recent ones."""
        return [one.memory for one in (*self.core, *self.active, *self.preferences)]


async def brief(sources: BriefingSources, asked: BriefingAsked) -> Briefing:
    """What a chat starts with; an entity without memories gets an empty one.

    Raises:
        UsageError: a limit below 1, or both limits.
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
        "active": maker.within(ranked.active, left),
        "preferences": maker.within(ranked.preferences, left),
        "recent": maker.within(ranked.recent, left),
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
    """With the counters of everything that is scored."""
    scored = [*found.active, *found.preferences, *found.recent]
    counted = await sources.counters.of([one.memory_id for one in scored])
    return Weighing(now=asked.now, counted=counted)


def most_entries(budget: int, asked: BriefingAsked) -> int:
    """More entries than this cannot be shown."""
    return budget if asked.tokens is None else budget // LEAST_TOKENS + 1


def ordered(found: Found, *, weighing: Weighing, at_most: int) -> InOrder:
    """Every category with its best ones first, as many as can be shown."""
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
    """Tokens of the opening and of every heading; 0 where entries are counted."""
    if maker.count_tokens is None:
        return 0
    lines = [OPENING, *map(heading_line, HEADINGS.values())]
    return sum(maker.count_tokens(f"{line}\n") for line in lines)
