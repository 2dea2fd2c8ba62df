"""Conversations dealt to folds: none in two, none lost, every set spread over all."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from benchmarks.evidence_folds import Group, dealt, groups_of
from hypothesis import given
from hypothesis import strategies as st

from secondhop.errors import UsageError
from secondhop.evals.evidence_set import EvidenceSet, QuestionLine


def evidence_set(name: str, entities: Sequence[str]) -> EvidenceSet:
    """A question for each mention of an entity."""
    questions = tuple(
        QuestionLine(id=f"q{n}", entity=one, question="Tea?", category="c", evidence=[["i"]])
        for n, one in enumerate(entities)
    )
    return EvidenceSet(name=name, items=(), questions=questions)


entities = st.lists(st.sampled_from("abcdef"), min_size=2, max_size=20)
worlds = st.lists(entities, min_size=1, max_size=4).map(
    lambda sets: [evidence_set(f"set {n}", own) for n, own in enumerate(sets)]
)
"""Sets that share the names of their entities, and the ids of their questions."""


def groups_by_set(sets: Sequence[EvidenceSet]) -> dict[str, list[Group]]:
    return {one.name: groups_of(one, one.questions) for one in sets}


@given(worlds, st.integers(2, 6), st.integers(0, 3))
def test_every_question_is_in_one_fold_and_with_all_others_of_its_conversation(
    sets: list[EvidenceSet], wanted: int, seed: int
) -> None:
    groups = groups_by_set(sets)
    wanted = min(wanted, sum(map(len, groups.values())))

    folds = dealt(groups, folds=wanted, seed=seed)

    places = [
        ((group.set_name, question), number)
        for number, fold in enumerate(folds)
        for group in fold
        for question in group.questions
    ]
    fold_of = dict(places)
    assert len(places) == len(fold_of), "no question twice"
    assert set(fold_of) == {(one.name, q.id) for one in sets for q in one.questions}
    for one in sets:
        if len(one.entities()) > 1:
            found = {(q.entity, fold_of[one.name, q.id]) for q in one.questions}
            assert len(found) == len(one.entities()), "no conversation in two folds"


@given(worlds, st.integers(2, 6), st.integers(0, 3))
def test_folds_have_as_many_groups_of_every_set_and_in_all_give_or_take_one(
    sets: list[EvidenceSet], wanted: int, seed: int
) -> None:
    groups = groups_by_set(sets)
    wanted = min(wanted, sum(map(len, groups.values())))

    folds = dealt(groups, folds=wanted, seed=seed)

    assert len(folds) == wanted
    assert all(folds)
    counted = [Counter(group.set_name for group in fold) for fold in folds]
    for name in groups:
        assert max(own[name] for own in counted) - min(own[name] for own in counted) <= 1
    assert max(map(len, folds)) - min(map(len, folds)) <= 1


def test_a_set_with_one_store_is_dealt_by_its_questions_though_a_sample_never_is() -> None:
    one_store = evidence_set("wiki", ["all"] * 3)
    two_people = evidence_set("two", ["a", "a", "a", "b"])

    assert [group.name for group in groups_of(one_store, one_store.questions)] == ["q0", "q1", "q2"]
    assert groups_of(two_people, two_people.questions[:3]) == [
        Group(set_name="two", name="a", questions=("q0", "q1", "q2"))
    ]


def test_the_seed_alone_says_which_conversations_go_together() -> None:
    groups = groups_by_set([evidence_set("s", list("abcdefghij"))])
    drawn = [dealt(groups, folds=3, seed=seed) for seed in (0, 0, 1, 2)]

    assert drawn[0] == drawn[1]
    assert all(one != other for one, other in pairwise(drawn[1:]))


def test_another_set_beside_it_does_not_reorder_a_set() -> None:
    one, other = evidence_set("one", list("abcdef")), evidence_set("other", list("ab"))
    alone = dealt(groups_by_set([one]), folds=2, seed=0)
    beside = dealt(groups_by_set([one, other]), folds=2, seed=0)

    assert [[g for g in fold if g.set_name == "one"] for fold in beside] == list(map(list, alone))


@pytest.mark.parametrize("folds", [1, 0, -2])
def test_one_fold_is_refused(folds: int) -> None:
    with pytest.raises(UsageError, match="nobody to choose"):
        dealt(groups_by_set([evidence_set("s", list("abc"))]), folds=folds, seed=0)


def test_as_many_folds_as_conversations_are_the_most() -> None:
    groups = groups_by_set([evidence_set("s", list("abc"))])

    assert [len(fold) for fold in dealt(groups, folds=3, seed=0)] == [1, 1, 1]
    with pytest.raises(UsageError, match="there are 3"):
        dealt(groups, folds=4, seed=0)
