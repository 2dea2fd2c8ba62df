"""Evidence within a budget, with numbers that were chosen without what they are reported on.

    python -m benchmarks.evidence_left_out DIR DIR... --sample 40 --seed 0
    python -m benchmarks.evidence_left_out DIR... --by conversation --folds 4 --sample 60

By set, each set is left out in turn; by conversation, a part of every set's conversations. What is
not left out chooses the numbers of `benchmarks.evidence_dials`, from the plainest on, by mean
recall, each set counting the same; what these numbers reach on what was left out stands beside the
numbers that ship and beside dense search. Every question is recalled once; with other numbers its
budget is filled anew from what that recall had found.
"""

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from benchmarks.evidence_by_conversation import (
    choice_table,
    chosen_by_the_other_folds,
    recall_table,
)
from benchmarks.evidence_by_set import left_out_in_turn, table
from benchmarks.evidence_dials import DIALS, SHIPPED, Turned
from benchmarks.evidence_folds import Group, dealt, groups_of
from benchmarks.evidence_replays import Asked, Replays, asked_of_set, drawn, unheard
from benchmarks.quiet import stay_on_this_machine
from benchmarks.store_scaling import say

from secondhop.cli.evidence_bench import CACHE
from secondhop.cli.evidence_commands import load_sets
from secondhop.cli.opening import kept_embeddings, throwaway
from secondhop.cli.options import Common
from secondhop.errors import SecondhopError, UsageError
from secondhop.evals.evidence_score import EvidenceScorer
from secondhop.evals.evidence_set import EvidenceSet, QuestionLine
from secondhop.evals.held_out import expect_something_left

PATIENCE_S = 600.0
"""A busy machine must not change what is found."""

FOLDS = 4

VALUES = [dial.values for dial in DIALS]

UNDECIDED: Mapping[str, Turned | None] = {
    "parts that make no difference to the others are off": None,
    "parts that make no difference to the others are as shipped": SHIPPED,
}
"""Two ways to choose what the others cannot judge."""


async def measured(wanted: argparse.Namespace) -> dict[str, Any]:
    """All folds, told as they come; the document for `--json`.

    Raises:
        UsageError: there is too little to leave something out; nothing has been asked then.
    """
    sets = load_sets(wanted.folders)
    questions = {one.name: drawn(one, sample=wanted.sample, seed=wanted.seed) for one in sets}
    folds = folds_of(sets, questions, wanted)
    scorers = {one.name: EvidenceScorer(one) for one in sets}
    async with AsyncExitStack() as stack:
        asked = await asked_of_sets(sets, questions, wanted, stack=stack)
        if folds:
            return await told_by_conversation(folds, asked, scorers, budget=wanted.budget)
        return await told_by_set(Replays(asked, scorers, budget=wanted.budget))


def folds_of(
    sets: Sequence[EvidenceSet],
    questions: Mapping[str, Sequence[QuestionLine]],
    wanted: argparse.Namespace,
) -> list[tuple[Group, ...]]:
    """By conversation; [] by set.

    Raises:
        UsageError: there are fewer than two sets, or two folds, or too few conversations.
    """
    if wanted.by == "set":
        if wanted.folds is not None:
            raise UsageError("--folds goes with --by conversation; by set each set is a fold")
        expect_something_left(list(questions), [SHIPPED])
        return []
    groups = {one.name: groups_of(one, questions[one.name]) for one in sets}
    folds = FOLDS if wanted.folds is None else wanted.folds
    return dealt(groups, folds=folds, seed=wanted.seed)


async def asked_of_sets(
    sets: Sequence[EvidenceSet],
    questions: Mapping[str, Sequence[QuestionLine]],
    wanted: argparse.Namespace,
    *,
    stack: AsyncExitStack,
) -> dict[str, list[Asked]]:
    """Every question once, by set; the stores stay open."""
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
    place = stack.enter_context(throwaway(common))
    embedder = stack.enter_context(kept_embeddings(common, CACHE))
    return {
        one.name: await asked_of_set(
            one, questions[one.name], place, embedder=embedder, budget=wanted.budget, stack=stack
        )
        for one in sets
    }


async def told_by_set(replays: Replays) -> dict[str, Any]:
    """Every set left out, in both ways to choose, each printed as a table."""
    document: dict[str, Any] = {}
    for title, undecided in UNDECIDED.items():
        folds = left_out_in_turn(replays, values=VALUES, shipped=SHIPPED, undecided=undecided)
        found = [fold async for fold in folds]
        say("\n".join([f"{title}\n", *table(found), ""]))
        document[title] = [fold.document() for fold in found]
    return {**document, "looked_at": replays.document()}


async def told_by_conversation(
    folds: Sequence[Sequence[Group]],
    asked: Mapping[str, Sequence[Asked]],
    scorers: Mapping[str, EvidenceScorer],
    *,
    budget: int,
) -> dict[str, Any]:
    """Every fold left out, printed as two tables."""
    groups = [group for fold in folds for group in fold]
    replays = Replays(
        {group.label: of_group(group, asked[group.set_name]) for group in groups},
        {group.label: scorers[group.set_name] for group in groups},
        budget=budget,
        heard=unheard,
    )
    chosen = chosen_by_the_other_folds(replays, folds, values=VALUES, shipped=SHIPPED)
    found = [fold async for fold in chosen]
    say("\n".join([*recall_table(found), "", *choice_table(found, shipped=SHIPPED)]))
    return {"folds": [fold.document() for fold in found], "looked_at": replays.document()}


def of_group(group: Group, asked: Sequence[Asked]) -> list[Asked]:
    """Those of its questions, in their order."""
    return [one for one in asked if one.question.id in group.questions]


def main() -> None:
    """Measure, and print the table."""
    wanted = wanted_of(None)
    stay_on_this_machine()
    try:
        document = asyncio.run(measured(wanted))
    except SecondhopError as error:
        raise SystemExit(f"evidence_left_out: {error}") from error
    if wanted.json is not None:
        wanted.json.write_text(json.dumps(document, indent=1), encoding="utf-8")


def wanted_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What the command line asks for; None: this process's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="evidence sets")
    parser.add_argument("--by", choices=("set", "conversation"), default="set", help="leave out")
    parser.add_argument("--folds", type=int, metavar="N", help=f"groups of conversations ({FOLDS})")
    parser.add_argument("--sample", type=int, default=40, metavar="N", help="questions a set")
    parser.add_argument("--seed", type=int, default=0, help="which questions, and which folds")
    parser.add_argument("--budget", type=int, default=1000, metavar="TOKENS")
    parser.add_argument("--embedder", metavar="SPEC", default="default")
    parser.add_argument("--store", type=Path, metavar="DIR", help="keep the stores here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
