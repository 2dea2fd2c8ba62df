"""What is asked to be stored: checked, and cut into batches."""

from collections.abc import Iterator, Sequence

import numpy as np

from secondhop.errors import UsageError
from secondhop.stores.records import EmbeddedMemory

_PASSAGES = 512
_NORM_TOLERANCE = 1e-3


def checked(memories: Sequence[EmbeddedMemory], *, dimension: int) -> list[EmbeddedMemory]:
    """The last version of each memory, in order of first appearance.

    Raises:
        UsageError: an id is empty or no text, passages of another memory, passage ids that occur
            twice, or vectors whose shape or length is wrong.
    """
    latest = {embedded.memory.memory_id: embedded for embedded in memories}
    seen: set[str] = set()
    for memory_id, embedded in latest.items():
        problem = _problem(embedded, dimension=dimension)
        ids = {passage.passage_id for passage in embedded.passages}
        if seen & ids:
            problem = f"a passage id that another memory has too: {min(seen & ids)!r}"
        if problem:
            raise UsageError(f"memory {memory_id!r} cannot be stored: {problem}")
        seen |= ids
    return list(latest.values())


def in_batches(memories: Sequence[EmbeddedMemory]) -> Iterator[list[EmbeddedMemory]]:
    """Whole memories, together at most 512 passages, unless one alone has more."""
    batch: list[EmbeddedMemory] = []
    size = 0
    for embedded in memories:
        if batch and size + len(embedded.passages) > _PASSAGES:
            yield batch
            batch, size = [], 0
        batch.append(embedded)
        size += len(embedded.passages)
    if batch:
        yield batch


def _problem(embedded: EmbeddedMemory, *, dimension: int) -> str:
    memory, passages, vectors = embedded.memory, embedded.passages, embedded.vectors
    ids = [passage.passage_id for passage in passages]
    if not memory.memory_id or not all(ids) or not _is_text([memory.memory_id, *ids]):
        return "an id is empty, or holds half of a character"
    if memory.created_at.tzinfo is None:
        return "created_at has no time zone"
    if any(passage.memory_id != memory.memory_id for passage in passages):
        return "it has passages of another memory"
    if len(set(ids)) != len(ids):
        return "a passage id occurs twice"
    if vectors.shape != (len(passages), dimension):
        return f"vectors of shape {vectors.shape}, where {(len(passages), dimension)} is needed"
    norms = np.linalg.norm(vectors, axis=1)
    if not (np.abs(norms - 1) < _NORM_TOLERANCE).all():
        return "a vector is not of unit length"
    return ""


def _is_text(values: Sequence[str]) -> bool:
    try:
        "".join(values).encode()
    except UnicodeEncodeError:
        return False
    return True
