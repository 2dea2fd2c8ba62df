"""The status of a stored memory: its kind, whether it is valid, and its history.

Changing the status leaves the text as it is, so nothing is embedded again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["factual", "preferential", "continuity"]
"""factual: a value that a newer one replaces; preferential: how to behave; continuity: the rest."""

ALWAYS: Final = "always"
"""Scope of a preference that applies to every question."""

NEUTRAL: Final = 0.5
"""Salience of a memory if none was given."""

Ending: TypeAlias = Literal["superseded", "deprecated", "expired"]

Mark: TypeAlias = Literal["", "core", "open"]
"""How a briefing treats a memory. core: always shown; open: a thing to do, or a thread that was
left open; "": neither."""

MARKS: Final[tuple[Mark, ...]] = ("", "core", "open")

Act: TypeAlias = Literal[
    "remembered", "superseded", "deprecated", "restored", "changed", "repeated"
]
"""repeated: something that was already known was said again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Why a memory is no longer valid."""

    how: Ending
    at: datetime
    """When its validity ended."""
    by: str = ""
    """Id of the memory that superseded it; "" if none did, or if that one is gone."""
    because: str = ""

    def describe(self) -> str:
        """In a few words: "superseded by m-7 on 2026-03-01"."""
        day = f"{self.at:%Y-%m-%d}"
        if self.how == "superseded":
            if not self.by:
                return f"superseded on {day} by a memory that has since been deleted"
            return f"superseded by {self.by} on {day}"
        return f"{self.how} on {day}" + (f": {self.because}" if self.because else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """The status of a memory: what may change while its text stays."""

    valid_until: datetime | None = None
    """When it stops being valid; None if no such moment is known."""
    salience: float = NEUTRAL
    """How much it matters, 0..1."""
    deprecated_at: datetime | None = None
    deprecated_because: str = ""
    superseded_at: datetime | None = None
    """When the memory that superseded it was written."""
    superseded_by: str = ""
    """Id of that memory; "" if there is none, or if it is gone."""
    mark: Mark = ""

    def end(self, *, now: datetime, as_of: datetime | None = None) -> End | None:
        """The earliest reason why it is not valid; None while it is valid.

        Args:
            now: an expiry counts once it is past.
            as_of: judge by what was known at this moment. None: by what is known today, so every
                supersession and deprecation counts, whatever its date.
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
"""The status of a memory that nothing was done to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """Something that was done to a memory."""

    memory_id: str
    act: Act
    at: datetime
    """When it was done."""
    other_id: str = ""
    """The other memory involved; "" if there is none."""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepingChange(HistoryEntry):
    """The new status of a memory, and the entry that its history gets."""

    keeping: Keeping


SAID_IN: Final = "said in message "
"""Start of the history note that says where a memory came from. The note names the message by a
digest, and the range of its characters."""


def holds_always(scope: str) -> bool:
    """Whether a preference with this scope applies to every question."""
    return scope.casefold() == ALWAYS


def fact_in_words(subject: str, attribute: str) -> str:
    """Subject and attribute of a fact, in words that can begin a sentence.

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
    """Subject and attribute of a stored fact, without its value."""

    memory_id: str
    subject: str
    attribute: str


Keepings: TypeAlias = Mapping[str, Keeping]
"""{memory id: its status}; memories that are not named have `AS_STORED`."""
