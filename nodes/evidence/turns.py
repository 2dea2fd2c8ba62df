"""Splits a passage into turns, so that a budget is filled with the turns that matter.

A passage of a conversation holds several turns. Its vector and its words find the passage. The
words of each turn then tell which turns answer the question.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import log1p

from secondhop.nodes.evidence.neighbours import with_neighbours
from secondhop.nodes.evidence.rank import PassageScores, best_first
from secondhop.nodes.evidence.speaker_match import SPEAKER, voice_factors
from secondhop.stores.catalog.analysis import document_terms, query_terms
from secondhop.stores.records import Passage

SPLIT = 40
"""Best passages that are split into turns; later ones hardly get into any budget."""

SPLIT_TOKENS = 60
"""Passages of at most so many tokens stay whole: "ok" says nothing without what it answers."""

OWN_WORDS = 0.5
"""Weight of a turn's own words; the passage around it has weight 1."""

K1, B = 1.2, 0.75
"""Parameters of BM25, as in the store."""

TURNS_A_PASSAGE = 1_000
"""More turns than any passage has; turns are numbered with it."""

_MARK = "¶"
_TURN = re.compile(rf"(?:\A|\n\n)(?={SPEAKER}:\s)")


def with_turns(
    scores: Mapping[str, float], passages: Mapping[str, Passage], question: str
) -> tuple[PassageScores, dict[str, Passage]]:
    """(scores, passages), where turns replace the best passages in the scores.

    turn = (passage + OWN_WORDS · best · BM25 / highest BM25) / (1 + OWN_WORDS). Then turns gain by
    who speaks and by what stands next to them, like passages.
    """
    best = best_first(scores)[:SPLIT]
    long = [p for p in best if passages[p].tokens > SPLIT_TOKENS]
    split = {p: own for p in long if len(own := turns_of(passages[p])) > 1}
    turns = {turn.passage_id: turn for own in split.values() for turn in own}
    if not turns:
        return dict(scores), dict(passages)
    top, words = max(scores.values()), own_words(list(turns.values()), question)
    told = {
        turn.passage_id: (scores[p] + OWN_WORDS * top * words[turn.passage_id]) / (1 + OWN_WORDS)
        for p, own in split.items()
        for turn in own
    }
    voices = voice_factors(list(turns.values()), question)
    told = with_neighbours({turn: told[turn] * voices[turn] for turn in told}, turns)
    whole = {p: score for p, score in scores.items() if p not in split}
    return {**whole, **told}, {**passages, **turns}


def turns_of(passage: Passage) -> list[Passage]:
    """The turns as passages of their own; [passage] if it has fewer than two.

    Their ordinals are negative, so that only turns of the same passage are neighbours.
    """
    starts = [match.end() for match in _TURN.finditer(passage.text)]
    if len(starts) < 2:
        return [passage]
    cuts = [0, *starts[1:], len(passage.text)]
    texts = [passage.text[a:b].strip() for a, b in pairwise(cuts)]
    size = max(1, len(passage.text))
    return [
        replace(
            passage,
            passage_id=f"{passage.passage_id}{_MARK}{number}",
            ordinal=-(1 + TURNS_A_PASSAGE * passage.ordinal + number),
            text=text,
            tokens=-(-passage.tokens * len(text) // size) + 1,
        )
        for number, text in enumerate(texts)
    ]


def whole_id(passage_id: str) -> str:
    """The id of the passage that a turn is from; the id of a passage stays as it is.

    >>> whole_id("m:0f3a:4¶2"), whole_id("m:0f3a:4")
    ('m:0f3a:4', 'm:0f3a:4')
    """
    whole, mark, number = passage_id.rpartition(_MARK)
    return whole if mark and number.isdigit() else passage_id


def place_of(passage: Passage) -> float:
    """The place in its memory: a whole number for a passage, a fraction after it for a turn.

    >>> from secondhop.stores.records import Passage
    >>> turn = Passage(
    ...     passage_id="m:4¶2", memory_id="m", ordinal=-4003, text="Ann: Tea?", tokens=4
    ... )
    >>> place_of(turn)
    4.002
    """
    if passage.ordinal >= 0:
        return float(passage.ordinal)
    return (-passage.ordinal - 1) / TURNS_A_PASSAGE


def own_words(turns: Sequence[Passage], question: str) -> dict[str, float]:
    """{turn id: BM25 as a share of the highest}; the rarity of words comes from these turns.

    Source: Robertson & Zaragoza 2009, doi:10.1561/1500000019.
    """
    wanted = query_terms(question).words
    terms = {turn.passage_id: Counter(document_terms(turn.text)) for turn in turns}
    average = max(1.0, sum(own.total() for own in terms.values()) / len(terms))
    holding = {word: sum(word in own for own in terms.values()) for word in wanted}
    rarity = {
        word: log1p((len(terms) - count + 0.5) / (count + 0.5)) for word, count in holding.items()
    }
    lengths = {one: 1 - B + B * own.total() / average for one, own in terms.items()}
    scores = {
        turn_id: sum(
            rarity[word] * own[word] * (K1 + 1) / (own[word] + K1 * lengths[turn_id])
            for word in wanted
            if own[word]
        )
        for turn_id, own in terms.items()
    }
    most = max(scores.values(), default=0.0) or 1.0
    return {turn_id: score / most for turn_id, score in scores.items()}
