"""Finds names and key phrases in a text, without a model.

Two finders each run over the text once, in linear time:

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

Kind: TypeAlias = Literal["name", "phrase"]

PHRASE_TRUST: Final = 0.5
"""Upper bound of the score of a phrase; that of a name is 1."""


class KeyPhrase(NamedTuple):
    """One found phrase, spelled as in its first occurrence."""

    phrase: str
    score: float
    """0..1."""
    kind: Kind


def key_phrases(text: str, *, n: int | None = None) -> list[KeyPhrase]:
    """At most `n` phrases of the text (None: all), best first, without repeats (ignoring case).

    A name with c occurrences scores (c + 1) / (c + 2). A phrase scores PHRASE_TRUST · its RAKE
    score / the highest RAKE score. The RAKE score is the sum of degree(w) / frequency(w) over the
    words w of the phrase; degree(w) counts the words of all phrases that hold w.

    What both finders found is a name. Ties go to the first in the text.

    Source: RAKE: Rose, Engel, Cramer & Cowley, in: Text Mining, 2010,
    doi:10.1002/9780470689646.ch1.
    """
    names = [
        KeyPhrase(name, (count + 1) / (count + 2), "name") for name, count in capital_names(text)
    ]
    ranked = sorted([*names, *_rake(topic_runs(text))], key=lambda found: -found.score)
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
        yield KeyPhrase(phrase, PHRASE_TRUST * score / highest, "phrase")
