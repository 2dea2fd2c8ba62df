"""The catalog as a dry run would leave it."""

from collections.abc import Sequence

from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.rows import slot_of
from secondhop.stores.keeping import Keeping, KeepingChange
from secondhop.stores.records import Memory


class Draft:
    """Memories that would be written, and keepings that would change."""

    def __init__(self) -> None:
        self.memories: dict[str, Memory] = {}
        self.keepings: dict[str, Keeping] = {}

    def add(self, memory: Memory, changes: Sequence[KeepingChange]) -> None:
        """Add one memory and its changes."""
        self.memories[memory.memory_id] = memory
        self.change(changes)

    def change(self, changes: Sequence[KeepingChange]) -> None:
        """Add changes of memories that are known."""
        self.keepings |= {change.memory_id: change.keeping for change in changes}


class DraftView(KeepingView):
    """The stored catalog with the additions of a draft."""

    def __init__(self, stored: KeepingView, draft: Draft) -> None:
        super().__init__(stored.connection)
        self._stored, self._draft = stored, draft

    def memory(self, memory_id: str) -> Memory | None:
        """The drafted memory, else the stored one."""
        return self._draft.memories.get(memory_id) or self._stored.memory(memory_id)

    def keeping(self, memory_id: str) -> Keeping:
        """The drafted keeping, else the stored one."""
        drafted = self._draft.keepings.get(memory_id)
        return self._stored.keeping(memory_id) if drafted is None else drafted

    def rivals(self, memory: Memory) -> list[Memory]:
        """Other memories of the same slot, oldest first."""
        drafted = [
            other
            for other in self._draft.memories.values()
            if other.kind == memory.kind != "continuity"
            and slot_of(other) == slot_of(memory)
            and other.memory_id != memory.memory_id
        ]
        found = {one.memory_id: one for one in [*self._stored.rivals(memory), *drafted]}
        return sorted(found.values(), key=lambda one: (one.created_at, one.memory_id))
