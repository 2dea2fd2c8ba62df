"""Cues: requests for which a memory will matter one day, written when the memory is.

They are found by a question that the memory's own text is not near to. Compare doc2query
(Nogueira et al. 2019), which writes the questions that a text answers.
"""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

Breadth: TypeAlias = Literal["specific", "broad"]
"""specific: a request that this person may make; broad: a usual undertaking, in plain words."""

CueOrigin: TypeAlias = Literal["model", "host", "session"]
"""Who wrote a cue: the annotating model, the host application, or a session that proved it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A request for which a memory matters."""

    memory_id: str
    text: str
    breadth: Breadth = "specific"
    origin: CueOrigin = "host"
    prompt: str = ""
    """Version of the prompt that it was written with; "" where no model wrote it."""
    model: str = ""
    written_at: datetime | None = None

    @property
    def cue_id(self) -> str:
        """`<memory id>:<12 hex digits>`: the same words for the same memory are the same cue."""
        digest = sha256(f"{self.breadth}:{self.text}".encode()).hexdigest()
        return f"{self.memory_id}:{digest[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What was thought about a memory when it was written: its cues, and what it is good for."""

    memory_id: str
    content_hash: str
    """Of the text that was read; another text asks for another annotation."""
    cues: tuple[Cue, ...] = ()
    role: str = ""
    """What kind of help the memory gives, in two to five words: "own plan", "health limit"."""
    replaces: tuple[str, ...] = ()
    """Ids of older memories whose content it makes outdated: proposals, never a supersession."""
    origin: CueOrigin = "host"
    prompt: str = ""
    model: str = ""
    written_at: datetime | None = None


class CueHit(NamedTuple):
    """A cue that a search found. (A tuple: a recall makes hundreds.)"""

    cue_id: str
    memory_id: str
    breadth: Breadth
    score: float
    """Cosine to the vector searched with, -1..1."""
