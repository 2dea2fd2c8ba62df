"""Names memories that share a file: `journal.md#2026-11-02`."""

import re
from collections import Counter

_CHARS = 80
_BETWEEN_WORDS = re.compile(r"\W+")


def free_anchor(heading: str, taken: Counter[str]) -> str:
    """The heading's words; a second "Oven" is `oven-2`; "" for no heading. `taken`: {anchor: how
    often it was asked for}, of the file so far."""
    if not heading:
        return ""
    name = _BETWEEN_WORDS.sub("-", heading.casefold())[:_CHARS].strip("-") or "note"
    anchor = name
    while anchor in taken:
        taken[name] += 1
        anchor = f"{name}-{taken[name]}"
    taken[anchor] = 1
    return anchor
