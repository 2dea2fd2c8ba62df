"""Finds names and key phrases in a text, without a model.

Two finders each run over the text once, in linear time:

- names: runs of capitalised words ("Head of Engineering"); a single word at the start of a
  sentence counts only if it occurs again and never in lower case;
- phrases: two to four words between stop words or punctuation, scored as in RAKE.
"""

import re
from collections import Counter, defaultdict

from secondhop.ranking.capital_names import capital_names
from secondhop.ranking.topic_runs import topic_runs

_COUNTED = re.compile(
    r"\d|\b(?:half|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty)\b", re.I
)


def names_in(text: str, *, n: int) -> list[str]:
    """At most `n` names, those that occur most often first; ties go to the first in the text.
    Identifiers (SSL_MODE, IP54) are left out."""
    return [name for name in _capitalised(text) if not _is_identifier(name)][:n]


def _is_identifier(name: str) -> bool:
    """Whether a name is one word with a digit or an underscore."""
    return " " not in name and any(char == "_" or char.isdigit() for char in name)


def topic_names(text: str, *, n: int = 30) -> list[str]:
    """At most `n` names, identifiers and noun phrases that may say what a text is about: phrases
    last, the best of them first.

    Counted things ("two weeks") are left out.

    >>> topic_names("In two weeks Lena wants to see the tax return of 2024.")
    ['Lena', 'tax return']
    """
    phrases = [phrase for phrase in phrases_in(text) if not _COUNTED.search(phrase)]
    return _distinct([*_capitalised(text), *phrases])[:n]


def phrases_in(text: str) -> list[str]:
    """Phrases of two to four words, the highest RAKE score first; ties go to the first in the text.

    The score of a phrase is the sum of degree(w) / frequency(w) over its words w; degree(w) counts
    the words of all runs that hold w.

    Source: RAKE: Rose, Engel, Cramer & Cowley, in: Text Mining, 2010,
    doi:10.1002/9780470689646.ch1.
    """
    runs = [run for run in topic_runs(text) if not all(word.isdigit() for word in run)]
    frequency: Counter[str] = Counter()
    degree: defaultdict[str, int] = defaultdict(int)
    for run in runs:
        for word in run:
            frequency[word.casefold()] += 1
            degree[word.casefold()] += len(run)
    scores: dict[str, float] = {}
    for run in runs:
        if len(run) > 1:
            score = sum(degree[word.casefold()] / frequency[word.casefold()] for word in run)
            scores.setdefault(" ".join(run), score)
    return sorted(scores, key=lambda phrase: -scores[phrase])


def _capitalised(text: str) -> list[str]:
    """Names and identifiers, those that occur most often first."""
    found = sorted(capital_names(text), key=lambda found: -found[1])
    return _distinct([name for name, _ in found])


def _distinct(phrases: list[str]) -> list[str]:
    """The phrases in order, the first of those that differ in case alone."""
    first: dict[str, str] = {}
    for phrase in phrases:
        first.setdefault(phrase.casefold(), phrase)
    return list(first.values())
