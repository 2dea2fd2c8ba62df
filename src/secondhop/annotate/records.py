"""The estimated cost of annotating, and its outcome."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from secondhop.annotate.port import RefusedCue
from secondhop.graph.result import Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateEstimate:
    """What annotating all that is pending would take."""

    memories: int
    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    """US dollars; None: the model has no price in the table."""
    model: str

    @property
    def tokens(self) -> int:
        """Of prompts and replies together."""
        return self.prompt_tokens + self.completion_tokens

    def to_dict(self) -> dict[str, Any]:
        """As the command line shows it."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedMemories:
    """Memories that stay without an annotation for now, all for the same reason."""

    why: str
    count: int
    memory_ids: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateLedger:
    """What annotating has done."""

    annotated: int = 0
    """Memories."""
    cues: int = 0
    broad_cues: int = 0
    without_cues: int = 0
    """Of those annotated: trivial ones."""
    replacing: int = 0
    """Of those annotated: they make an older memory outdated."""
    pending: int = 0
    """Memories still without an annotation."""
    refused: Sequence[RefusedCue] = ()
    failed: Sequence[FailedMemories] = ()
    """They stay pending. One row a reason."""
    stopped: str = ""
    """Why it ended before all was done; "" where it did not."""
    model: str = ""
    prompt: str = ""
    spent: Spent = field(default_factory=Spent)
    estimate: AnnotateEstimate | None = None
    """In a dry run alone: nothing was done."""

    def to_dict(self) -> dict[str, Any]:
        """As the command line shows it."""
        told: dict[str, Any] = asdict(self) | {"spent": self.spent.model_dump(mode="json")}
        if self.estimate is None:
            told.pop("estimate")
        return told
