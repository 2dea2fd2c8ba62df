"""The status of a stored memory: its kind, whether it is valid, and its history.

What a memory says never changes; how it stands does, and costs no embedding.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["factual", "preferential", "continuity"]
"""factual: a value that a newer one replaces; preferential: how to behave; continuity: the rest."""

ALWAYS: Final = "always"
"""Scope of a preference that holds whatever is asked."""

NEUTRAL: Final = 0.5
"""Salience of a memory for which none was given."""

Ending: TypeAlias = Literal["superseded", "deprecated", "expired"]

Mark: TypeAlias = Literal["", "core", "open"]
"""What a session start makes of a memory: core: always shown; open: a thing to do, or a thread that
was left open; "": neither."""

MARKS: Final[tuple[Mark, ...]] = ("", "core", "open")

Act: TypeAlias = Literal[
    "remembered", "superseded", "deprecated", "restored", "changed", "repeated"
]
"""repeated: what is known was said again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Why a memory does not hold any more."""

    how: Ending
    at: datetime
    """From when on."""
    by: str = ""
    """Id of what superseded it; "" also for one that is gone since."""
    because: str = ""

    def describe(self) -> str:
        """In a few words: "superseded by m-7 on 2026-03-01"."""
        day = f"{self.at:%Y-%m-%d}"
        if self.how == "superseded":
            return f"superseded by {self.by or 'a memory that is gone since'} on {day}"
        return f"{self.how} on {day}" + (f": {self.because}" if self.because else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """What may change about a memory while its text stays."""

    valid_until: datetime | None = None
    """It does not hold from then on; None: no such moment is known."""
    salience: float = NEUTRAL
    """How much it matters, 0..1."""
    deprecated_at: datetime | None = None
    deprecated_because: str = ""
    superseded_at: datetime | None = None
    """When what superseded it was written."""
    superseded_by: str = ""
    """"" also where what superseded it is gone."""
    mark: Mark = ""

    def end(self, *, now: datetime, as_of: datetime | None = None) -> End | None:
        """Why it does not hold, the earliest cause first; None while it holds.

        Args:
            now: an expiry counts once it is past.
            as_of: what was believed then; None: what is believed today, so that whatever was
                superseded or deprecated is, whenever that was.
        """
        ends: list[End] = []
        if self.superseded_at is not None:
            ends.append(End(how="superseded", at=self.superseded_at, by=self.superseded_by))
        if self.deprecated_at is not None:
            because = self.deprecated_because
            ends.append(End(how="deprecated", at=self.deprecated_at, because=because))
        if self.valid_until is not None and self.valid_until <= (as_of or now):
            ends.append(End(how="expired", at=self.valid_until))
        reached = [end for end in ends if as_of is None or end.at <= as_of]
        return min(reached, key=lambda end: end.at, default=None)


AS_STORED: Final = Keeping()
"""Of a memory that nothing was done to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepingChange:
    """New values for a memory's keeping, and the entry that its history gets."""

    memory_id: str
    keeping: Keeping
    act: Act
    at: datetime
    """When it was done."""
    other_id: str = ""
    """The other memory of it, where there is one."""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """Something that was done to a memory."""

    memory_id: str
    at: datetime
    act: Act
    other_id: str = ""
    detail: str = ""


SAID_IN: Final = "said in message "
"""Begins the note in a history that names the message, by a digest, and the characters of it from
which a memory came."""


def fact_in_words(subject: str, attribute: str) -> str:
    """What a fact is of, as it begins a sentence.

    >>> fact_in_words("me", "gp"), fact_in_words("my landlord", "phone number")
    ('My gp', "My landlord's phone number")
    >>> fact_in_words("the grant", "deadline")
    'The deadline of the grant'
    """
    folded = subject.casefold()
    if folded == "me":
        return f"My {attribute}"
    if folded.startswith("my "):
        return f"My {subject[3:]}'s {attribute}"
    return f"The {attribute} of {subject}"


class FactName(NamedTuple):
    """What a stored fact is of; its value is not looked at."""

    memory_id: str
    subject: str
    attribute: str


Keepings: TypeAlias = Mapping[str, Keeping]
"""By memory id; those that are not named have `Keeping()`."""
