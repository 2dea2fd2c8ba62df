"""The field's own measures, computed by its own tools: ir-measures over trec_eval and ndeval.

MacAvaney et al., Streamlining Evaluation with ir-measures, ECIR 2022,
doi:10.1007/978-3-030-99739-7_38. The tools come with the extra `secondhop[eval]`.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stderr
from importlib.util import find_spec
from io import StringIO
from typing import Any

from secondhop.errors import SecondhopError
from secondhop.evals.judgements import (
    Judgement,
    Rankings,
    best_grades,
    have_subtopics,
    question_ids,
)
from secondhop.evals.measures import Measures

PLAIN_MEASURES = ("P", "R", "RR", "nDCG")
"""Precision, recall, reciprocal rank, and nDCG with linear gains, as trec_eval has them.

A memory's grade is its best over the subtopics; from 1 on it is relevant.
"""

SUBTOPIC_MEASURES = ("alpha_nDCG", "ERR_IA", "StRecall")
"""Alpha-nDCG (alpha 0.5), intent-aware ERR, and subtopic recall, as ndeval has them: a memory
serves a subtopic from grade 1 on, or it does not."""

NDEVAL_DEPTH = 20
"""ndeval counts no deeper; a greater cutoff means this one."""

MODULES = ("ir_measures", "pytrec_eval", "pyndeval")


class EvalExtraMissingError(SecondhopError):
    """The measures of ir-measures were asked for, and it is not installed."""

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(
            f"P@k, R@k, RR, nDCG@k, alpha-nDCG@k, ERR-IA@k and subtopic recall are computed by "
            f"ir-measures, and {', '.join(missing)} is not installed; "
            f"install it: pip install '/path/to/the/checkout[eval]'"
        )


def missing_modules() -> list[str]:
    """Which of the tools cannot be imported; [] when all are there."""
    return [name for name in MODULES if find_spec(name) is None]


def expect_library() -> None:
    """Raises EvalExtraMissingError when a tool cannot be imported."""
    if missing := missing_modules():
        raise EvalExtraMissingError(missing)


def library_measures(
    judgements: Sequence[Judgement], rankings: Rankings, *, cutoffs: Mapping[str, int]
) -> dict[str, Measures]:
    """{question id: {measure: value}} of every judged question.

    The subtopic measures are there when any question has subtopics. A question that was not
    answered has 0 everywhere.

    Args:
        cutoffs: {question id: memories that count}; of each judged question.

    Raises:
        EvalExtraMissingError: the tools are not installed.
    """
    expect_library()
    asked = question_ids(judgements)
    found: dict[str, Measures] = {question_id: {} for question_id in asked}
    with_subtopics = have_subtopics(judgements)
    for cutoff in sorted({cutoffs[question_id] for question_id in asked}):
        own = {question_id for question_id in asked if cutoffs[question_id] == cutoff}
        judged = [one for one in judgements if one.question_id in own]
        top = {q: rankings.get(q, ())[:cutoff] for q in own}
        _fill(found, PLAIN_MEASURES, best_grades(judged), top, cutoff=cutoff)
        if with_subtopics:
            depth = min(cutoff, NDEVAL_DEPTH)
            _fill(found, SUBTOPIC_MEASURES, judged, top, cutoff=depth)
    return found


def _fill(
    found: Mapping[str, Measures],
    names: Iterable[str],
    judgements: Sequence[Judgement],
    top: Rankings,
    *,
    cutoff: int,
) -> None:
    """Add these measures of the questions in `top`."""
    for name in names:
        values = _values(name, judgements, top, cutoff=cutoff)
        for question_id in top:
            found[question_id][name] = values.get(question_id, 0.0)


def _values(
    name: str, judgements: Sequence[Judgement], top: Rankings, *, cutoff: int
) -> dict[str, float]:
    """{question id: value} of one measure.

    Measures are asked for one by one: of several that need several passes of ndeval, ir-measures
    0.4 fills only the first. Scores are ranks turned round, so that no tool breaks ties its way.
    """
    import ir_measures

    qrels = [
        ir_measures.Qrel(one.question_id, one.memory_id, one.grade, one.subtopic)
        for one in judgements
    ]
    run = [
        ir_measures.ScoredDoc(question_id, memory_id, float(-rank))
        for question_id, ranking in top.items()
        for rank, memory_id in enumerate(ranking)
    ]
    if not run:
        return {}
    measure: Any = getattr(ir_measures, name)
    asked = measure if name == "RR" else measure @ cutoff
    with redirect_stderr(StringIO()):  # it warns of questions with one subtopic; they are in order
        found = list(ir_measures.iter_calc([asked], qrels, run))
    return {one.query_id: float(one.value) for one in found}
