"""The catalog as it would be after the statements of a dry run."""

from collections.abc import Sequence

from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.rows import slot_of
from secondhop.stores.keeping import Keeping, KeepingChange
from secondhop.stores.records import Memory


class Draft:
    """Memories that would have been written, and how others would stand."""

    def __init__(self) -> None:
        self.memories: dict[str, Memory] = {}
        self.keepings: dict[str, Keeping] = {}

    def add(self, memory: Memory, changes: Sequence[KeepingChange]) -> None:
        """One memory more."""
        self.memories[memory.memory_id] = memory
        self.keepings |= {change.memory_id: change.keeping for change in changes}


class DraftView(KeepingView):
    """The catalog as it stands, under what a draft adds to it."""

    def __init__(self, stored: KeepingView, draft: Draft) -> None:
        super().__init__(stored.connection)
        self._stored, self._draft = stored, draft

    def memory(self, memory_id: str) -> Memory | None:
        """Stored, or drafted."""
        return self._draft.memories.get(memory_id) or self._stored.memory(memory_id)

    def keeping(self, memory_id: str) -> Keeping:
        """As drafted, else as stored."""
        drafted = self._draft.keepings.get(memory_id)
        return self._stored.keeping(memory_id) if drafted is None else drafted

    def rivals(self, memory: Memory) -> list[Memory]:
        """Of the same slot, the oldest first."""
        drafted = [
            other
            for other in self._draft.memories.values()
            if other.kind == memory.kind != "continuity"
            and slot_of(other) == slot_of(memory)
            and other.memory_id != memory.memory_id
        ]
        found = {one.memory_id: one for one in [*self._stored.rivals(memory), *drafted]}
        return sorted(found.values(), key=lambda one: (one.created_at, one.memory_id))
