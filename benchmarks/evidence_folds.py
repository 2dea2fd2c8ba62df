"""Groups of questions that stay together, dealt to folds: no conversation is in two of them.

Questions about one conversation share its memories and often their answers; to choose numbers by
some of them and report on the others would be to have looked. Whole conversations go to a fold,
of every set about as many: Roberts et al., Cross-validation strategies for data with temporal,
spatial, hierarchical, or phylogenetic structure, Ecography 40, 2017, doi:10.1111/ecog.02881.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from secondhop.errors import UsageError
from secondhop.evals.evidence_set import EvidenceSet, QuestionLine

FEWEST = 2
"""Folds; with one nobody is left to choose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What is never divided."""

    set_name: str
    name: str
    """The entity; of a set with one entity only, the question."""
    questions: tuple[str, ...]
    """Their ids."""

    @property
    def label(self) -> str:
        """Unique over all sets."""
        return f"{self.set_name}: {self.name}"


def groups_of(evidence_set: EvidenceSet, questions: Sequence[QuestionLine]) -> list[Group]:
    """One a conversation; of a set that has one store for all, one a question."""
    by_question = len(evidence_set.entities()) == 1
    ids: dict[str, list[str]] = {}
    for question in questions:
        ids.setdefault(question.id if by_question else question.entity, []).append(question.id)
    return [
        Group(set_name=evidence_set.name, name=name, questions=tuple(own))
        for name, own in ids.items()
    ]


def dealt(
    groups: Mapping[str, Sequence[Group]], *, folds: int, seed: int
) -> list[tuple[Group, ...]]:
    """Every group to one fold; within a set, and over all, the folds differ by one group at most.

    Args:
        groups: of each set, by its name.
        seed: it alone says which go together.

    Raises:
        UsageError: there are fewer than two folds, or fewer groups than folds.
    """
    expect_folds(folds)
    shuffled = [group for name, own in groups.items() for group in in_chance_order(name, own, seed)]
    if len(shuffled) < folds:
        raise UsageError(
            f"{folds} folds need as many conversations, and there are {len(shuffled)}; "
            "ask for fewer folds, or add a set"
        )
    return [tuple(shuffled[first::folds]) for first in range(folds)]


def expect_folds(folds: int) -> None:
    """Raises UsageError when nobody would be left to choose."""
    if folds < FEWEST:
        raise UsageError(
            f"{folds} folds leave nobody to choose the numbers by: "
            "one fold is reported on and the others choose; ask for two or more"
        )


def in_chance_order(name: str, groups: Sequence[Group], seed: int) -> list[Group]:
    """By the seed, whatever the other sets are."""
    return Random(f"folds {seed} {name}").sample(groups, len(groups))
