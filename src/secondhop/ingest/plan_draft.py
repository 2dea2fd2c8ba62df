"""What a dry run of an ingest has seen until now."""

from collections.abc import Mapping

from secondhop.ingest.batches import Batch
from secondhop.ingest.ledger import IngestPlan


class PlanDraft:
    """Notes what would be put and deleted."""

    def __init__(self) -> None:
        self._put: dict[str, str] = {}
        """{memory id: content hash}; of two copies the one that would be put last."""
        self._other_cues: set[str] = set()
        self.deleted: list[str] = []

    def note(self, batch: Batch) -> None:
        """A batch that would be embedded and put."""
        self._put |= {one: memory.content_hash for one, (memory, _) in batch.memories.items()}
        self._other_cues |= batch.only_cues.keys()

    def plan(self, before: Mapping[str, str]) -> IngestPlan:
        """What it comes to; `before`: {memory id: content hash} of what is stored."""
        put = sorted(self._put.items())
        return IngestPlan(
            added=tuple(one for one, _ in put if one not in before),
            replaced=tuple(one for one, said in put if before.get(one, said) != said),
            moved=tuple(one for one, said in put if before.get(one) == said),
            other_cues=tuple(sorted(self._other_cues - self._put.keys())),
            deleted=tuple(sorted(self.deleted)),
        )
