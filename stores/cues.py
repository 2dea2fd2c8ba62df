"""Cues: requests for which a memory will matter one day, written when it is stored.

They are found by a question that the memory's own text is not near to. Compare doc2query
(Nogueira et al. 2019), which writes the questions that a text answers.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, Literal, NamedTuple, TypeAlias
from unicodedata import category

from secondhop.stores.records import Memory

Breadth: TypeAlias = Literal["specific", "broad"]
"""specific: a request that this person may make; broad: a usual undertaking, in plain words."""

CueOrigin: TypeAlias = Literal["model", "host", "session"]
"""Who wrote a cue: the annotating model, the host application, or a session that proved it."""


MOST_CUES: Final[dict[Breadth, int]] = {"specific": 6, "broad": 3}
"""Of one memory, from one origin."""
MOST_PROVED: Final = 12
"""Questions of sessions that are kept with one memory: those that say most."""
LEARNING: Final = "setting.learning"
"""The note of a catalog that is "off" where sessions write no cues."""
MOST_VOTES: Final = 3.0
"""What the votes on a memory for one question add up to at most, either way."""
SAYS_SOMETHING: Final = 0.25
"""Votes below which sessions say nothing of a memory: half a warm one."""
HALF_LIFE: Final = timedelta(days=90)
"""What votes said against a memory counts half after that: cold often means "not now"."""
LONGEST_CUE: Final = 200
"""Characters."""
LONGEST_QUESTION: Final = 2_000
"""Characters of a question that is kept as a cue: embedding models read about as many."""
LONGEST_ROLE: Final = 80
"""Characters."""
_JOINERS: Final = "\u200c\u200d\u00ad"
"""Invisible, and parts of words and emoji."""


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
    proved: float = 0.0
    """Of a session's cue: the votes for the memory on this question, less those against it; below 0
    people have said that it is no answer."""

    @property
    def cue_id(self) -> str:
        """`<memory id>:<12 hex digits>`: the same words for the same memory are the same cue, but
        for what sessions say of them."""
        kind = "session" if self.origin == "session" else self.breadth
        digest = sha256(f"{kind}:{self.text}".encode()).hexdigest()
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
    text: str
    proved: float
    """See `Cue`."""
    proved_at: str
    """ISO 8601, when it was voted on last; "" for a cue of another origin than sessions."""
    score: float
    """Cosine to the vector searched with, -1..1."""


class CueStanding(NamedTuple):
    """Whether cues are worth a search."""

    share: float
    """Of all memories, those that have cues from when they were stored, 0..1."""
    proved: bool
    """Whether sessions have written any, and these may be used."""


def voted(proved: float, then: datetime, now: datetime) -> float:
    """What votes up to a moment say now: those in favour stay, those against fade.

    >>> moments = datetime(2026, 1, 1), datetime(2026, 4, 1)
    >>> voted(2.0, *moments), voted(-2.0, *moments)
    (2.0, -1.0)
    """
    age = max(0.0, (now - then) / HALF_LIFE)
    return proved if proved > 0 else proved * float(0.5**age)


def cues_given(memory: Memory, *, at: datetime | None = None) -> tuple[Cue, ...]:
    """The cues that a memory brings along, specific ones first; none twice."""
    own = memory.memory_id
    specific = [Cue(memory_id=own, text=text, written_at=at) for text in memory.cues]
    broad = [
        Cue(memory_id=own, text=text, breadth="broad", written_at=at) for text in memory.broad_cues
    ]
    return tuple({cue.cue_id: cue for cue in [*specific, *broad]}.values())


def annotation_given(memory: Memory, *, at: datetime | None = None) -> Annotation:
    """What the host says of a memory that it stores."""
    return Annotation(
        memory_id=memory.memory_id,
        content_hash=memory.content_hash,
        cues=cues_given(memory, at=at),
        role=memory.role,
        replaces=memory.replaces,
        written_at=at,
    )


def fingerprint_given(memory: Memory) -> str:
    """As `fingerprint` of `annotation_given`; quick where there is nothing."""
    says_something = memory.cues or memory.broad_cues or memory.role or memory.replaces
    return fingerprint(annotation_given(memory)) if says_something else ""


def fingerprint(annotation: Annotation) -> str:
    """Tells whether an annotation says something else than before; "" where it says nothing.

    It holds the last part of each cue's id, and no words.
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
    """What keeps these words from being a cue; "" for a good one."""
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
