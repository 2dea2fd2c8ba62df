"""Chooses which of the cues given with a memory are stored: well-formed ones, up to a limit."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from secondhop.stores.cues import LONGEST_ROLE, MOST_CUES, Breadth, cue_fault
from secondhop.stores.records import Memory


class CheckedCues(NamedTuple):
    """A memory with only those cues that can be stored."""

    memory: Memory
    faults: Sequence[str]
    """One sentence for each cue that was left out; [] for most memories."""


def checked_cues(memory: Memory) -> CheckedCues:
    """Leave out malformed and surplus cues; the memory itself is stored in any case."""
    if not (memory.cues or memory.broad_cues or memory.role or memory.replaces):
        return CheckedCues(memory, [])
    faults: list[str] = []
    role = memory.role
    if len(role) > LONGEST_ROLE or (role and cue_fault(role)):
        faults.append(
            f"its role is left out: it is not a single line of at most {LONGEST_ROLE} characters"
        )
        role = ""
    checked = replace(
        memory,
        cues=_kept(memory.cues, "specific", faults),
        broad_cues=_kept(memory.broad_cues, "broad", faults),
        role=role,
        replaces=tuple(one for one in memory.replaces if one != memory.memory_id),
    )
    return CheckedCues(checked, faults)


def _kept(texts: Sequence[str], breadth: Breadth, faults: list[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for text in texts:
        fault = cue_fault(text)
        if not fault and len(kept) == MOST_CUES[breadth]:
            fault = f"a memory has at most {MOST_CUES[breadth]} {breadth} cues"
        if fault:
            faults.append(f"a cue is left out: {fault} ({text[:60]!r})")
        else:
            kept.append(text)
    return tuple(kept)
