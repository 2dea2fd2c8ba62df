"""Decides what happens to each item that was read: store it, leave it, or skip it."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from secondhop.ingest.given_cues import checked_cues
from secondhop.ingest.reading import Found, Skipped
from secondhop.ingest.stored import Stored, mark_of
from secondhop.stores.cues import fingerprint_given
from secondhop.stores.records import Memory
from secondhop.wording import counted

Outcome: TypeAlias = Literal["added", "replaced", "moved", "other_cues", "unchanged"]
"""moved: the text is unchanged but comes from another file or folder. other_cues: the text is
unchanged but the cues or tags are different."""


class _Claim(NamedTuple):
    """What Intake remembers of each memory that was read, without its text."""

    item: str
    origin: str
    updated_at: datetime | None
    content_hash: str


class Intake:
    """Judges entries in reading order, and remembers the outcomes for the ledger."""

    def __init__(self, stored: Stored, *, read_now: Collection[str]) -> None:
        """`read_now`: the origins that are read now."""
        self._before, self._hashes = stored.hashes, dict(stored.hashes)
        self._cues, self._tags, self._dates = dict(stored.cues), dict(stored.tags), stored.dates
        self._origins, self._read_now = stored.origins, read_now
        self._claims: dict[str, _Claim] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._uncertain: dict[str, Skipped] = {}
        self._yielding: set[str] = set()
        self.skipped: list[Skipped] = []
        self.read = 0

    def take(self, entry: Found | Skipped, *, origin: str) -> Memory | None:
        """The memory to store, under the id it gets; None when there is nothing to store."""
        if isinstance(entry, Skipped):
            self.skip(entry, origin=origin)
            return None
        self.read += 1
        found = self._as_dated_before(self._with_free_id(self._as_dated_before(entry)))
        memory, faults = checked_cues(found.memory)
        content_hash = memory.content_hash
        self.skipped += [Skipped(found.item, fault, is_notice=True) for fault in faults]
        if not memory.memory_id:
            self.skip(Skipped(found.item, "it has no id"), origin=origin)
            return None
        self._yielding.add(origin)
        if not self._claim(found, content_hash):
            return None
        cues = fingerprint_given(memory)
        other_cues = self._cues.get(memory.memory_id, "") != cues
        other_cues |= self._tags.get(memory.memory_id, ()) != memory.tags
        self._cues[memory.memory_id], self._tags[memory.memory_id] = cues, memory.tags
        if self._hashes.get(memory.memory_id) == content_hash:
            # in another place, or deletions from a moved folder would never be followed, and a new
            # folder in the old place would delete the memories of the moved one
            moved = self._from_elsewhere(memory)
            self._outcomes[memory.memory_id] = (
                "moved" if moved else "other_cues" if other_cues else "unchanged"
            )
            return memory if moved or other_cues else None
        self._hashes[memory.memory_id] = content_hash
        known = memory.memory_id in self._before
        self._outcomes[memory.memory_id] = "replaced" if known else "added"
        return memory

    def skip(self, skipped: Skipped, *, origin: str) -> None:
        """Note an item that is not stored."""
        self.skipped.append(skipped)
        if skipped.may_hide_memories:
            self._uncertain.setdefault(origin, skipped)

    def stored_meanwhile(self, memory_ids: Iterable[str]) -> None:
        """Note memories that somebody else has stored since the ingest began, in the same text."""
        for one in memory_ids:
            if self._outcomes[one] in ("added", "replaced"):
                self._outcomes[one] = "unchanged"

    def with_outcome(self, *outcomes: Outcome) -> tuple[str, ...]:
        """Sorted ids of the memories with one of these outcomes."""
        return tuple(sorted(one for one, own in self._outcomes.items() if own in outcomes))

    def gone(self, origin: str) -> list[str] | Skipped:
        """Sorted ids stored from an origin but not read again, or why none may be deleted."""
        stored = {one for one, own in self._origins.items() if own == origin}
        missing = sorted(stored - self._claims.keys())
        if not missing:
            return []
        memories = counted(len(missing), "stored memory was", "stored memories were")
        if origin in self._uncertain:
            cause = self._uncertain[origin]
            return Skipped(
                origin,
                f"nothing was deleted: {memories} not read again, and may be in {cause.item} "
                f"({cause.reason})",
            )
        if origin not in self._yielding:
            return Skipped(
                origin,
                f"nothing was deleted: {memories} not read again, and neither was anything else",
            )
        return missing

    def _claim(self, found: Found, content_hash: str) -> bool:
        """Whether this copy of the memory counts. Of two copies with different text, the one with
        the later update counts; in doubt, the one read first."""
        memory_id = found.memory.memory_id
        claim = _Claim(found.item, found.memory.origin, found.updated_at, content_hash)
        earlier = self._claims.setdefault(memory_id, claim)
        if earlier is claim:
            return True
        if earlier.content_hash == content_hash:
            self.skipped.append(Skipped(found.item, f"the same memory as {earlier.item}"))
            return False
        if not _is_newer(claim, earlier):
            reason = f"its id {memory_id!r} is taken by {earlier.item}, which says something else"
            self.skipped.append(Skipped(found.item, reason))
            return False
        self.skipped.append(Skipped(earlier.item, f"an older copy of {found.item}"))
        self._claims[memory_id] = claim
        return True

    def _as_dated_before(self, found: Found) -> Found:
        """With the stored date, if the text is as it was and only the file is newer. Otherwise each
        change to a file would date all its notes anew, and so would a checkout or a copy."""
        known = self._dates.get(found.memory.memory_id)
        if not found.dated_by_file or known is None:
            return found
        memory = replace(found.memory, created_at=known)
        same = self._before.get(memory.memory_id) == memory.content_hash
        return replace(found, memory=memory) if same else found

    def _with_free_id(self, found: Found) -> Found:
        """If the id is taken by another origin, append the mark of this one."""
        memory = found.memory
        if not found.named_by_path or not self._belongs_elsewhere(memory):
            return found
        memory_id = memory.memory_id + mark_of(memory.origin)
        return replace(found, memory=replace(memory, memory_id=memory_id))

    def _belongs_elsewhere(self, memory: Memory) -> bool:
        memory_id = memory.memory_id
        if self._hashes.get(memory_id, memory.content_hash) == memory.content_hash:
            return False
        if memory_id in self._claims:
            return self._claims[memory_id].origin != memory.origin
        return self._from_elsewhere(memory)

    def _from_elsewhere(self, memory: Memory) -> bool:
        """Whether it is read now, and what is stored under its id came from another origin."""
        known = self._origins.get(memory.memory_id)
        return memory.origin in self._read_now and known != memory.origin


def _is_newer(claim: _Claim, earlier: _Claim) -> bool:
    if claim.updated_at is None:
        return False
    return earlier.updated_at is None or claim.updated_at > earlier.updated_at
