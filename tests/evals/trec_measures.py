"""What the field's own tools measure for a question: ir-measures over trec_eval and ndeval.

MacAvaney et al., Streamlining Evaluation with ir-measures, ECIR 2022,
doi:10.1007/978-3-030-99739-7_38.
"""

from collections.abc import Sequence
from contextlib import redirect_stderr
from io import StringIO

import ir_measures

from secondhop.evals.scenario import Question

MEASURES = {
    "alpha_ndcg": ir_measures.alpha_nDCG,
    "facet_recall": ir_measures.StRecall,
    "precision": ir_measures.P,
}
"""{name of our measure: their measure}."""


def trec_measures(question: Question, ranked: Sequence[str]) -> dict[str, float]:
    """{name of our measure: the value of theirs}, with facets as subtopics.

    The measures are asked for one by one: if several need their own pass of ndeval, ir-measures 0.4
    fills only the first.
    """
    labels = [
        ir_measures.Qrel(question.id, memory_id, grade, str(number))
        for number, facet in enumerate(question.facets, start=1)
        for memory_id, grade in facet.relevant.items()
    ]
    whole = [
        ir_measures.Qrel(question.id, memory_id, 1, "0")
        for memory_id in {label.doc_id for label in labels}
    ]
    run = [
        ir_measures.ScoredDoc(question.id, memory_id, float(-rank))
        for rank, memory_id in enumerate(ranked[: question.k])
    ]
    found: dict[str, float] = {}
    with redirect_stderr(StringIO()):  # it warns about questions with one subtopic, which are fine
        for ours, theirs in MEASURES.items():
            qrels = whole if ours == "precision" else labels
            (one,) = ir_measures.iter_calc([theirs @ question.k], qrels, run)
            found[ours] = float(one.value)
    return found
