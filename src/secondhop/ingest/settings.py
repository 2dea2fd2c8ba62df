"""How an ingest works."""

from dataclasses import dataclass, field

from secondhop.errors import UsageError
from secondhop.ingest.chunk import ChunkSettings
from secondhop.ingest.detect import check_format
from secondhop.models.tokens import TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSettings:
    """How an ingest works. Raises UsageError for a format or a number that cannot be."""

    format: str | None = None
    """One of the known formats, or None to detect each file's."""
    chunk: ChunkSettings = field(default_factory=ChunkSettings)
    batch_passages: int = 96
    """Passages embedded at once; a larger memory is embedded in several steps, but put as one."""
    max_file_mb: int = 1024
    """A larger file is skipped."""
    count_tokens: TokenCounter | None = None
    """None: tiktoken's cl100k_base."""

    def __post_init__(self) -> None:
        check_format(self.format)
        if self.batch_passages < 1 or self.max_file_mb < 1:
            raise UsageError("IngestSettings.batch_passages and max_file_mb must be 1 or more")
