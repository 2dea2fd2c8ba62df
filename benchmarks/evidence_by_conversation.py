"""Numbers chosen by some conversations and reported on others, of the same sets and of all.

Leaving out a whole set also leaves out whatever that set alone could have told. Here every set has
a voice in every choice, and what is reported on is conversations that were not looked at.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchmarks.evidence_by_set import span
from benchmarks.evidence_dials import DIALS, Dial, Turned, climbed
from benchmarks.evidence_folds import Group
from benchmarks.evidence_replays import Measured
from benchmarks.quality import say_below

from secondhop.evals.baselines_table import row, ruler
from secondhop.evals.clustered import FEW, clustered_interval

HEADS = (
    "set",
    "conversations",
    "questions",
    "recall",
    "shipped",
    "dense",
    "recall - shipped",
    "recall - dense",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A group that was not looked at; in each row one recall a question."""

    group: Group
    recalls: Sequence[float]
    """With the numbers that the other folds chose."""
    shipped: Sequence[float]
    dense: Sequence[float]

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "set": self.group.set_name,
            "name": self.group.name,
            "questions": list(self.group.questions),
            "recall": list(self.recalls),
            "shipped": list(self.shipped),
            "dense": list(self.dense),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFold:
    """Some conversations left out."""

    chosen: Turned
    """By the conversations of the other folds."""
    training: float
    """Mean recall of those with these numbers: flattering, like the next."""
    shipped_there: float
    """The same with what ships; when it is more, the search has found too little."""
    reported: Sequence[Reported]

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "chosen": {dial.name: value for dial, value in zip(DIALS, self.chosen, strict=True)},
            "training": self.training,
            "shipped_there": self.shipped_there,
            "reported": [one.document() for one in self.reported],
        }


async def chosen_by_the_other_folds(
    measured: Measured,
    folds: Sequence[Sequence[Group]],
    *,
    values: Sequence[Sequence[float]],
    shipped: Turned,
) -> AsyncIterator[ConversationFold]:
    """Each fold in turn: the groups of the others choose, each set counting the same.

    Args:
        measured: by the groups' labels.
        values: that each dial may take, the plainest first; there it stays if it makes no
            difference to the others.
    """
    for number, left_out in enumerate(folds, start=1):
        others = [group for fold in folds if fold is not left_out for group in fold]

        async def reached(tried: Turned, among: Sequence[Group] = tuple(others)) -> float:
            return await mean_of_sets(measured, among, tried)

        chosen = await climbed(reached, values)
        fold = ConversationFold(
            chosen=chosen,
            training=await reached(chosen),
            shipped_there=await reached(shipped),
            reported=[
                await reported(measured, group, chosen, shipped=shipped) for group in left_out
            ],
        )
        say_below(f"fold {number}: {fold.training:.4f}, shipped {fold.shipped_there:.4f}")
        yield fold


async def mean_of_sets(measured: Measured, groups: Sequence[Group], values: Turned) -> float:
    """Of these groups' questions: within a set each counts the same, and then each set."""
    by_set: dict[str, list[float]] = {}
    for group in groups:
        by_set.setdefault(group.set_name, []).extend(await measured.recalls(group.label, values))
    return fmean(map(fmean, by_set.values()))


async def reported(
    measured: Measured, group: Group, chosen: Turned, *, shipped: Turned
) -> Reported:
    """What the others' choice reaches there."""
    return Reported(
        group=group,
        recalls=await measured.recalls(group.label, chosen),
        shipped=await measured.recalls(group.label, shipped),
        dense=measured.dense(group.label),
    )


def recall_table(folds: Sequence[ConversationFold]) -> Iterator[str]:
    """One row a set, and their mean, each set counting the same."""
    by_set: dict[str, list[Reported]] = {}
    for one in (one for fold in folds for one in fold.reported):
        by_set.setdefault(one.group.set_name, []).append(one)
    yield row(*HEADS)
    yield ruler(len(HEADS) - 1)
    for name, own in by_set.items():
        yield row(name, *cells([own]))
    yield row("mean", *cells(list(by_set.values())))
    yield from warnings(by_set)


def cells(sets: Sequence[Sequence[Reported]]) -> Iterator[str]:
    """Of a row over some sets."""
    yield str(sum(map(len, sets)))
    yield str(sum(len(one.recalls) for own in sets for one in own))
    for rows in (
        [[one.recalls for one in own] for own in sets],
        [[one.shipped for one in own] for own in sets],
        [[one.dense for one in own] for own in sets],
    ):
        yield f"{clustered_interval(rows, resamples=1).difference:.3f}"
    yield span(clustered_interval([[less(one.recalls, one.shipped) for one in s] for s in sets]))
    yield span(clustered_interval([[less(one.recalls, one.dense) for one in s] for s in sets]))


def less(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Question by question."""
    return [a - b for a, b in zip(ours, theirs, strict=True)]


def warnings(by_set: Mapping[str, Sequence[Reported]]) -> Iterator[str]:
    """What the intervals of single sets are not."""
    for name, own in by_set.items():
        if all([one.group.name] == list(one.group.questions) for one in own):
            yield f"\n{name}: one store for all, so its questions were dealt to the folds"
        elif len(own) < FEW:
            yield f"\n{name}: of {len(own)} conversations: its interval is too narrow"


def choice_table(
    folds: Sequence[ConversationFold], *, shipped: Turned, dials: Sequence[Dial] = DIALS
) -> Iterator[str]:
    """One row a fold with what the others chose, and what ships."""
    yield row("fold", "on the others: chosen / shipped", *(dial.label for dial in dials))
    yield ruler(len(dials) + 1)
    for number, fold in enumerate(folds, start=1):
        there = f"{fold.training:.3f} / {fold.shipped_there:.3f}"
        yield row(str(number), there, *(f"{value:g}" for value in fold.chosen))
    yield row("shipped", "", *(f"{value:g}" for value in shipped))
    yield f"\nnot as shipped in most folds: {', '.join(otherwise(folds, shipped, dials)) or 'none'}"


def otherwise(
    folds: Sequence[ConversationFold], shipped: Turned, dials: Sequence[Dial]
) -> list[str]:
    """Labels of the dials that more than half of the folds want elsewhere."""
    return [
        dial.label
        for place, dial in enumerate(dials)
        if 2 * sum(fold.chosen[place] != shipped[place] for fold in folds) > len(folds)
    ]
