"""Whether anything stored is about the question."""

from secondhop.nodes.selection.answerable import answerable
from secondhop.nodes.state import (
    DIRECT,
    Candidate,
    CueHits,
    FacetScore,
    Hits,
    QuestionKind,
    Ranking,
    RecallState,
)


def score(relevance: float) -> FacetScore:
    return FacetScore(
        rank=1,
        fused=0.01,
        relevance=relevance,
        dense=0.5,
        lexical=0.0,
        passage_ids=("p",),
        query_ids=("q0",),
        passage_scores=(relevance,),
    )


def is_answered(best: float, *, kind: QuestionKind, memories: int, cue: float = 0.0) -> bool:
    """Whether a question has an answer whose nearest of so many memories is that relevant, and
    whose nearest cue is that similar."""
    candidates = {
        f"m{number}": Candidate(
            memory_id=f"m{number}",
            title="",
            source="note",
            created_at="2026-01-01T00:00:00+00:00",
            first_round=1,
            score=best,
            scores={DIRECT: score(best if number == 0 else 0.01)},
            kind="note",
            salience=0.5,
        )
        for number in range(memories)
    }
    hits = Hits(passage_ids=[], memory_ids=[], scores=[])
    cues = CueHits(memory_ids=[], specific=[], broad=[], nearest=cue, cues=[])
    ranking = Ranking(
        query_id="q0", dense=hits, lexical=hits, cosines={}, error="", hidden={}, cues=cues
    )
    state = RecallState(
        question="What instrument do I play?", candidates=candidates, rankings={"q0": ranking}
    )
    return answerable(state, kind, min_score=0.35)[0]


def test_with_few_memories_less_is_needed() -> None:
    for kind in ("factual", "conceptual"):
        assert is_answered(0.3, kind=kind, memories=80)
        assert not is_answered(0.15, kind=kind, memories=80)
        assert is_answered(0.15, kind=kind, memories=20)
        assert not is_answered(0.03, kind=kind, memories=20)


def test_a_look_up_needs_more_than_a_question_for_help() -> None:
    assert is_answered(0.1, kind="procedural", memories=20)
    assert not is_answered(0.1, kind="temporal", memories=20)


def test_a_cue_near_the_question_makes_up_for_texts_that_are_not() -> None:
    assert is_answered(0.03, kind="conceptual", memories=80, cue=0.45)
    assert not is_answered(0.03, kind="conceptual", memories=80, cue=0.35)
    assert is_answered(0.03, kind="factual", memories=80, cue=0.55)
    assert not is_answered(0.03, kind="factual", memories=80, cue=0.45)
