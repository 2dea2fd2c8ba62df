"""Names that people gave to single things: "export.sh", "9f3b", "10.20.0.7", "kestrel-1"."""

import re
from typing import Final

from secondhop.ranking.change_words import told_words

_IDENTIFIER: Final = re.compile(r"(?=.*\d)(?=.*[^\W\d_]).+|.*\w[._]\w.*")
"""Letters and digits in one word, or a dot or an underscore within it."""

SHORTEST: Final = 3
"""Characters."""


def identifiers(text: str) -> set[str]:
    """The identifiers of a text, folded; of a path every part.

    >>> sorted(identifiers("The key 9f3b is read by /opt/bin/export.sh at 6."))
    ['9f3b', 'export.sh']
    """
    return {part for word in told_words(text) for part in identifiers_in(word)}


def identifiers_in(word: str) -> set[str]:
    """A word that is one, or the parts of a path that are."""
    parts = (part.strip(".,:-'’") for part in word.split("/"))
    return {part for part in parts if len(part) >= SHORTEST and _IDENTIFIER.fullmatch(part)}
