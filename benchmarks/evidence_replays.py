"""A question recalled once, and its budget filled anew with other numbers from what was found."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Any, Protocol, cast

from benchmarks.evidence_dials import SHIPPED, Turned, told, turned
from benchmarks.quality import say_below

from secondhop.cli.opening import opened
from secondhop.cli.options import Common
from secondhop.evals.evidence_baselines import plain_passages
from secondhop.evals.evidence_run import MARGIN, last_moment, passages_of
from secondhop.evals.evidence_score import EvidenceScorer
from secondhop.evals.evidence_set import EvidenceSet, QuestionLine
from secondhop.evals.evidence_store import store_items
from secondhop.graph.builder import build_recall_graph
from secondhop.graph.result import RecallResult
from secondhop.models.embedder import Embedder
from secondhop.nodes.evidence.fill import filled_evidence
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput, RecallState
from secondhop.recall import Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, and what its recall had found when it came to fill the budget."""

    question: QuestionLine
    state: RecallState
    services: Services
    dense: float
    """Recall of dense search."""


class Measured(Protocol):
    """Recalls, one a question."""

    @property
    def names(self) -> Sequence[str]:
        """Of the sets, or of other parts."""
        ...

    async def recalls(self, name: str, values: Turned) -> Sequence[float]:
        """Of one of them with these numbers."""
        ...

    def dense(self, name: str) -> Sequence[float]:
        """Of dense search."""
        ...


class Replays:
    """Fills budgets anew; nothing is measured twice."""

    def __init__(
        self,
        asked: Mapping[str, Sequence[Asked]],
        scorers: Mapping[str, EvidenceScorer],
        *,
        budget: int,
        heard: Callable[[str], None] = say_below,
    ) -> None:
        self._asked, self._scorers, self._budget, self._heard = asked, scorers, budget, heard
        self.found: dict[tuple[str, Turned], list[float]] = {}
        """{(name, numbers): recalls}."""

    @property
    def names(self) -> Sequence[str]:
        """Of the sets, or of other parts."""
        return list(self._asked)

    async def recalls(self, name: str, values: Turned) -> Sequence[float]:
        """Of one of them with these numbers."""
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
            self._heard(f"  {name}, {told(values)}: {fmean(own):.4f}")
        return self.found[name, values]

    def dense(self, name: str) -> Sequence[float]:
        """Of dense search."""
        return [one.dense for one in self._asked[name]]

    def document(self) -> list[dict[str, Any]]:
        """Every mean that was looked at, for `--json`."""
        return [
            {"name": name, "values": list(values), "recall": fmean(own)}
            for (name, values), own in self.found.items()
        ]


def unheard(line: str) -> None:
    """For replays of so many small parts that nobody would read on."""


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
