"""Evidence within a budget, with numbers that were chosen without the set they are reported on.

    python -m benchmarks.evidence_left_out DIR DIR... --sample 40 --seed 0

Each set is left out in turn. The others choose the numbers of `benchmarks.evidence_dials`, from
the plainest on, by their mean recall; what these numbers reach on the set that was left out stands
beside the numbers that ship and beside dense search. Every question is recalled once; with other
numbers its budget is filled anew from what that recall had found.
"""

import argparse
import asyncio
import json
import math
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Protocol, cast

from benchmarks.evidence_dials import DIALS, SHIPPED, Turned, climbed, told, turned
from benchmarks.quality import say_below
from benchmarks.quiet import stay_on_this_machine
from benchmarks.store_scaling import say

from secondhop.errors import SecondhopError
from secondhop.evals.baselines_table import row, ruler
from secondhop.evals.evidence_baselines import plain_passages
from secondhop.evals.evidence_run import MARGIN, last_moment, passages_of
from secondhop.evals.evidence_score import EvidenceScorer
from secondhop.evals.evidence_set import EvidenceSet, QuestionLine
from secondhop.evals.evidence_store import store_items
from secondhop.evals.held_out import expect_something_left
from secondhop.evals.paired import Interval, paired_interval
from secondhop.graph.builder import build_recall_graph
from secondhop.graph.result import RecallResult
from secondhop.interfaces.evidence_bench import CACHE
from secondhop.interfaces.evidence_commands import load_sets
from secondhop.interfaces.opening import kept_embeddings, opened, throwaway
from secondhop.interfaces.options import Common
from secondhop.models.embedder import Embedder
from secondhop.nodes.evidence_fill import filled_evidence
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput, RecallState
from secondhop.recall import Recall

PATIENCE_S = 600.0
"""A busy machine must not change what is found."""

UNDECIDED: Mapping[str, Turned | None] = {
    "parts that make no difference to the others are off": None,
    "parts that make no difference to the others are as shipped": SHIPPED,
}
"""Two ways to choose what the others cannot judge."""

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
class Asked:
    """A question, and what its recall had found when it came to fill the budget."""

    question: QuestionLine
    state: RecallState
    services: Services
    dense: float
    """Recall of dense search."""


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


class Measured(Protocol):
    """Recalls, one a question."""

    @property
    def names(self) -> Sequence[str]:
        """Of the sets."""
        ...

    async def recalls(self, name: str, values: Turned) -> Sequence[float]:
        """Of one set with these numbers."""
        ...

    def dense(self, name: str) -> Sequence[float]:
        """Of dense search."""
        ...


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


class Replays:
    """Fills budgets anew; nothing is measured twice."""

    def __init__(
        self,
        asked: Mapping[str, Sequence[Asked]],
        scorers: Mapping[str, EvidenceScorer],
        *,
        budget: int,
    ) -> None:
        self._asked, self._scorers, self._budget = asked, scorers, budget
        self.found: dict[tuple[str, Turned], list[float]] = {}
        """{(set, numbers): recalls}."""

    @property
    def names(self) -> Sequence[str]:
        """Of the sets."""
        return list(self._asked)

    async def recalls(self, name: str, values: Turned) -> Sequence[float]:
        """Of one set with these numbers."""
        if (name, values) not in self.found:
            own = [
                self._scorers[name].recall(
                    one.question,
                    await refilled(one, values, budget=self._budget),
                    budget=self._budget,
                )
                for one in self._asked[name]
            ]
            self.found[name, values] = own
            say_below(f"  {name}, {told(values)}: {fmean(own):.4f}")
        return self.found[name, values]

    def dense(self, name: str) -> Sequence[float]:
        """Of dense search."""
        return [one.dense for one in self._asked[name]]

    def document(self) -> list[dict[str, Any]]:
        """Every mean that was looked at, for `--json`."""
        return [
            {"set": name, "values": list(values), "recall": fmean(own)}
            for (name, values), own in self.found.items()
        ]


async def refilled(asked: Asked, values: Turned, *, budget: int) -> list[str]:
    """The passages of a recall with these numbers, best first."""
    with turned(values):
        filled = await filled_evidence(
            asked.state, tokens=asked_tokens(budget), services=asked.services
        )
    return [passage.text for passage in filled.passages]


def asked_tokens(budget: int) -> int:
    """As `secondhop eval evidence` asks."""
    return round(MARGIN * budget)


async def asked_once(
    question: QuestionLine, recall: Recall, at: str | None, *, scorer: EvidenceScorer, budget: int
) -> Asked:
    """Recall a question, and keep what it knew before it filled the budget.

    Raises:
        SystemExit: filling the budget anew would be something else than the recall did.
    """
    services = recall.services
    graph = build_recall_graph(services)
    given = RecallInput(question=question.question, tokens=asked_tokens(budget), asked_at=at)
    before, values = dict[str, Any](), dict[str, Any]()
    async for streamed in graph.astream(given, stream_mode="values"):
        before, values = values, cast(dict[str, Any], streamed)
    plain = await plain_passages(
        question.question, search=recall.store, reader=recall.store, embedder=recall.embedder
    )
    asked = Asked(
        question=question,
        state=cast(RecallState, {**before, "deadline_at": math.inf}),
        services=services,
        dense=scorer.recall(question, plain["dense"], budget=budget),
    )
    own = passages_of(RecallResult.model_validate(values["result"]))
    if await refilled(asked, SHIPPED, budget=budget) != own:
        raise SystemExit(f"{question.id}: not what the recall returned; this measures nothing")
    return asked


def drawn(evidence_set: EvidenceSet, *, sample: int, seed: int) -> list[QuestionLine]:
    """So many questions, drawn blindly, in their order; all when there are no more."""
    questions = list(enumerate(evidence_set.questions))
    random = Random(f"{seed} {evidence_set.name}")
    chosen = random.sample(questions, min(sample, len(questions)))
    return [question for _, question in sorted(chosen, key=lambda one: one[0])]


async def asked_of_set(
    evidence_set: EvidenceSet,
    questions: Sequence[QuestionLine],
    place: Common,
    *,
    embedder: Embedder,
    budget: int,
    stack: AsyncExitStack,
) -> list[Asked]:
    """Store the items of those who are asked about, and ask; their stores stay open."""
    scorer, asked = EvidenceScorer(evidence_set), list[Asked]()
    for entity in dict.fromkeys(question.entity for question in questions):
        items, name = evidence_set.items_of(entity), f"{evidence_set.name}: {entity}"
        recall = await stack.enter_async_context(
            opened(place, entity=name, embedder=embedder, counting=True)
        )
        await store_items(items, recall)
        await recall.awarm()
        for question in [one for one in questions if one.entity == entity]:
            moment = question.asked_at or last_moment(items)
            at = moment.isoformat() if moment else None
            asked.append(await asked_once(question, recall, at, scorer=scorer, budget=budget))
            say_below(f"  {evidence_set.name}: {len(asked)} of {len(questions)} asked")
    return asked


async def measured(wanted: argparse.Namespace) -> dict[str, Any]:
    """All folds, told as they come; the document for `--json`."""
    sets = load_sets(wanted.folders)
    common = Common(
        store=wanted.store,
        chroma=None,
        entity=None,
        llm="offline",
        embedder=wanted.embedder,
        at=None,
        json=True,
        deadline=PATIENCE_S,
    )
    async with AsyncExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = stack.enter_context(kept_embeddings(common, CACHE))
        asked: dict[str, list[Asked]] = {}
        for one in sets:
            questions = drawn(one, sample=wanted.sample, seed=wanted.seed)
            asked[one.name] = await asked_of_set(
                one, questions, place, embedder=embedder, budget=wanted.budget, stack=stack
            )
        scorers = {one.name: EvidenceScorer(one) for one in sets}
        replays = Replays(asked, scorers, budget=wanted.budget)
        document = {title: await told_folds(title, replays) for title in UNDECIDED}
        return {**document, "looked_at": replays.document()}


async def told_folds(title: str, replays: Replays) -> list[dict[str, Any]]:
    """Every set left out, printed as a table."""
    values = [dial.values for dial in DIALS]
    folds = left_out_in_turn(replays, values=values, shipped=SHIPPED, undecided=UNDECIDED[title])
    found = [fold async for fold in folds]
    say(f"{title}\n")
    for line in table(found):
        say(line)
    say("")
    return [fold.document() for fold in found]


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


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="evidence sets")
    parser.add_argument("--sample", type=int, default=40, metavar="N", help="questions a set")
    parser.add_argument("--seed", type=int, default=0, help="which questions are drawn")
    parser.add_argument("--budget", type=int, default=1000, metavar="TOKENS")
    parser.add_argument("--embedder", metavar="SPEC", default="default")
    parser.add_argument("--store", type=Path, metavar="DIR", help="keep the stores here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there")
    wanted = parser.parse_args()
    stay_on_this_machine()
    try:
        document = asyncio.run(measured(wanted))
    except SecondhopError as error:
        raise SystemExit(f"evidence_left_out: {error}") from error
    if wanted.json is not None:
        wanted.json.write_text(json.dumps(document, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
