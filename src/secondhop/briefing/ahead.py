"""The second hop of a briefing, before anybody asks: what sessions have taught."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

from secondhop.briefing.briefing import BriefingEntry
from secondhop.briefing.entries import EntryMaker, Sayings, cost_of, shared_out
from secondhop.briefing.order import Ranked
from secondhop.briefing.sources import BriefingAsked, BriefingSources, said_by
from secondhop.learning.records import LearnedCue
from secondhop.stores.catalog.briefing import BriefingView

FORESEEN_AT_MOST: Final = 8
"""Memories that cues lead to and that are looked up."""

PRIOR: Final = 1.0
"""Sessions that are set against those in which a cue has helped."""


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

    Only cues of what is shown for sure count: with the whole share taken away.

    Args:
        lists: the categories that share the budget, each best first.
        left: of the budget, without core.
    """
    room = int(asked.settings.foreseen * left)
    if not room or sources.cues_after is None:
        return []
    surely = shared_out(lists, asked.settings, left - room)
    shown = [entry.id for entry in (*core, *(e for own in surely.values() for e in own))]
    by_target: dict[str, LearnedCue] = {}
    for cue in sorted(await sources.cues_after(shown), key=surest_first):
        if cue.leads_to not in shown:
            by_target.setdefault(cue.leads_to, cue)
    if not by_target:
        return []
    ranked, sayings = await sources.look(partial(led_to, by_target), asked)
    found: list[BriefingEntry] = []
    for entry in map(replace(maker, sayings=sayings).entry, ranked):
        if cost_of(entry) <= room:
            found.append(entry)
            room -= cost_of(entry)
    return found


def surest_first(cue: LearnedCue) -> tuple[float, str, str]:
    """By how sure it is; of equals by ids."""
    return -sureness(cue), cue.leads_to, cue.spark


def sureness(cue: LearnedCue) -> float:
    """wins / (wins + misses + 1), 0..1."""
    return round(cue.wins / (cue.wins + cue.misses + PRIOR), 4)


def led_to(by_target: Mapping[str, LearnedCue], view: BriefingView) -> tuple[list[Ranked], Sayings]:
    """The memories that hold, the surest first, and what they say."""
    memories = view.named(islice(by_target, FORESEEN_AT_MOST))
    ranked = [
        Ranked(
            memory=memory,
            category="foreseen",
            score=sureness(cue),
            why=f"was needed before when {cue.spark} came up",
            led_by=cue.spark,
        )
        for memory in memories
        for cue in (by_target[memory.memory_id],)
    ]
    return ranked, said_by(memories, view, texts={})
