"""The estimated cost of annotating, and its outcome."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from secondhop.graph.result import Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateEstimate:
    """What annotating all pending memories would cost."""

    memories: int
    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    """US dollars; None: the model has no price in the table."""
    model: str

    @property
    def tokens(self) -> int:
        """Prompt and reply tokens together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedCue:
    """A cue that a model wrote and that is not stored."""

    memory_id: str
    text: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedMemories:
    """Memories that stay pending for the same reason."""

    why: str
    count: int
    memory_ids: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateLedger:
    """The outcome of an annotation run."""

    annotated: int = 0
    """Memories that were annotated."""
    cues: int = 0
    """Specific cues written."""
    broad_cues: int = 0
    without_cues: int = 0
    """Annotated memories that got no cue, because they are trivial."""
    replacing: int = 0
    """Annotated memories that make an older one outdated."""
    pending: int = 0
    """Memories that still have no annotation."""
    refused: Sequence[RefusedCue] = ()
    failed: Sequence[FailedMemories] = ()
    """Memories that stay pending, grouped by reason."""
    stopped: str = ""
    """Why the run ended early; "" if it did not."""
    model: str = ""
    prompt: str = ""
    spent: Spent = field(default_factory=Spent)
    estimate: AnnotateEstimate | None = None
    """Only in a dry run, in which nothing was done."""

    def to_dict(self) -> dict[str, Any]:
        """The values that the command line shows."""
        told: dict[str, Any] = asdict(self) | {"spent": self.spent.model_dump(mode="json")}
        if self.estimate is None:
            told.pop("estimate")
        return told
