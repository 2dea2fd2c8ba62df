"""The outcome of an ingest: every item read, and what happened to it."""

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
    """Ids of what an ingest would change; in a dry run, where nothing is changed."""

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    """Stored already, with another text."""
    moved: tuple[str, ...] = ()
    """Stored already, with this text, out of another file or folder."""
    other_cues: tuple[str, ...] = ()
    """Stored already, with this text and other cues."""
    deleted: tuple[str, ...] = ()
    """Gone from what was read."""

    def to_dict(self) -> dict[str, object]:
        """As the command line shows it."""
        return {name: list(ids) for name, ids in asdict(self).items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestLedger:
    """Counts of memories, and all that was skipped. `read` counts copies of one memory too."""

    read: int
    stored: int
    unchanged: int
    """The same text is stored already."""
    deleted: int
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[Skipped, ...] = ()
    """What of stored memories was left out, or read otherwise than it stands."""
    deletions_not_followed: tuple[Skipped, ...] = ()
    """Inputs that nothing was deleted from, whatever is gone, and why."""
    passages: int = 0
    """Embedded and stored."""
    other_cues: int = 0
    """Unchanged memories whose cues were others than before, and are stored now."""
    plan: IngestPlan | None = None
    """In a dry run alone; then the counts are of what would be done."""
    annotation: "AnnotateLedger | None" = None
    """What annotating has done; None where it was not asked for, or there is no model."""

    @property
    def deletions_followed(self) -> bool:
        """Whether what is gone from every input is gone from the store."""
        return not self.deletions_not_followed

    def to_dict(self) -> dict[str, object]:
        """As the command line shows it."""
        told: dict[str, object] = {
            "read": self.read,
            "stored": self.stored,
            "unchanged": self.unchanged,
            "other_cues": self.other_cues,
            "deleted": self.deleted,
            "skipped": _rows(self.skipped),
            "notices": _rows(self.notices),
            "passages": self.passages,
            "deletions_followed": self.deletions_followed,
            "deletions_not_followed": _rows(self.deletions_not_followed),
        }
        planned = {"dry_run": True, "plan": self.plan.to_dict()} if self.plan else {}
        cues = {"annotation": self.annotation.to_dict()} if self.annotation else {}
        return told | planned | cues


class NothingIngestedError(IngestError):
    """Not one memory of all that was given is in the store now; `ledger` says why."""

    def __init__(self, ledger: IngestLedger, *, built: bool = False) -> None:
        """`built`: by a program, so that there is no format to name."""
        reasons = [f"{entry.item}: {entry.reason}" for entry in ledger.skipped[:_REASONS_SHOWN]]
        more = len(ledger.skipped) - len(reasons)
        listed = "; ".join(reasons) + (f"; and {more} more" if more else "")
        super().__init__(
            f"no memory could be stored: {listed or 'there was nothing to read'}. "
            f"Check the input{'' if built else ', or name its format'}"
        )
        self.ledger = ledger


def _rows(entries: Sequence[Skipped]) -> list[dict[str, str]]:
    return [{"item": entry.item, "reason": entry.reason} for entry in entries]
