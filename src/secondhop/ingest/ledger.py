"""The outcome of an ingest: how many memories were stored, what was skipped, and why."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from secondhop.errors import IngestError
from secondhop.ingest.reading import Skipped

if TYPE_CHECKING:
    from secondhop.annotate.records import AnnotateLedger

_REASONS_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestPlan:
    """Ids of the memories that an ingest would change; the result of a dry run."""

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    """Stored already, with another text or date."""
    moved: tuple[str, ...] = ()
    """Stored already with this text, from another file or folder."""
    other_cues: tuple[str, ...] = ()
    """Stored already with this text, but with other cues or tags."""
    deleted: tuple[str, ...] = ()
    """Stored from one of the inputs earlier, and no longer in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestLedger:
    """Counts of memories, and every skipped item. `read` also counts copies of one memory."""

    read: int
    stored: int
    unchanged: int
    """The same text was stored already; includes moved memories and `other_cues`."""
    deleted: int
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[Skipped, ...] = ()
    """Parts of stored memories that were left out or read differently."""
    replaced: int = 0
    """Of `stored`: memories whose id was stored with another text or date."""
    deletions_not_followed: tuple[Skipped, ...] = ()
    """Inputs from which nothing was deleted although memories may be gone, and why."""
    passages: int = 0
    """Embedded and stored."""
    other_cues: int = 0
    """Memories with unchanged text whose new cues or tags were stored."""
    plan: IngestPlan | None = None
    """Only in a dry run; the counts then say what would be done."""
    annotation: "AnnotateLedger | None" = None
    """The outcome of writing cues; None if it was not asked for or there is no model."""

    @property
    def deletions_followed(self) -> bool:
        """Whether memories that are gone from the inputs were deleted, for every input."""
        return not self.deletions_not_followed

    def to_dict(self) -> dict[str, object]:
        """As `--json` prints it."""
        told: dict[str, object] = {
            "read": self.read,
            "stored": self.stored,
            "replaced": self.replaced,
            "unchanged": self.unchanged,
            "other_cues": self.other_cues,
            "deleted": self.deleted,
            "skipped": _rows(self.skipped),
            "notices": _rows(self.notices),
            "passages": self.passages,
            "deletions_followed": self.deletions_followed,
            "deletions_not_followed": _rows(self.deletions_not_followed),
        }
        planned = {"dry_run": True, "plan": asdict(self.plan)} if self.plan else {}
        cues = {"annotation": self.annotation.to_dict()} if self.annotation else {}
        return told | planned | cues


class NothingIngestedError(IngestError):
    """None of the given memories is in the store now; `ledger` says why."""

    def __init__(self, ledger: IngestLedger) -> None:
        reasons = [f"{entry.item}: {entry.reason}" for entry in ledger.skipped[:_REASONS_SHOWN]]
        more = len(ledger.skipped) - len(reasons)
        listed = "; ".join(reasons) + (f"; and {more} more" if more else "")
        super().__init__(f"no memory could be stored: {listed or 'there was nothing to read'}")
        self.ledger = ledger


def _rows(entries: Sequence[Skipped]) -> list[dict[str, str]]:
    return [{"item": entry.item, "reason": entry.reason} for entry in entries]
