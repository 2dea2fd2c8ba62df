"""The numbers that decide which passages fill a budget of tokens, and how they are chosen.

They are constants of `nodes/evidence_*.py` and no settings. Here they are turned for the time of a
measurement, to see what would have been chosen by somebody who had never seen a certain data set.
"""

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import TypeAlias

from secondhop.nodes.evidence import links as evidence_links
from secondhop.nodes.evidence import neighbours as evidence_neighbours
from secondhop.nodes.evidence import rank as evidence_rank
from secondhop.nodes.evidence import speaker_match as evidence_voices
from secondhop.nodes.evidence import updates as evidence_updates

Turned: TypeAlias = tuple[float, ...]
"""A value for each dial, in the order of the dials."""

Score: TypeAlias = Callable[[Turned], Awaitable[float]]
"""What is to be as great as can be."""

ROUNDING = 1e-9
"""Sums of the same numbers in another order differ by less."""


@dataclass(frozen=True, slots=True)
class Dial:
    """One constant, and the values that it may take."""

    label: str
    """In tables."""
    home: ModuleType
    name: str
    values: tuple[float, ...]
    """The plainest first: for most it is 0, the part is off."""


DIALS = (
    Dial("words", evidence_rank, "LEXICAL_SHARE", (0.3, 0.2, 0.4, 0.5)),
    Dial("beside", evidence_neighbours, "NEIGHBOUR_SHARE", (0.0, 0.2, 0.4, 0.6)),
    Dial("links", evidence_links, "LINK_SHARE", (0.0, 0.25, 0.5, 0.75)),
    Dial("playbooks", evidence_rank, "PLAYBOOK_SHARE", (0.0, 0.035, 0.35)),
    Dial("help", evidence_rank, "PLAYBOOK_SHARE_OF_HELP", (0.0, 0.35, 0.7)),
    Dial("norm", evidence_rank, "SHARPNESS", (1, 2, 3)),
    Dial("dates", evidence_rank, "DATE_GAIN", (0.0, 1.0, 2.0)),
    Dial("named", evidence_voices, "NAMED_SPEAKER", (0.0, 0.4, 0.8)),
    Dial("own turns", evidence_voices, "OWN_TURNS", (0.0, 0.5, 1.0)),
    Dial("later", evidence_updates, "LATER", (0, 2)),
)
"""In the order in which they are turned."""


def as_they_are(dials: Sequence[Dial]) -> Turned:
    """The values in force."""
    return tuple(getattr(dial.home, dial.name) for dial in dials)


SHIPPED = as_they_are(DIALS)


@contextmanager
def turned(values: Turned, dials: Sequence[Dial] = DIALS) -> Generator[None, None, None]:
    """The dials at these values; afterwards as they were. For one task at a time."""
    before = as_they_are(dials)
    turn(dials, values)
    try:
        yield
    finally:
        turn(dials, before)


def turn(dials: Sequence[Dial], values: Turned) -> None:
    """Put each dial at its value."""
    for dial, value in zip(dials, values, strict=True):
        setattr(dial.home, dial.name, value)


async def climbed(
    score: Score, values: Sequence[Sequence[float]], *, undecided: Turned | None = None
) -> Turned:
    """One sweep over the dials, from the plainest: each stays where the score is best.

    The plainest wins ties.

    Args:
        values: of each dial, the plainest first.
        undecided: where a dial stays whose values are all as good; None: at its plainest, so that
            a part which nothing speaks for is off, whatever ships.
    """
    plainest = tuple(own[0] for own in values)
    best = plainest
    for place, own in enumerate(values):
        reached = {value: await score(put(best, place, value)) for value in own}
        top = max(reached.values())
        if top - min(reached.values()) <= ROUNDING:
            best = put(best, place, (undecided or plainest)[place])
        else:
            best = put(best, place, next(v for v in own if reached[v] >= top - ROUNDING))
    return best


def put(values: Turned, place: int, value: float) -> Turned:
    """The same with one value changed."""
    return (*values[:place], value, *values[place + 1 :])


def told(values: Turned, dials: Sequence[Dial] = DIALS) -> str:
    """As text, without the dials that are off."""
    named = zip(dials, values, strict=True)
    return ", ".join(f"{dial.label} {value:g}" for dial, value in named if value)
