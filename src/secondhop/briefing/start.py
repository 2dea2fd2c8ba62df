"""Makes briefings for the library, the CLI and MCP; writes nothing.

    catalog, by indexes ─► categories ─► score ─► order, no two of the same thing ─► budgets ─► text
    counters ───────────────────────────► ▲

No model is asked and nothing is embedded.
"""

from collections.abc import Iterable, Mapping
from functools import partial

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
from secondhop.briefing.sources import Briefable, BriefingAsked, looked_up, said_by
from secondhop.errors import UsageError
from secondhop.memories.writing import MemoryWriting
from secondhop.models.tokens import count_tokens


async def brief(memories: MemoryWriting, asked: BriefingAsked) -> Briefing:
    """Make a briefing; it is empty for an entity without memories.

    Raises:
        UsageError: both limits were given.
    """
    if asked.limit is not None and asked.tokens is not None:
        raise UsageError("a briefing has a limit of entries or of tokens, not both; give one")
    budget = asked.tokens or asked.limit or asked.settings.limit
    look = partial(memories.store.brief, now=asked.now, until=asked.until)
    found = await look(looked_up)
    scored = [*found.active, *found.preferences, *found.recent]
    counted = await memories.counters.of([one.memory_id for one in scored])
    weighing = Weighing(now=asked.now, counted=counted)
    ranked = ordered(found, weighing=weighing, at_most=budget)
    candidates = [one.memory for name, own in ranked.items() if name != "recent" for one in own]
    named = [*candidates, *found.recent]
    maker = EntryMaker(
        sayings=await look(partial(said_by, named, texts=found.texts)),
        count_tokens=None if asked.tokens is None else count_tokens,
    )
    lists = {name: list(maker.all_of(own)) for name, own in ranked.items()}
    core = lists.pop("core")
    left = max(0, budget - frame_cost(maker) - sum(map(cost_of, core)))
    chosen = shared_out(lists, asked.settings, left)
    entries = [*core, *(entry for own in chosen.values() for entry in own)]
    shown = {entry.id for entry in entries}
    told = Briefing(
        entity=memories.store.identity.entity,
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


def ordered(
    found: Briefable, *, weighing: Weighing, at_most: int
) -> Mapping[str, Iterable[Ranked]]:
    """{category: its memories, in the order in which they are shown}.

    Active ones and preferences are cut to `at_most`; repeats among the recent ones are left out.
    """
    active = active_order(found.active, found.recent, weighing=weighing, texts=found.texts)
    threads = {one.memory.memory_id for one in active}
    fresh = [one for one in found.recent if one.memory_id not in threads]
    return {
        "core": core_order(found.core),
        "active": active[:at_most],
        "preferences": preferences_order(found.preferences, weighing=weighing)[:at_most],
        "recent": recent_order(fresh, weighing=weighing, texts=found.texts, told=found.core),
    }


def frame_cost(maker: EntryMaker) -> int:
    """Tokens of the opening and of every heading; 0 if the limit counts entries."""
    if maker.count_tokens is None:
        return 0
    lines = [OPENING, *map(heading_line, HEADINGS.values())]
    return sum(maker.count_tokens(f"{line}\n") for line in lines)
