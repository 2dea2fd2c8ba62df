"""Says whether anything stored is near enough to the question for an answer."""

from collections.abc import Mapping
from math import sqrt

from secondhop.nodes.effort import mostly_cued
from secondhop.nodes.planning.follow_up import telling_words
from secondhop.nodes.planning.question_kind import LOOKUPS, is_small_talk, names_in
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.state import DIRECT, Candidate, FacetScore, QuestionKind, RecallState
from secondhop.ranking.words import words

ANSWERABLE: Mapping[QuestionKind, float] = {
    "factual": 0.8,
    "temporal": 0.8,
    "conceptual": 0.45,
    "procedural": 0.45,
}
"""How near the best memory must be to the question itself, as a share of `min_score`; if none is,
nothing is returned.

A question for a fact is not answered by what surrounds the fact. A question for help may be, even
if no memory is about it: of some 110 that people asked of their own memories the farthest had 0.56,
and of two that no memory answers the nearer one 0.38 (docs/benchmarks.md).
"""


FULL_SIZE = 80
"""With fewer memories than this, the bar is lower: of a question for help in proportion, of a
look-up by the square root, which keeps the share of other people's look-ups that are answered.

The best of few is less near by chance alone, and to withhold the one allergy that somebody noted is
worse than to return one note too many (docs/benchmarks.md).
"""

LEAST = 0.5
"""The bar of a look-up is never lower than this share of the full one: below it, even one of few
memories is near by chance."""

SMALL_TALK_BAR = 0.8
"""Bar of a message that only greets or thanks: a memory has to say nearly the same.

Embedding models find a greeting of two words near any short fact: "hello there" is up to 0.43 near
"My home is Lisbon.".
"""


RARE = 0.25
"""A name, or the question's telling words together, tell memories apart if at most this share of
the candidates contains them.

One telling word of several would not do: then five of the six questions in ops-notes that nothing
answers had an answer, and 237 instead of 104 of 351 look-ups that were put to other people's
memories. All of them together change neither figure.
"""


BROAD_HELPS = 0.33
"""Similarity of a broad cue to a question for help from which on its memories help. Of 1,326 such
questions put to other people's memories, 0.1 % are answered for this reason alone."""


CUES_ANSWER, CUES_HELP = 0.5, 0.4
"""Similarity of a specific cue to a look-up, and to a question for help, from which on we take the
memory as stored for such a question; see `CueHits`.

Of 999 questions for help put to stores of other people (15, 46 and all memories), 34 reached 0.4,
and each of them found a text near enough as well. Of 275 put to the person's own memories, half
did. A look-up needs more: a memory about the same thing need not hold the fact that is asked for.
But from 0.4 on, cues and not texts order its answer.
"""


def answerable(
    state: RecallState, kind: QuestionKind, *, min_score: float, named: bool = False
) -> tuple[bool, float, float]:
    """(whether anything stored is about the question, best relevance of a text, bar).

    True if the best relevance reaches the bar, a cue is near the question (for a look-up only a
    specific one), a name or all telling words of the question tell some memories apart (`named`),
    or the question's own searches failed while other queries found candidates.
    """
    candidates = state.get("candidates", {})
    direct = [
        text_relevance(candidate["scores"][DIRECT])
        for candidate in candidates.values()
        if DIRECT in candidate["scores"]
    ]
    best, bar = max(direct, default=0.0), ANSWERABLE[kind] * min_score
    own = state.get("rankings", {}).get("q0")
    compared = len({*own["dense"]["memory_ids"]}) if own else 0
    size = min(1.0, max(len(direct), compared) / FULL_SIZE)
    bar *= max(LEAST, sqrt(size)) if kind in LOOKUPS else size
    if is_small_talk(state["question"]):
        bar = SMALL_TALK_BAR
    unknown = bool(candidates) and not direct
    cued = nearest_cue(state) >= (CUES_ANSWER if kind in LOOKUPS else CUES_HELP)
    cued = cued or (kind not in LOOKUPS and nearest_broad_cue(state) >= BROAD_HELPS)
    yes = best >= bar or cued or named or unknown
    return yes, best, bar


def admitting_min_score(state: RecallState, *, min_score: float, named: bool) -> float | None:
    """The highest `ranking.min_score`, cut to four digits, with which something stored is near
    enough to the question; None if `min_score` will do or none helps."""
    near, nearest, bar = answerable(state, state["kind"], min_score=min_score, named=named)
    if near or is_small_talk(state["question"]):  # the bar of small talk is fixed
        return None
    return int(nearest / bar * min_score * 10_000) / 10_000


def named_in_question(pool: Pool, question: str, *, by_telling_words: bool) -> dict[str, str]:
    """{memory id: what it shares with the question, if most other memories lack it}: a name, or
    (`by_telling_words`) all of the question's telling words.

    Embedding models know few personal names, and find little in a note of three words about one.
    """
    shared = {name: {*words(name)} for name in names_in(question)}
    if by_telling_words and (telling := telling_words(question)):
        shared = {"”, “".join(telling): {*telling}} | shared
    if not shared:
        return {}
    evidence = pool.evidence
    said = {
        one: {word for row in rows for word in words(evidence.texts[row])}
        for one, rows in zip(pool.ids, evidence.passages, strict=True)
    }
    most = max(1, round(RARE * len(said)))
    found: dict[str, str] = {}
    for name, parts in shared.items():
        having = [one for one, own in said.items() if parts <= own]
        if len(having) <= most:
            found = dict.fromkeys(having, name) | found
    return found


def nearest_cue(state: RecallState) -> float:
    """Similarity of the nearest specific cue to the question; 0.0 if no memory has cues."""
    own = state.get("rankings", {}).get("q0")
    return own["cues"]["nearest"] if own and "cues" in own else 0.0


def nearest_broad_cue(state: RecallState) -> float:
    """The same for the nearest broad cue."""
    own = state.get("rankings", {}).get("q0")
    return own["cues"].get("nearest_broad", 0.0) if own and "cues" in own else 0.0


def is_text_look_up(state: RecallState) -> bool:
    """Whether text decides: the question is a look-up, few memories have cues, and none has a cue
    near the question."""
    return state["kind"] in LOOKUPS and not mostly_cued(state) and nearest_cue(state) < CUES_HELP


def asks_several(state: RecallState) -> bool:
    """Whether one message asked several questions.

    Then relevance decides instead of ranks: the first hit for a question that nothing answers must
    not go before the answer to another question.
    """
    asked = [one for one in state.get("queries", {}).values() if one["origin"] == "question"]
    return len(asked) > 1


def best_text(candidate: Candidate) -> float:
    """The best calibrated relevance of its text to a facet."""
    return max(map(text_relevance, candidate["scores"].values()))


def text_relevance(score: FacetScore) -> float:
    """Calibrated relevance of the text alone, 0..1."""
    return score.get("text", score["relevance"])
