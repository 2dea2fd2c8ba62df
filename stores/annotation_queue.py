"""The queue of entities whose memories wait for cues, for several workers on one store."""

from typing import Protocol


class AnnotationQueue(Protocol):
    """Each entity is worked on by one worker at a time, for half an hour at most: after that the
    worker counts as dead. Methods block."""

    def note(self, entity: str) -> None:
        """Memories of the entity were written."""
        ...

    def claim(self, entity: str) -> bool:
        """Whether it waits and no other worker is at it: then this one is, until `release`."""
        ...

    def claim_left(self) -> str | None:
        """As `claim`, for one that has waited for two minutes: the worker that wrote left it."""
        ...

    def release(self, entity: str, *, done: bool) -> None:
        """End the claim.

        Args:
            done: nothing waits any more, but what was written meanwhile; False: it waits as before.
        """
        ...

    def waits(self, entity: str) -> bool:
        """Whether it waits, or is worked on."""
        ...
