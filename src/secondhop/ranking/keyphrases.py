"""Finds names, identifiers, quotations and key phrases in a text, without a model.

Four finders each run over the text once, in linear time:

- quote: text in quotation marks or back-ticks, up to 60 characters;
- identifier: SSL_MODE, GimliStore, v1.5.9, pgvector.index, @name, #tag, AB-123;
- name: a run of capitalised words ("Head of Engineering"); a single word at the start of a
  sentence counts only if it occurs again and never in lower case;
- phrase: up to four words between stop words or punctuation, scored as in RAKE.

Names need capitals. In scripts without capitals, phrases carry the topic: in Chinese, the text
between function characters; in Japanese, runs of kanji or katakana.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from secondhop.ranking.capital_names import capital_names
from secondhop.ranking.topic_runs import topic_runs

Kind: TypeAlias = Literal["quote", "identifier", "name", "phrase"]

TRUST: Final[dict[Kind, float]] = {"name": 1.0, "identifier": 0.9, "quote": 0.8, "phrase": 0.5}
"""Upper bound of the score of each kind."""

MAX_QUOTE: Final = 60


class KeyPhrase(NamedTuple):
    """One found phrase, spelled as in its first occurrence."""

    phrase: str
    score: float
    """0..1."""
    kind: Kind


def key_phrases(text: str, *, n: int | None = None) -> list[KeyPhrase]:
    """At most `n` phrases of the text (None: all), best first, without repeats (ignoring case).

    A quote, identifier or name with c occurrences scores trust(kind) · (c + 1) / (c + 2). A phrase
    scores trust · its RAKE score / the highest RAKE score. The RAKE score is the sum of degree(w) /
    frequency(w) over the words w of the phrase; degree(w) counts the words of all phrases that
    hold w.

    A phrase found by two finders keeps the higher score. Ties go to the more trusted kind, then to
    the first in the text.

    Source: RAKE: Rose, Engel, Cramer & Cowley, in: Text Mining, 2010,
    doi:10.1002/9780470689646.ch1.
    """
    ranked = sorted(_all_found(text), key=lambda found: -found.score)
    best: dict[str, KeyPhrase] = {}
    for found in ranked:
        best.setdefault(found.phrase.casefold(), found)
    return list(best.values())[:n]


_COUNTED = re.compile(
    r"\d|\b(?:half|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty)\b", re.I
)


def topic_names(text: str, *, n: int = 30) -> list[str]:
    """Names and noun phrases that may say what a text is about, best first.

    Single lower-case words and counted things ("two weeks") are left out.

    >>> topic_names("In two weeks Lena wants to see the tax return of 2024.")
    ['Lena', 'tax return']
    """
    return [
        found.phrase
        for found in key_phrases(text, n=n)
        if found.kind != "phrase" or (" " in found.phrase and not _COUNTED.search(found.phrase))
    ]


_QUOTE = re.compile(
    rf'"([^"\n]{{2,{MAX_QUOTE}}})"|“([^”\n]{{2,{MAX_QUOTE}}})”|«([^»\n]{{2,{MAX_QUOTE}}})»'
    rf"|‘([^’\n]{{2,{MAX_QUOTE}}})’|「([^」\n]{{2,{MAX_QUOTE}}})」|『([^』\n]{{2,{MAX_QUOTE}}})』"
    rf"|„([^“”\n]{{2,{MAX_QUOTE}}})[“”]|`([^`\n]{{2,{MAX_QUOTE}}})`"
)
_IDENTIFIER = re.compile(
    r"(?<![\w@#.\-])(?:"
    r"[@#][A-Za-z_][\w-]{1,40}"  # @name, #tag
    r"|[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}"  # snake_case, SSL_MODE
    r"|[A-Za-z]{1,40}\d[A-Za-z0-9]{0,40}(?:\.\d{1,6}){0,4}"  # v1.5.9, bge3
    r"|[A-Z]{2,10}-\d{1,8}"  # AB-123
    r"|[A-Za-z][A-Za-z0-9]{1,40}(?:\.[a-z][A-Za-z0-9]{1,40}){1,4}"  # pgvector.index
    r"|[A-Za-z]?[a-z]{1,40}(?:[A-Z][a-z0-9]{1,40}){1,6}"  # CamelCase
    r")(?![\w@])"
)


def _all_found(text: str) -> Iterator[KeyPhrase]:
    quotes = Counter(_quotes(text))
    identifiers = Counter(_clean(match.group()) for match in _IDENTIFIER.finditer(text))
    names = Counter(
        {
            name: count
            for name, count in capital_names(text)
            if name.isalpha() or name not in identifiers  # CareFeed is a name, SSL_MODE is not
        }
    )
    counted: tuple[tuple[Kind, Counter[str]], ...] = (
        ("name", names),
        ("identifier", identifiers),
        ("quote", quotes),
    )
    for kind, counts in counted:
        for phrase, count in counts.items():
            yield KeyPhrase(phrase, TRUST[kind] * (count + 1) / (count + 2), kind)
    yield from _rake(topic_runs(text))


def _quotes(text: str) -> list[str]:
    found = (
        _clean(next(part for part in match.groups() if part)) for match in _QUOTE.finditer(text)
    )
    return [quote for quote in found if quote]


def _clean(phrase: str) -> str:
    return " ".join(phrase.split()).strip(" .,;:!?")


def _rake(runs: Iterable[list[str]]) -> Iterator[KeyPhrase]:
    phrases = [run for run in runs if run and not all(word.isdigit() for word in run)]
    frequency: Counter[str] = Counter()
    degree: defaultdict[str, int] = defaultdict(int)
    for run in phrases:
        for word in run:
            frequency[word.casefold()] += 1
            degree[word.casefold()] += len(run)
    scores: dict[str, tuple[str, float]] = {}
    for run in phrases:
        score = sum(degree[word.casefold()] / frequency[word.casefold()] for word in run)
        scores.setdefault(" ".join(run).casefold(), (" ".join(run), score))
    highest = max((score for _, score in scores.values()), default=1.0)
    for phrase, score in scores.values():
        yield KeyPhrase(phrase, TRUST["phrase"] * score / highest, "phrase")
