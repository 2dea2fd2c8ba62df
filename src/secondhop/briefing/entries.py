"""Turns ranked memories into the entries of a briefing; pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from secondhop.briefing.briefing import BriefingEntry
from secondhop.briefing.order import Ranked, Texts
from secondhop.graph.result import ConflictingMemory
from secondhop.models.tokens import TokenCounter
from secondhop.nodes.config import BriefingSettings
from secondhop.ranking.budget_shares import filled
from secondhop.stores.catalog.rows import folded
from secondhop.stores.records import BriefableMemory

CHARACTERS = 400
"""Of a note's beginning or a conversation's end, where the whole is longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sayings:
    """What memories say, of those that may be shown."""

    texts: Texts
    """Of those that are never cut all that they say."""
    rivals: Mapping[str, Sequence[BriefableMemory]]
    """{slot: facts or preferences of it that hold}, where there are several."""

    def of(self, memory: BriefableMemory) -> str:
        """Its text."""
        return self.texts.get(memory.memory_id, "")

    def value_of(self, memory: BriefableMemory) -> str:
        """A fact's value, or what a preference says."""
        return memory.value or self.of(memory)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryMaker:
    """Makes entries, and says what each of them costs."""

    sayings: Sayings
    used: Callable[[BriefableMemory], str]
    """As `Weighing.used`."""
    count_tokens: TokenCounter | None
    """None: the limit is one of entries, and each costs 1."""
    _made: dict[str, BriefingEntry] = field(default_factory=dict[str, BriefingEntry])

    def entry(self, ranked: Ranked) -> BriefingEntry:
        """As it is shown."""
        memory = ranked.memory
        known = self._made.get(memory.memory_id)
        if known is not None and known.category == ranked.category:
            return known
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
            why=ranked.why + self.used(ranked.memory),
            scope=ranked.memory.scope,
            conflicts_with=conflicts_of(ranked.memory, self.sayings),
        )
        if self.count_tokens is not None:
            entry = entry.model_copy(update={"tokens": self.count_tokens(f"{entry.line}\n")})
        self._made[memory.memory_id] = entry
        return entry

    def all_of(self, ranked: Iterable[Ranked]) -> Iterator[BriefingEntry]:
        """In this order; without those that somebody has forgotten since they were ranked."""
        return (self.entry(one) for one in ranked if self.sayings.of(one.memory))

    def within(self, ranked: Iterable[Ranked], budget: int) -> list[BriefingEntry]:
        """The first entries, until they cost more than the budget; more could never be shown."""
        made: list[BriefingEntry] = []
        spent = 0
        for entry in self.all_of(ranked) if budget else ():
            made.append(entry)
            spent += cost_of(entry)
            if spent > budget:
                break
        return made

    def _shown(self, ranked: Ranked) -> tuple[str, bool]:
        """(text, whether there is more)."""
        memory, said = ranked.memory, self.sayings.of(ranked.memory)
        if never_cut(memory):
            return said, False
        cut = ending if memory.source == "conversation" else beginning
        text = cut(said, CHARACTERS)
        return text, text != said or memory.passage_count > 1


def cost_of(entry: BriefingEntry) -> int:
    """In the unit of the limit."""
    return 1 if entry.tokens is None else entry.tokens


def never_cut(memory: BriefableMemory) -> bool:
    """Facts, preferences and core: half of one might say the opposite."""
    return memory.kind != "continuity" or memory.mark == "core"


def conflicts_of(memory: BriefableMemory, sayings: Sayings) -> list[ConflictingMemory]:
    """What holds in the same slot and says otherwise, the newest first."""
    own = folded(sayings.value_of(memory))
    others = [
        one for one in sayings.rivals.get(memory.slot, ()) if folded(sayings.value_of(one)) != own
    ]
    others.sort(key=lambda one: (one.created_at, one.memory_id), reverse=True)
    return [
        ConflictingMemory(id=one.memory_id, value=sayings.value_of(one), created_at=one.created_at)
        for one in others
    ]


def beginning(text: str, characters: int) -> str:
    """At most so many characters, cut after a word.

    >>> beginning("one two three", 9)
    'one two…'
    """
    if len(text) <= characters:
        return text
    head = text[: max(characters - 1, 1)]
    return f"{head.rpartition(' ')[0].rstrip() or head}…"


def ending(text: str, characters: int) -> str:
    """At most so many characters, cut before a word.

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
    """What is shown of each list; the budget that one does not need goes to the others."""
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
