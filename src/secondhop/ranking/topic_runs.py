"""The runs of words between stop words, which RAKE scores."""

from collections.abc import Iterator
from typing import Final

from secondhop.ranking.sentences import bare, token_lists, without_possessive
from secondhop.ranking.stop_words import STOP_WORDS

MAX_WORDS: Final = 4
"""A longer run is not a phrase."""


def topic_runs(text: str) -> Iterator[list[str]]:
    """Word runs between stop words, punctuation and sentence ends, in order."""
    for tokens in token_lists(text):
        run: list[str] = []
        for token in tokens:
            word = without_possessive(token)
            if not token[0].isalnum() or bare(word) in STOP_WORDS:
                yield from _whole(run)
                run = []
            else:
                run.append(word)
        yield from _whole(run)


def _whole(run: list[str]) -> Iterator[list[str]]:
    """The run, if it is a phrase."""
    if len(run) <= MAX_WORDS and any(len(word) > 1 for word in run):
        yield run
