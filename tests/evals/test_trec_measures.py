"""Our measures agree with the field's own tools where the definitions are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.labelled import labelled
from tests.evals.trec_measures import trec_measures

from secondhop.evals.measures import measure

POOL = [f"m{n:02}" for n in range(12)]


def mirrored(memory_id: str) -> str:
    """An id that sorts in the opposite order."""
    return f"m{99 - int(memory_id[1:]):02}"


facet_labels = st.sets(st.sampled_from(POOL), min_size=1, max_size=5)


@given(
    facets=st.lists(facet_labels, min_size=2, max_size=5),
    ranked=st.permutations(POOL),
    k=st.integers(1, 10),
)
def test_alpha_ndcg_facet_recall_and_precision_agree_with_ndeval_and_trec_eval(
    facets: list[set[str]], ranked: list[str], k: int
) -> None:
    """If every label is 3 and nothing repeats or is stale, the definitions are the same.

    The greedy ideal is ambiguous: ndeval gives ties to the larger id and we give them to the
    smaller, so ndeval is asked about mirrored ids.
    """
    ours = measure(labelled(*[dict.fromkeys(one, 3) for one in facets], k=k), ranked)
    theirs = trec_measures(
        labelled(*[dict.fromkeys(map(mirrored, one), 3) for one in facets], k=k),
        [mirrored(memory_id) for memory_id in ranked],
    )

    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, abs=1e-9), name
