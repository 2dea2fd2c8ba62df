"""Turns ranked memories into the entries of a briefing; pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from secondhop.briefing.briefing import BriefingEntry
from secondhop.briefing.order import Ranked, Texts
from secondhop.graph.result import ConflictingMemory
from secondhop.models.tokens import TokenCounter
from secondhop.nodes.config import BriefingSettings
from secondhop.ranking.budget_shares import filled
from secondhop.stores.catalog.rows import folded
from secondhop.stores.records import BriefableMemory
from secondhop.wording import beginning

CHARACTERS = 400
"""How much of a longer note (its beginning) or conversation (its end) is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sayings:
    """The texts of memories that may be shown, and their contradictions."""

    texts: Texts
    """{memory id: text}; the whole text for memories that are never cut."""
    rivals: Mapping[str, Sequence[BriefableMemory]]
    """{slot: its current facts or preferences}, only for slots with more than one."""

    def of(self, memory: BriefableMemory) -> str:
        """The memory's text; "" if it is unknown."""
        return self.texts.get(memory.memory_id, "")

    def value_of(self, memory: BriefableMemory) -> str:
        """The value of a fact, or the text of a preference."""
        return memory.value or self.of(memory)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryMaker:
    """Makes entries with their costs."""

    sayings: Sayings
    count_tokens: TokenCounter | None
    """None: the limit counts entries, so each costs 1."""

    def entry(self, ranked: Ranked) -> BriefingEntry:
        """The entry of a ranked memory."""
        memory = ranked.memory
        text, cut = self._shown(ranked)
        entry = BriefingEntry(
            id=memory.memory_id,
            category=ranked.category,
            kind=memory.kind,
            source=memory.source,
            title=memory.title,
            text=text,
            cut=cut,
            created_at=memory.created_at,
            score=ranked.score,
            why=ranked.why,
            scope=memory.scope,
            conflicts_with=conflicts_of(memory, self.sayings),
        )
        if self.count_tokens is None:
            return entry
        return entry.model_copy(update={"tokens": self.count_tokens(f"{entry.line}\n")})

    def all_of(self, ranked: Iterable[Ranked]) -> Iterator[BriefingEntry]:
        """The entries in this order, without memories that were forgotten since the ranking."""
        return (self.entry(one) for one in ranked if self.sayings.of(one.memory))

    def _shown(self, ranked: Ranked) -> tuple[str, bool]:
        """(shown text, whether the memory says more)."""
        memory, said = ranked.memory, self.sayings.of(ranked.memory)
        if never_cut(memory):
            return said, False
        cut = ending if memory.source == "conversation" else beginning
        text = cut(said, CHARACTERS)
        return text, text != said or memory.passage_count > 1


def cost_of(entry: BriefingEntry) -> int:
    """The cost of an entry in the unit of the limit: its tokens, or 1."""
    return 1 if entry.tokens is None else entry.tokens


def never_cut(memory: BriefableMemory) -> bool:
    """Whether it is a fact, a preference or core; half of one might say the opposite."""
    return memory.kind != "continuity" or memory.mark == "core"


def conflicts_of(memory: BriefableMemory, sayings: Sayings) -> list[ConflictingMemory]:
    """Current memories of the same slot with another value, newest first."""
    own = folded(sayings.value_of(memory))
    others = [
        one for one in sayings.rivals.get(memory.slot, ()) if folded(sayings.value_of(one)) != own
    ]
    others.sort(key=lambda one: (one.created_at, one.memory_id), reverse=True)
    return [
        ConflictingMemory(id=one.memory_id, value=sayings.value_of(one), created_at=one.created_at)
        for one in others
    ]


def ending(text: str, characters: int) -> str:
    """The end, at most `characters` long with its "…", cut before a word.

    >>> ending("one two three", 11)
    '…two three'
    """
    if len(text) <= characters:
        return text
    tail = text[-max(characters - 1, 1) :]
    return f"…{tail.partition(' ')[2].lstrip() or tail}"


def shared_out(
    lists: Mapping[str, Sequence[BriefingEntry]],
    settings: BriefingSettings,
    left: int,
) -> dict[str, list[BriefingEntry]]:
    """The entries of each list that fit; what one list does not need goes to the others."""
    places = filled(
        {name: [cost_of(entry) for entry in own] for name, own in lists.items()},
        shares={
            "active": settings.active,
            "preferences": settings.preferences,
            "recent": settings.recent,
        },
        budget=left,
    )
    return {name: [lists[name][place] for place in own] for name, own in places.items()}
