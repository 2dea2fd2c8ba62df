"""The input of a briefing: what was asked for, and the memories that were found."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from secondhop.briefing.entries import Sayings, never_cut
from secondhop.briefing.order import Texts
from secondhop.nodes.config import BriefingSettings
from secondhop.stores.catalog.briefing import BriefingView
from secondhop.stores.keeping import Kind
from secondhop.stores.records import BriefableMemory

RECENT_CANDIDATES: Final = 100
"""The recent memories are chosen from this many newest ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingAsked:
    """What the caller asked for."""

    now: datetime
    """In UTC."""
    until: datetime | None
    """Memories written later are ignored; None: all count."""
    limit: int | None
    """Most entries; if `tokens` is None, too, `settings.limit`."""
    tokens: int | None
    settings: BriefingSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefable:
    """The memories that may be shown; each category newest first."""

    core: Sequence[BriefableMemory]
    active: Sequence[BriefableMemory]
    preferences: Sequence[BriefableMemory]
    recent: Sequence[BriefableMemory]
    texts: Texts
    """Texts of the recent memories."""


def looked_up(view: BriefingView) -> Briefable:
    """Everything that is ranked, read from one state of the catalog."""
    recent = view.recent(RECENT_CANDIDATES)
    return Briefable(
        core=view.core(),
        active=view.active(),
        preferences=view.preferences(),
        recent=recent,
        texts=view.texts(one.memory_id for one in recent),
    )


def said_by(named: Sequence[BriefableMemory], view: BriefingView, *, texts: Texts) -> Sayings:
    """The texts of these memories, and what contradicts them."""
    memories = [*named]
    rivals: defaultdict[str, list[BriefableMemory]] = defaultdict(list)
    kinds: tuple[Kind, ...] = ("factual", "preferential")
    for kind in kinds:
        for one in view.of_slots(kind, (m.slot for m in memories if m.kind == kind)):
            rivals[one.slot].append(one)
    disagreeing = {slot: own for slot, own in rivals.items() if len(own) > 1}
    memories += [one for own in disagreeing.values() for one in own]
    missing = {one.memory_id for one in memories} - texts.keys()
    long = {m.memory_id for m in memories if never_cut(m) and m.passage_count > 1}
    said = {**texts, **view.texts(missing)}
    said |= {memory_id: view.whole_text(memory_id) for memory_id in long}
    return Sayings(texts=said, rivals=disagreeing)
