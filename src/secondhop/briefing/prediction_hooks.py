"""What was learned about what comes next: the port through which a briefing looks ahead."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """When one memory is shown, another tends to be needed."""

    trigger: str
    """Id of the memory that is shown."""
    target: str
    """Id of the one that is needed then."""
    weight: float
    """How sure that is, 0..1."""


class PredictionHooks(Protocol):
    """Hooks that were learned from sessions; reading them writes nothing."""

    async def after(self, memory_ids: Sequence[str]) -> Sequence[Hook]:
        """Those that any of these memories triggers, in any order; [] when none was learned."""
        ...


class NoHooks:
    """Nothing was learned."""

    async def after(self, memory_ids: Sequence[str]) -> Sequence[Hook]:
        """None."""
        return []
