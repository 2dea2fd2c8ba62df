"""Cues: requests that will need a memory one day, written when it is stored.

A question can be near a cue and far from the memory's own text. Compare doc2query (Nogueira et al.
2019), which writes the questions that a text answers.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, Literal, NamedTuple, TypeAlias
from unicodedata import category

from secondhop.stores.records import Memory

Breadth: TypeAlias = Literal["specific", "broad"]
"""specific: a request that this person may make; broad: a common undertaking, in plain words."""

CueOrigin: TypeAlias = Literal["model", "host", "session"]
"""Who wrote a cue: the annotating model, the host application, or a session, from its votes."""


MOST_CUES: Final[dict[Breadth, int]] = {"specific": 6, "broad": 3}
"""The most cues of one memory from one origin."""
MOST_PROVED: Final = 12
"""The most session cues of one memory. Those with the strongest votes are kept."""
LEARNING: Final = "setting.learning"
"""The key of a note in the catalog; its value is "off" if sessions may not write cues."""
MOST_VOTES: Final = 3.0
"""The largest sum, positive or negative, of the votes on a memory for one question."""
SAYS_SOMETHING: Final = 0.25
"""A session cue whose votes have a smaller absolute value is dropped: half a warm vote."""
AGAINST_HALVES: Final = timedelta(days=90)
"""Votes against a memory count half after this time: cold often means "not now"."""
LONGEST_CUE: Final = 200
"""Characters."""
LONGEST_QUESTION: Final = 2_000
"""Characters of a question that is kept as a cue. Embedding models read about that many."""
LONGEST_ROLE: Final = 80
"""Characters."""
_JOINERS: Final = "\u200c\u200d\u00ad"
"""Invisible characters that belong to words and emoji."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A request for which a memory matters."""

    memory_id: str
    text: str
    breadth: Breadth = "specific"
    origin: CueOrigin = "host"
    prompt: str = ""
    """Version of the prompt that it was written with; "" if no model wrote it."""
    model: str = ""
    written_at: datetime | None = None
    proved: float = 0.0
    """For a session's cue: votes for the memory on this question minus votes against it. Below 0,
    people have said that it is no answer."""

    @property
    def cue_id(self) -> str:
        """`<memory id>:<12 hex digits>`. It depends on the text and the breadth, or on the text
        alone for a session's cue, which gets an id of its own."""
        kind = "session" if self.origin == "session" else self.breadth
        digest = sha256(f"{kind}:{self.text}".encode()).hexdigest()
        return f"{self.memory_id}:{digest[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What one origin says about a memory: its cues, its role, and what it replaces."""

    memory_id: str
    content_hash: str
    """Hash of the text that was read. A changed text needs a new annotation."""
    cues: tuple[Cue, ...] = ()
    role: str = ""
    """What kind of help the memory gives, in two to five words: "own plan", "health limit"."""
    replaces: tuple[str, ...] = ()
    """Ids of older memories that it makes outdated. Proposals only: they supersede nothing."""
    origin: CueOrigin = "host"
    prompt: str = ""
    model: str = ""
    written_at: datetime | None = None


class CueHit(NamedTuple):
    """A cue that a search found. (A tuple for speed: a recall makes hundreds.)"""

    cue_id: str
    memory_id: str
    breadth: Breadth
    text: str
    proved: float
    """See `Cue`."""
    proved_at: str
    """ISO 8601 time of the last vote; "" for a cue that no session wrote."""
    score: float
    """Cosine to the query vector, -1..1."""


class CueStanding(NamedTuple):
    """Whether cues are worth a search, and what annotations say."""

    share: float
    """Share of memories, 0..1, with cues that the host or a model wrote."""
    proved: bool
    """Whether sessions have written any, and learning is on."""
    name_replaced: bool
    """Whether annotations name memories that newer ones replace."""
    memories: int
    """How many memories are stored."""


def votes_left(proved: float, then: datetime, now: datetime) -> float:
    """What a sum of votes at `then` counts at `now`: above 0 it stays, below 0 it fades.

    >>> moments = datetime(2026, 1, 1), datetime(2026, 4, 1)
    >>> votes_left(2.0, *moments), votes_left(-2.0, *moments)
    (2.0, -1.0)
    """
    age = max(0.0, (now - then) / AGAINST_HALVES)
    return proved if proved > 0 else proved * float(0.5**age)


def cues_given(memory: Memory, *, at: datetime | None = None) -> tuple[Cue, ...]:
    """The cues that the host gives with a memory, specific ones first, each once."""
    own = memory.memory_id
    specific = [Cue(memory_id=own, text=text, written_at=at) for text in memory.cues]
    broad = [
        Cue(memory_id=own, text=text, breadth="broad", written_at=at) for text in memory.broad_cues
    ]
    return tuple({cue.cue_id: cue for cue in [*specific, *broad]}.values())


def annotation_given(memory: Memory, *, at: datetime | None = None) -> Annotation:
    """The host's annotation of a memory that it stores."""
    return Annotation(
        memory_id=memory.memory_id,
        content_hash=memory.content_hash,
        cues=cues_given(memory, at=at),
        role=memory.role,
        replaces=memory.replaces,
        written_at=at,
    )


def fingerprint_given(memory: Memory) -> str:
    """The fingerprint of `annotation_given`, but fast for a memory without annotations."""
    says_something = memory.cues or memory.broad_cues or memory.role or memory.replaces
    return fingerprint(annotation_given(memory)) if says_something else ""


def fingerprint(annotation: Annotation) -> str:
    """A text that changes when the annotation changes; "" for an empty annotation.

    It holds the last part of each cue's id, and none of its words.
    """
    if not (annotation.cues or annotation.role or annotation.replaces):
        return ""
    rest = json.dumps([annotation.role, sorted(annotation.replaces)])
    ends = [cue.cue_id.rpartition(":")[2] for cue in annotation.cues]
    return " ".join([*sorted(ends), f"+{sha256(rest.encode()).hexdigest()[:12]}"])


def cues_in(fingerprint: str, *, memory_id: str) -> set[str]:
    """Ids of the cues in a fingerprint."""
    return {f"{memory_id}:{end}" for end in fingerprint.split() if not end.startswith("+")}


def cue_fault(text: str, *, origin: CueOrigin = "host") -> str:
    """Why this text cannot be a cue; "" if it can."""
    longest = LONGEST_QUESTION if origin == "session" else LONGEST_CUE
    if not text.strip():
        return "it has no words"
    if len(text) > longest:
        return f"it has {len(text)} characters, and a cue has at most {longest}"
    if any(_is_hidden(char) for char in text):
        return "it holds control or invisible characters"
    return ""


def _is_hidden(char: str) -> bool:
    kind = category(char)
    return kind in {"Cc", "Cs", "Zl", "Zp"} or (kind == "Cf" and char not in _JOINERS)
