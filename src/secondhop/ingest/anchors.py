"""Names memories that share a file: `journal.md#2026-11-02`."""

import os
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from secondhop.ingest.reading import Document, Found
from secondhop.ingest.stored import Stored
from secondhop.ingest.transcript import SILENCE

_CHARS = 80
_DATES_TRIED = 8
_BETWEEN_WORDS = re.compile(r"\W+")
_NUMBERED = re.compile(r"(.+)-(?:[2-9]|[1-9]\d+)")


def anchor_of(heading: str) -> str:
    """The heading's words: `oven-cleaned` for "Oven, cleaned"; "" for no heading."""
    words = _BETWEEN_WORDS.sub("-", heading.casefold())[:_CHARS].strip("-")
    return words or ("note" if heading else "")


def named(parts: Sequence[Found], document: Document, *, stored: Stored) -> Iterator[Found]:
    """The parts of a file under their ids. What is kept with an id (cues, corrections, votes) stays
    with its text, whatever is put before it, after it or taken away.

    A part whose text is stored keeps its id. A changed one keeps that of the stored part which had
    its anchor or its time, unless it is open which part was changed and which is gone. Any other
    gets an id that no part has: the path if it is alone, else its anchor; a second "Oven" is
    `oven-2`.

    Ids of a file with this path in another place are taken over if that file is gone. If it is
    still there, what both say is one memory, which stays with that file.
    """
    known = stored.of_file(document.path, origin=document.origin)
    own = {anchor: one for anchor, one in known.items() if stored.origins[one] == document.origin}
    others = {anchor: one for anchor, one in known.items() if anchor not in own}
    origins = {stored.origins[one] for one in others.values()}
    there = {origin for origin in origins if _is_there(document.path, origin=origin)}
    moved = {anchor: one for anchor, one in others.items() if stored.origins[one] not in there}
    ids = _of_unchanged(parts, own | moved, stored=stored)
    new = [number for number in range(len(parts)) if number not in ids]
    theirs = {anchor: one for anchor, one in others.items() if anchor not in moved}
    shared = _of_unchanged([parts[number] for number in new], theirs, stored=stored)
    both = set(shared.values())
    ids |= {new[place]: one for place, one in shared.items()}
    kept = set(ids.values())
    changed = {number: part for number, part in enumerate(parts) if number not in ids}
    left = {anchor: one for anchor, one in own.items() if one not in kept}
    ids |= _of_changed(changed, left, stored=stored, anchors={part.anchor for part in parts})
    taken = Counter(anchor for anchor, one in known.items() if anchor in own or one in kept)
    for number, part in enumerate(parts):
        if number not in ids:
            is_file = "" not in taken and (len(parts) == 1 or not part.anchor)
            anchor = _free("" if is_file else part.anchor or "note", taken)
            ids[number] = f"{document.path}#{anchor}" if anchor else document.path
        memory = replace(part.memory, memory_id=ids[number])
        if memory.memory_id in both:
            memory = replace(memory, origin=stored.origins[memory.memory_id])
        yield replace(part, memory=memory)


def _is_there(path: str, *, origin: str) -> bool:
    """Whether a file of this path is still where `origin` says, alone, in a folder or a zip."""
    place = Path(origin) / path
    return place.is_absolute() and any(os.path.isfile(one) for one in (place, *place.parents))


def _of_unchanged(
    parts: Sequence[Found], known: Mapping[str, str], *, stored: Stored
) -> dict[int, str]:
    """{position: id} of the parts whose text is stored; equal parts get equal texts' ids in turn.

    `known`: {anchor: id} of what is stored of the file. A part that the file dates may have any
    stored date, and each takes a hash to try: only some of its namesakes' and the most frequent
    ones are tried. With another date, a part whose namesakes were moved or deleted counts as
    changed.
    """
    alike = defaultdict[str, list[str]](list)
    for one in known.values():
        alike[stored.hashes[one]].insert(0, one)
    namesakes = _by_name(known, {part.anchor for part in parts})
    counts = Counter(stored.dates[one] for one in known.values())
    frequent = [at for at, _ in counts.most_common(_DATES_TRIED)]
    ids = dict[int, str]()
    for number, part in enumerate(parts if known else ()):
        likely = [stored.dates[one] for one in namesakes.get(part.anchor, ())[:_DATES_TRIED]]
        dates = dict.fromkeys(likely + frequent)
        for at in dates if part.dated_by_file else [part.memory.created_at]:
            if same := alike.get(replace(part.memory, created_at=at).content_hash):
                ids[number] = same.pop()
                break
    return ids


def _of_changed(
    changed: Mapping[int, Found],
    left: Mapping[str, str],
    *,
    stored: Stored,
    anchors: Collection[str],
) -> dict[int, str]:
    """{position: id} of the parts that took the place of a stored one.

    `left`: {anchor: id} of what is stored of the file and not read again. `anchors`: of all parts.
    """
    by_name = _by_name(left, anchors)
    by_time = sorted(left.values(), key=lambda one: (stored.dates[one], len(one), one))
    waiting = Counter(part.anchor for part in changed.values())
    ids, given = dict[int, str](), set[str]()
    for number, part in changed.items():
        alike = by_time if part.begins else by_name[part.anchor]
        first, end = 0, len(alike)
        if part.begins:  # between the beginnings of two conversations there is more than SILENCE
            first = bisect_left(alike, part.begins - SILENCE, key=stored.dates.__getitem__)
            end = bisect_right(alike, part.begins + SILENCE, key=stored.dates.__getitem__)
        if first < end <= first + waiting[part.anchor] and (one := alike.pop(first)) not in given:
            ids[number] = one
            given.add(one)
            waiting[part.anchor] -= 1
    return ids


def _by_name(left: Mapping[str, str], anchors: Collection[str]) -> defaultdict[str, list[str]]:
    """{anchor: the ids with it, numbered ones last}. A number that a heading has is no such one."""
    ids = defaultdict[str, list[str]](list)
    for anchor in sorted(left, key=lambda one: (len(one), one)):
        match = _NUMBERED.fullmatch(anchor)
        ids[match[1] if match and anchor not in anchors else anchor].append(left[anchor])
    return ids


def _free(name: str, taken: Counter[str]) -> str:
    """The name, with a number if it is taken. `taken`: {anchor: how often it was asked for}."""
    anchor = name
    while anchor in taken:
        taken[name] += 1
        anchor = f"{name}-{taken[name]}"
    taken[anchor] = 1
    return anchor
