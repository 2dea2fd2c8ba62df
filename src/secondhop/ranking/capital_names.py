"""Finds names in scripts with capitals: runs of capitalised words."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from secondhop.ranking.sentences import bare, token_lists, without_possessive
from secondhop.ranking.stop_words import CALENDAR_WORDS, STOP_WORDS, TASK_WORDS, TITLES

NAME_LINKS: Final = frozenset(
    {"of", "de", "la", "van", "von", "der", "den", "di", "da", "du", "al", "&"}
)
"""Lower-case words that may stand inside a name."""

MAX_NAME: Final = 8
"""The most words of a name; it ends a run in text that capitalises everything."""


@dataclass(slots=True)
class _NameRun:
    """A run of capitalised words that is being read."""

    words: list[str] = field(default_factory=list[str])
    links: list[str] = field(default_factory=list[str])
    starts_sentence: bool = False


def capital_names(text: str) -> Iterator[tuple[str, int]]:
    """Names with the number of times each occurs, in order of appearance."""
    lowercase: set[str] = set()
    found: list[_NameRun] = []
    for tokens in token_lists(text):
        lowercase.update(token.casefold() for token in tokens if token.islower())
        found += _capital_runs(tokens)
    counts: Counter[str] = Counter()
    surely: set[str] = set()
    for run in found:
        name = _trimmed(run, lowercase=lowercase)
        if name:
            counts[name] += 1
            if not run.starts_sentence or " " in name or _is_acronym(name):
                surely.add(name)
    for name, count in counts.items():
        if name in surely or (count > 1 and name.casefold() not in lowercase):
            yield name, count


def _capital_runs(tokens: list[str]) -> Iterator[_NameRun]:
    run = _NameRun(starts_sentence=True)
    for token in tokens:
        word = without_possessive(token)
        if word[0].isupper():
            run.words += [*run.links, word]
            run.links = []
            if word == token and len(run.words) < MAX_NAME:
                continue
        elif token in NAME_LINKS and run.words and len(run.links) < 2:
            run.links.append(token)
            continue
        if run.words:
            yield run
        opens = run.starts_sentence and not run.words and not token[0].isalnum()
        run = _NameRun(starts_sentence=opens)
    if run.words:
        yield run


def _trimmed(run: _NameRun, *, lowercase: set[str]) -> str:
    """The name without stop words at its ends; "" if only dates, titles or letters are left."""
    words = run.words
    while words and (
        bare(words[0]) in STOP_WORDS
        or words[0] in NAME_LINKS
        or (words is run.words and run.starts_sentence and _is_opener(words, lowercase))
    ):
        words = words[1:]
    while words and (bare(words[-1]) in STOP_WORDS or words[-1] in NAME_LINKS):
        words = words[:-1]
    if all(bare(word) in CALENDAR_WORDS | TITLES or len(word) == 1 for word in words):
        return ""
    return " ".join(words)


def _is_opener(words: list[str], lowercase: set[str]) -> bool:
    """Whether the first of several words is capitalised only because it opens the sentence."""
    first = words[0].casefold()
    return len(words) > 1 and (first in lowercase or first in TASK_WORDS)


def _is_acronym(name: str) -> bool:
    return sum(letter.isupper() for letter in name) > 1
