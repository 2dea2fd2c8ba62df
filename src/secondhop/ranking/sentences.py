"""Sentences and tokens of a text, for the phrase finders."""

import re

from secondhop.ranking.words import MARKS

_SENTENCE_END = re.compile(
    r"(?<![.!?…。！？])[.!?…。！？]+[\"'”’)\]]*(?:\s+|$)|\n+|[;:•|]\s+|(?:^|\s)[-*#>]+\s+"
)  # matches only from the first mark of a run; else a long "!!!!" would take quadratic time
_TOKEN = re.compile(rf"[^\W_](?:[\w'’&{MARKS}-]*[\w{MARKS}])?|[^\w\s]+")


def token_lists(text: str) -> list[list[str]]:
    """The tokens of each sentence, heading or list item: words, and runs of punctuation."""
    return [_TOKEN.findall(sentence) for sentence in _SENTENCE_END.split(text)]


def without_possessive(token: str) -> str:
    """The token without a possessive ending: "Anna" for "Anna's"."""
    for ending in ("'s", "’s", "'", "’"):
        if token.endswith(ending) and len(token) > len(ending) + 1:
            return token[: -len(ending)]
    return token


def bare(word: str) -> str:
    """The word as stop word lists write it: in lower case, without apostrophes."""
    return word.casefold().replace("'", "").replace("’", "")
