"""The field's own measures, computed by its own tools: ir-measures over trec_eval and ndeval.

MacAvaney et al., Streamlining Evaluation with ir-measures, ECIR 2022,
doi:10.1007/978-3-030-99739-7_38. The tools come with the extra `secondhop[eval]`.
"""

from collections.abc import Sequence
from contextlib import redirect_stderr
from io import StringIO
from typing import Any

from secondhop.evals.extra import expect_extra
from secondhop.evals.measures import Measures, Rankings
from secondhop.evals.scenario import Question

PLAIN_MEASURES = ("P", "R", "RR", "nDCG")
"""Precision, recall, reciprocal rank, and nDCG with linear gains, as trec_eval has them.

A memory's grade is its best over the facets; from 1 on it is relevant.
"""

FACET_MEASURES = ("alpha_nDCG", "ERR_IA", "StRecall")
"""Alpha-nDCG (alpha 0.5), intent-aware ERR, and subtopic recall, as ndeval has them, a facet a
subtopic: a memory serves it from grade 1 on, or it does not."""

NDEVAL_DEPTH = 20
"""ndeval counts no deeper; a greater cutoff means this one."""


def library_measures(questions: Sequence[Question], rankings: Rankings) -> dict[str, Measures]:
    """{question id: {"P@k": …}} at each question's own k; 0 everywhere where nothing was ranked.

    A memory that another one replaced is judged not relevant. That some memories repeat each
    other cannot be said to these tools.

    Raises:
        EvalExtraMissingError: the tools are not installed.
    """
    expect_extra()
    names = [*PLAIN_MEASURES, *FACET_MEASURES]
    found = {one.id: {f"{name}@k": 0.0 for name in names} for one in questions}
    for k in sorted({one.k for one in questions}):
        asked = [one for one in questions if one.k == k]
        for name in names:
            for question_id, value in values_of(name, asked, rankings, k=k).items():
                found[question_id][f"{name}@k"] = value
    return found


def values_of(
    name: str, questions: Sequence[Question], rankings: Rankings, *, k: int
) -> dict[str, float]:
    """{question id: value} of one measure.

    Measures are asked for one by one: of several that need several passes of ndeval, ir-measures
    0.4 fills only the first. Scores are ranks turned round, so that no tool breaks ties its way.
    """
    import ir_measures

    by_facet = name in FACET_MEASURES
    qrels = [ir_measures.Qrel(*one) for one in judgements(questions, by_facet=by_facet)]
    run = [
        ir_measures.ScoredDoc(one.id, memory_id, float(-rank))
        for one in questions
        for rank, memory_id in enumerate(rankings.get(one.id, ())[:k])
    ]
    if not run:
        return {}
    measure: Any = getattr(ir_measures, name)
    cutoff = min(k, NDEVAL_DEPTH) if by_facet else k
    asked = measure if name == "RR" else measure @ cutoff
    with redirect_stderr(StringIO()):  # it warns of questions with one subtopic; they are in order
        found = list(ir_measures.iter_calc([asked], qrels, run))
    return {one.query_id: float(one.value) for one in found}


def judgements(questions: Sequence[Question], *, by_facet: bool) -> list[tuple[str, str, int, str]]:
    """(question id, memory id, grade, subtopic) of every label; the subtopic is "0" for the whole
    question, else the number of the facet, from 1."""
    best: dict[tuple[str, str, str], int] = {}
    for question in questions:
        for number, facet in enumerate(question.facets, start=1):
            for memory_id, grade in facet.relevant.items():
                key = (question.id, memory_id, str(number) if by_facet else "0")
                counted = 0 if memory_id in question.stale else grade
                best[key] = max(counted, best.get(key, 0))
    return [(one, memory_id, grade, topic) for (one, memory_id, topic), grade in best.items()]
