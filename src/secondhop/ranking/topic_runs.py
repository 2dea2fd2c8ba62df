"""The runs of words between stop words, which RAKE scores."""

import re
from collections.abc import Iterator
from typing import Final

from secondhop.ranking.sentences import bare, token_lists, without_possessive
from secondhop.ranking.stop_words import CHINESE_STOP_CHARACTERS, STOP_WORDS

MAX_WORDS: Final = 4
_MAX_EAST_ASIAN = 12
_EAST_ASIAN_RUN = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]+|[\u30a1-\u30fa\u30fc]+"  # Han | katakana
)
_HAS_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_CHINESE_STOPS = re.compile(f"[{CHINESE_STOP_CHARACTERS}]+")


def topic_runs(text: str) -> Iterator[list[str]]:
    """Word runs between stop words, punctuation and sentence ends, in order.

    A run of more than four words is not a phrase; each of its words of more than three letters
    becomes a run. Chinese and Japanese, which have no spaces, give runs of Han characters or
    katakana.
    """
    for tokens in token_lists(text):
        run: list[str] = []
        for token in tokens:
            word = without_possessive(token)
            if _HAS_EAST_ASIAN.search(token):
                yield from _broken(run)
                yield from ([chunk] for chunk in _east_asian_chunks(token))
                run = []
            elif not token[0].isalnum() or bare(word) in STOP_WORDS:
                yield from _broken(run)
                run = []
            else:
                run.append(word)
                if word != token:
                    # in "Anna's birthday", "Anna" is also a topic of its own
                    yield [word]
        yield from _broken(run)


def _broken(run: list[str]) -> Iterator[list[str]]:
    if len(run) <= MAX_WORDS:
        if any(len(word) > 1 for word in run):
            yield run
    else:
        yield from ([word] for word in run if len(word) > 3)


def _east_asian_chunks(token: str) -> Iterator[str]:
    for run in _EAST_ASIAN_RUN.findall(token):
        for chunk in _CHINESE_STOPS.split(run):
            if 2 <= len(chunk) <= _MAX_EAST_ASIAN:
                yield chunk
