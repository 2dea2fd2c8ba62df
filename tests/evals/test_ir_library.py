"""The field's tools and our own quick measures: they agree where they say the same thing."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.labelled import labelled

from secondhop.evals.ir_library import (
    PLAIN_MEASURES,
    SUBTOPIC_MEASURES,
    EvalExtraMissingError,
    library_measures,
    missing_modules,
)
from secondhop.evals.judgements import Judgement, judgements_of
from secondhop.evals.measures import Measures, measure
from secondhop.evals.scenario import LabelledFacet, Question

POOL = [f"m{n:02}" for n in range(12)]


def of_library(question: Question, ranked: list[str]) -> Measures:
    """What the tools say of one question."""
    judgements = list(judgements_of([question]))
    return library_measures(judgements, {"q": ranked}, cutoffs={"q": question.k})["q"]


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

    assert theirs["alpha_nDCG"] == pytest.approx(ours["alpha_ndcg"], abs=1e-9)
    assert theirs["StRecall"] == pytest.approx(ours["facet_recall"], abs=1e-9)
    assert theirs["P"] == pytest.approx(ours["precision"], abs=1e-9)


def test_where_the_definitions_differ_the_difference_is_the_documented_one() -> None:
    """Grade 1 serves no facet of ours; what repeats or is stale gains nothing with us."""
    marginal = labelled({"a": 1, "b": 3}, {"c": 3})
    repeating = labelled({"a": 3, "b": 3}, {"c": 3}, redundant=[["a", "b"]])
    stale = labelled({"old": 3, "new": 3}, {"c": 3}, stale={"old": "new"})

    assert measure(marginal, ["a", "c"])["facet_recall"] == 0.5
    assert of_library(marginal, ["a", "c"])["StRecall"] == 1.0
    assert measure(repeating, ["a", "b"])["alpha_ndcg"] == measure(repeating, ["a"])["alpha_ndcg"]
    assert (
        of_library(repeating, ["a", "b"])["alpha_nDCG"] > of_library(repeating, ["a"])["alpha_nDCG"]
    )
    assert of_library(stale, ["old"])["P"] == 0 == measure(stale, ["old"])["alpha_ndcg"]


def test_small_figures_that_a_reader_can_check() -> None:
    found = of_library(labelled({"a": 3, "b": 1}, {"c": 2}), ["x", "a", "c", "y"])

    assert found["P"] == 0.5
    assert found["R"] == pytest.approx(2 / 3)
    assert found["RR"] == 0.5
    assert found["StRecall"] == 1.0
    most = sum(0.5**rank / rank for rank in range(1, 5))  # ndeval: all four serve every subtopic
    assert found["ERR_IA"] == pytest.approx((0.5 / 2 + 0.5 / 3) / 2 / most)


def test_a_memory_of_two_facets_counts_with_its_better_grade() -> None:
    """ir-measures alone would take whichever grade stands last in the qrels."""
    better_first = labelled({"a": 3}, {"a": 1, "b": 2}, k=2)
    better_last = labelled({"a": 1, "b": 2}, {"a": 3}, k=2)

    assert of_library(better_first, ["a", "b"])["nDCG"] == pytest.approx(1.0)
    assert of_library(better_last, ["a", "b"])["nDCG"] == pytest.approx(1.0)


def test_every_question_is_cut_at_its_own_k_and_an_unanswered_one_counts_0() -> None:
    questions = [labelled({"a": 3}, {"b": 3}, k=k, question_id=f"k{k}") for k in (1, 2, 5)]
    judgements = list(judgements_of(questions))
    rankings = {"k1": ["x", "a"], "k2": ["x", "a"]}

    found = library_measures(judgements, rankings, cutoffs={"k1": 1, "k2": 2, "k5": 5})

    assert [found[one]["RR"] for one in ("k1", "k2", "k5")] == [0, 0.5, 0]
    assert [found[one]["P"] for one in ("k1", "k2", "k5")] == [0, 0.5, 0]
    assert set(found["k5"].values()) == {0.0}
    assert tuple(found["k5"]) == (*PLAIN_MEASURES, *SUBTOPIC_MEASURES)


def test_a_question_of_one_facet_among_others_is_measured_without_a_warning(
    capfd: pytest.CaptureFixture[str],
) -> None:
    questions = [
        labelled({"a": 3}, k=1, question_id="one"),
        labelled({"a": 3}, {"b": 3}, k=2, question_id="two"),
    ]

    found = library_measures(
        list(judgements_of(questions)), {"one": ["a"]}, cutoffs={"one": 1, "two": 2}
    )

    assert found["one"]["StRecall"] == 1.0
    assert capfd.readouterr().err == ""


def test_judgements_without_subtopics_have_no_subtopic_measures() -> None:
    judgements = [Judgement("q", "0", "a", 1), Judgement("q", "0", "b", 0)]

    found = library_measures(judgements, {"q": ["b", "a"]}, cutoffs={"q": 30})

    assert tuple(found["q"]) == PLAIN_MEASURES


def test_subtopics_are_counted_at_most_20_deep() -> None:
    """ndeval refuses deeper cutoffs."""
    wanted = LabelledFacet(name="late", why="w", hop=1, relevant={"m24": 3})
    question = labelled({"m00": 3}, k=30).model_copy(
        update={"facets": [*labelled({"m00": 3}).facets, wanted]}
    )

    found = of_library(question, [f"m{n:02}" for n in range(30)])

    assert found["StRecall"] == 0.5
    assert found["R"] == 1.0


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyndeval", None)
    monkeypatch.setattr("secondhop.evals.ir_library.find_spec", sys.modules.get)

    assert "pyndeval" in missing_modules()
    with pytest.raises(EvalExtraMissingError, match=r"pyndeval.*pip install 'secondhop\[eval\]'"):
        of_library(labelled({"a": 3}), ["a"])
