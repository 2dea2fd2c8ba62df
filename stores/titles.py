"""Names a text by its first words."""

import re

from secondhop.wording import beginning

CHARACTERS = 60
"""The most that such a name has."""

_SPEAKER = re.compile(r"\A\W*(?:user|assistant|system|human)\W*:\W*", re.IGNORECASE)


def first_words(text: str) -> str:
    """The first line of a text, without the label of its speaker, cut at a word.

    >>> first_words("User: Where is the stopcock?\\n\\nAssistant: In the cellar.")
    'Where is the stopcock?'
    """
    said = _SPEAKER.sub("", text.strip())
    return beginning(" ".join((said.splitlines() or [""])[0].split()), CHARACTERS)
