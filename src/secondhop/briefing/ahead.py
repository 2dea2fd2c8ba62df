"""The second hop of a briefing, before anybody asks: what learned hooks foresee."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

from secondhop.briefing.briefing import BriefingEntry
from secondhop.briefing.entries import EntryMaker, Sayings, cost_of, shared_out
from secondhop.briefing.order import Ranked
from secondhop.briefing.prediction_hooks import Hook
from secondhop.briefing.sources import BriefingAsked, BriefingSources, said_by
from secondhop.stores.catalog.briefing import BriefingView

FORESEEN_AT_MOST: Final = 8
"""Targets of hooks that are looked up."""


async def looked_ahead(
    sources: BriefingSources,
    asked: BriefingAsked,
    maker: EntryMaker,
    *,
    core: Sequence[BriefingEntry],
    lists: Mapping[str, Sequence[BriefingEntry]],
    left: int,
) -> list[BriefingEntry]:
    """Entries that are needed after others, the surest first, within their share of the budget.

    Only what is shown for sure triggers a hook: with the whole share taken away.

    Args:
        lists: the categories that share the budget, each best first.
        left: of the budget, without core.
    """
    room = int(asked.settings.foreseen * left)
    if not room:
        return []
    surely = shared_out(lists, asked.settings, left - room)
    shown = [entry.id for entry in (*core, *(e for own in surely.values() for e in own))]
    by_target: dict[str, Hook] = {}
    for hook in sorted(await sources.hooks.after(shown), key=surest_first):
        if hook.target not in shown and hook.trigger in shown:
            by_target.setdefault(hook.target, hook)
    if not by_target:
        return []
    ranked, sayings = await sources.look(partial(hooked, by_target), asked)
    found: list[BriefingEntry] = []
    for entry in map(replace(maker, sayings=sayings).entry, ranked):
        if cost_of(entry) <= room:
            found.append(entry)
            room -= cost_of(entry)
    return found


def surest_first(hook: Hook) -> tuple[float, str, str]:
    """By weight; of equals by ids."""
    return -hook.weight, hook.target, hook.trigger


def hooked(by_target: Mapping[str, Hook], view: BriefingView) -> tuple[list[Ranked], Sayings]:
    """The targets that hold, the surest first, and what they say."""
    memories = view.named(islice(by_target, FORESEEN_AT_MOST))
    ranked: list[Ranked] = []
    for memory in memories:
        hook = by_target[memory.memory_id]
        why = f"was needed before when {hook.trigger} came up"
        ranked.append(
            Ranked(
                memory=memory,
                category="foreseen",
                score=hook.weight,
                why=why,
                led_by=hook.trigger,
            )
        )
    return ranked, said_by(memories, view, texts={})
