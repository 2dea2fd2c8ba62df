"""Numbers chosen by some data sets and reported on another: leave one set out."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchmarks.evidence_dials import DIALS, SHIPPED, Turned, climbed, told
from benchmarks.evidence_replays import Measured

from secondhop.evals.baselines_table import row, ruler
from secondhop.evals.held_out import expect_something_left
from secondhop.evals.paired import Interval, paired_interval

COLUMNS = (
    "left out",
    "questions",
    "chosen by the others",
    "on the others: chosen / shipped",
    "recall",
    "shipped",
    "dense",
    "recall - shipped",
    "recall - dense",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """One set left out; a number a question in each row of recalls."""

    left_out: str
    chosen: Turned
    """By the others."""
    training: float
    """Mean recall of the others with these numbers: flattering, like the next."""
    shipped_there: float
    """The same with what ships; when it is more, the search has found too little."""
    held_out: Sequence[float]
    """With these numbers."""
    shipped: Sequence[float]
    dense: Sequence[float]

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "left_out": self.left_out,
            "chosen": {dial.name: value for dial, value in zip(DIALS, self.chosen, strict=True)},
            "training": self.training,
            "shipped_there": self.shipped_there,
            "held_out": list(self.held_out),
            "shipped": list(self.shipped),
            "dense": list(self.dense),
        }


async def left_out_in_turn(
    measured: Measured,
    *,
    values: Sequence[Sequence[float]],
    shipped: Turned,
    undecided: Turned | None = None,
) -> AsyncIterator[Fold]:
    """Each set in turn: the others choose, each counting the same, without a look at it.

    Args:
        values: that each dial may take, the plainest first.
        undecided: where a dial stays that makes no difference to the others; None: plainest.

    Raises:
        UsageError: there are fewer than two sets.
    """
    expect_something_left(measured.names, [shipped])
    for left_out in measured.names:
        others = [name for name in measured.names if name != left_out]

        async def reached(tried: Turned, names: Sequence[str] = tuple(others)) -> float:
            return fmean([fmean(await measured.recalls(name, tried)) for name in names])

        chosen = await climbed(reached, values, undecided=undecided)
        yield Fold(
            left_out=left_out,
            chosen=chosen,
            training=await reached(chosen),
            shipped_there=await reached(shipped),
            held_out=await measured.recalls(left_out, chosen),
            shipped=await measured.recalls(left_out, shipped),
            dense=measured.dense(left_out),
        )


def table(folds: Sequence[Fold]) -> Iterator[str]:
    """One row a set, and their mean, each set counting the same."""
    yield row(*COLUMNS)
    yield ruler(len(COLUMNS) - 1)
    for fold in folds:
        training = f"{fold.training:.3f} / {fold.shipped_there:.3f}"
        yield row(fold.left_out, *figures([fold], told(fold.chosen), training))
    yield row("mean", *figures(folds, "", ""))
    yield f"\nshipped: {told(SHIPPED)}"


def figures(folds: Sequence[Fold], chosen: str, training: str) -> Iterator[str]:
    """The cells of a row over some sets."""
    held_out = [fold.held_out for fold in folds]
    shipped = [fold.shipped for fold in folds]
    dense = [fold.dense for fold in folds]
    yield str(sum(map(len, held_out)))
    yield from (chosen, training)
    for rows in (held_out, shipped, dense):
        yield f"{fmean(map(fmean, rows)):.3f}"
    for others in (shipped, dense):
        yield span(paired_interval(differences(held_out, others)))


def differences(
    ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]
) -> list[list[float]]:
    """Question by question, set by set."""
    pairs = zip(ours, theirs, strict=True)
    return [[a - b for a, b in zip(own, other, strict=True)] for own, other in pairs]


def span(interval: Interval) -> str:
    """A difference and its 95 % interval."""
    return f"{interval.difference:+.3f} ({interval.low:+.3f} to {interval.high:+.3f})"
