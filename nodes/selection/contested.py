"""Marks facts that contradict each other and that nobody has decided between."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.services import Services
from secondhop.stores.catalog.rows import folded
from secondhop.stores.records import Memory


async def contested(
    memories: Sequence[dict[str, Any]], hidden: Hidden, as_of: str, *, services: Services
) -> list[dict[str, Any]]:
    """The memories of an answer; a valid fact gets `conflicts_with` if other valid facts contradict
    it."""
    facts = [
        memory["id"]
        for memory in memories
        if memory["kind"] == "factual" and memory["id"] not in hidden.ended
    ]
    if not facts or services.keeping is None:
        return list(memories)
    rivals = await services.keeping.rivals(facts)
    return [
        memory | {"conflicts_with": told}
        if (told := contradictions(memory["id"], rivals, hidden, as_of))
        else memory
        for memory in memories
    ]


def contradictions(
    memory_id: str, rivals: Mapping[str, Sequence[Memory]], hidden: Hidden, as_of: str
) -> list[dict[str, Any]]:
    """The facts that contradict a fact and hold for this recall, as `ConflictingMemory`, oldest
    first."""
    if memory_id not in rivals:
        return []
    until = datetime.fromisoformat(as_of) if as_of else None
    fact, *others = rivals[memory_id]
    return [
        {
            "id": other.memory_id,
            "value": other.value,
            "created_at": other.created_at.isoformat(),
        }
        for other in others
        if other.memory_id not in hidden.ended
        and (until is None or other.created_at <= until)
        and folded(other.value) != folded(fact.value)
    ]
