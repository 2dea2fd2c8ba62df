"""The field's tools and our own quick measures: they agree where they say the same thing."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.labelled import labelled

from secondhop.evals.extra import EvalExtraMissingError, missing_modules
from secondhop.evals.ir_library import library_measures
from secondhop.evals.measures import Measures, measure
from secondhop.evals.scenario import Question

POOL = [f"m{n:02}" for n in range(12)]


def of_library(question: Question, ranked: list[str]) -> Measures:
    """What the tools say of one question."""
    return library_measures([question], {"q": ranked})["q"]


def mirrored(memory_id: str) -> str:
    """The id that sorts the other way round."""
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
    """Where every label is 3 and nothing repeats or is stale, the definitions are the same.

    The greedy ideal is ambiguous: ndeval gives ties to the larger id and we to the smaller, so
    that it is asked about mirrored ids.
    """
    ours = measure(labelled(*[dict.fromkeys(one, 3) for one in facets], k=k), ranked)
    theirs = of_library(
        labelled(*[dict.fromkeys(map(mirrored, one), 3) for one in facets], k=k),
        [mirrored(memory_id) for memory_id in ranked],
    )

    assert theirs["alpha_nDCG@k"] == pytest.approx(ours["alpha_ndcg"], abs=1e-9)
    assert theirs["StRecall@k"] == pytest.approx(ours["facet_recall"], abs=1e-9)
    assert theirs["P@k"] == pytest.approx(ours["precision"], abs=1e-9)


def test_small_figures_that_a_reader_can_check() -> None:
    found = of_library(labelled({"a": 3, "b": 1}, {"c": 2}), ["x", "a", "c", "y"])

    assert found["P@k"] == 0.5
    assert found["R@k"] == pytest.approx(2 / 3)
    assert found["RR@k"] == 0.5
    assert found["StRecall@k"] == 1.0
    most = sum(0.5**rank / rank for rank in range(1, 5))  # ndeval: all four serve every subtopic
    assert found["ERR_IA@k"] == pytest.approx((0.5 / 2 + 0.5 / 3) / 2 / most)


def test_every_question_is_cut_at_its_own_k_and_an_unanswered_one_counts_0() -> None:
    questions = [labelled({"a": 3}, {"b": 3}, k=k, question_id=f"k{k}") for k in (1, 2, 5)]
    rankings = {"k1": ["x", "a"], "k2": ["x", "a"]}

    found = library_measures(questions, rankings)

    assert [found[one]["RR@k"] for one in ("k1", "k2", "k5")] == [0, 0.5, 0]
    assert [found[one]["P@k"] for one in ("k1", "k2", "k5")] == [0, 0.5, 0]
    assert set(found["k5"].values()) == {0.0}


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyndeval", None)
    monkeypatch.setattr("secondhop.evals.extra.find_spec", sys.modules.get)

    assert "pyndeval" in missing_modules()
    with pytest.raises(EvalExtraMissingError, match=r"pyndeval.*pip install .*\[eval\]"):
        of_library(labelled({"a": 3}), ["a"])
