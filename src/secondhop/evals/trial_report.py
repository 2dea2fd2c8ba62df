"""What a trial of two prompts found: measures side by side, and the questions that changed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from secondhop.evals.answers import Answer, WrittenQuery
from secondhop.evals.comparison import SAME, Difference, difference
from secondhop.evals.measures import MEASURES, Measures
from secondhop.evals.report import ScenarioReport
from secondhop.evals.significance import FEW
from secondhop.graph.result import Spent
from secondhop.models.answer_cache import AnswerCounts
from secondhop.models.llm import Usage
from secondhop.models.prices import TokenPrice
from secondhop.prompts.templates import Prompt

SIDES = ("against", "variant")

DECIDING = ("facet_recall", "alpha_ndcg")
"""The first of these measures that differs decides which answer is better."""

Verdict: TypeAlias = Literal["won", "lost", "tied"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One question through both variants."""

    scenario: str
    question_id: str
    against: Answer
    variant: Answer
    measures: tuple[Measures, Measures] = field(default_factory=lambda: (Measures(), Measures()))
    """(against, variant); {} for an unanswerable question."""

    @property
    def is_labelled(self) -> bool:
        """Whether anything answers it."""
        return bool(self.measures[0])

    @property
    def verdict(self) -> Verdict:
        """Whether the variant answers it better; an unanswerable one is best left alone."""
        before, after = self.measures
        gains = [after[name] - before[name] for name in DECIDING if name in before]
        if not self.is_labelled:
            gains = [float(bool(self.against.ids)) - float(bool(self.variant.ids))]
        decisive = next((gain for gain in gains if abs(gain) > SAME), 0.0)
        return "tied" if decisive == 0 else "won" if decisive > 0 else "lost"


def pairs_of(against: ScenarioReport, variant: ScenarioReport) -> list[Pair]:
    """The questions of a scenario that was asked with both prompts."""
    return [
        Pair(
            scenario=variant.name,
            question_id=one,
            against=against.answers[one],
            variant=answer,
            measures=(against.questions.get(one, {}), variant.questions.get(one, {})),
        )
        for one, answer in variant.answers.items()
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialReport:
    """Both variants over the same questions."""

    prompts: tuple[Prompt, Prompt]
    """(against, variant)."""
    model: str
    pairs: Sequence[Pair]
    counts: tuple[AnswerCounts, AnswerCounts]
    price: TokenPrice | None = None
    """What the model costs; None: unknown."""

    def labelled(self) -> list[Pair]:
        """The pairs that have measures."""
        return [pair for pair in self.pairs if pair.is_labelled]

    def rows(self) -> list[Difference]:
        """One a measure, in the order of a report, the variant's first; [] without labels."""
        strata: dict[str, list[tuple[Measures, Measures]]] = {}
        for pair in self.labelled():
            before, after = pair.measures
            strata.setdefault(pair.scenario, []).append((after, before))
        return [difference(name, list(strata.values())) for name in MEASURES] if strata else []

    @property
    def is_small(self) -> bool:
        """Whether there are too few questions for the intervals; p holds all the same."""
        return len(self.labelled()) < FEW

    def verdicts(self) -> dict[Verdict, int]:
        """How many questions the variant won, lost and left as they were."""
        given = [pair.verdict for pair in self.labelled()]
        return {"won": given.count("won"), "lost": given.count("lost"), "tied": given.count("tied")}

    def changed(self) -> list[Pair]:
        """The pairs with another answer: lost ones first, then won ones, then the rest."""
        order = {"lost": 0, "won": 1, "tied": 2}
        others = [pair for pair in self.pairs if pair.against.ids != pair.variant.ids]
        return sorted(others, key=lambda pair: order[pair.verdict])

    def wrongly_answered(self) -> tuple[int, int, int]:
        """(questions that nothing answers, answered against, answered by the variant)."""
        asked = [pair for pair in self.pairs if not pair.is_labelled]
        answered = [sum(bool(one.ids) for one in side) for side in sides(asked)]
        return len(asked), answered[0], answered[1]

    def dollars(self, usage: Usage) -> float | None:
        """What that cost; None: the model has no price."""
        return self.price.cost_usd(usage) if self.price else None

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        asked, *answered = self.wrongly_answered()
        verdicts = self.verdicts()
        outcomes = sides(self.pairs)
        return {
            **{side: about(p) for side, p in zip(SIDES, self.prompts, strict=True)},
            "model": self.model,
            "questions": len(self.labelled()),
            "won": verdicts["won"],
            "lost": verdicts["lost"],
            "tied": verdicts["tied"],
            "few_questions": self.is_small,
            "measures": {row.measure: row_document(row) for row in self.rows()},
            "no_answer": {"questions": asked, **dict(zip(SIDES, answered, strict=True))},
            "answers": {
                side: {
                    "asked": one.asked,
                    "failed": one.failed,
                    "from_cache": one.from_cache,
                    "paid": {**asdict(one.paid), "cost_usd": self.dollars(one.paid)},
                }
                for side, one in zip(SIDES, self.counts, strict=True)
            },
            "spent": {
                side: total_spent(o).model_dump(exclude={"ms"})
                for side, o in zip(SIDES, outcomes, strict=True)
            },
            "degraded": {
                side: degraded_recalls(o) for side, o in zip(SIDES, outcomes, strict=True)
            },
            "by_question": [pair_document(pair) for pair in self.pairs],
        }


def sides(pairs: Sequence[Pair]) -> tuple[list[Answer], list[Answer]]:
    """The outcomes of each variant."""
    return [pair.against for pair in pairs], [pair.variant for pair in pairs]


def other_queries(pair: Pair) -> tuple[list[WrittenQuery], list[WrittenQuery]]:
    """(those that only the prompt against wrote, those that only the variant wrote)."""
    against, variant = pair.against.queries, pair.variant.queries
    return only_in(against, variant), only_in(variant, against)


def only_in(queries: Sequence[WrittenQuery], others: Sequence[WrittenQuery]) -> list[WrittenQuery]:
    """Those whose text the others lack."""
    texts = {query.text for query in others}
    return [query for query in queries if query.text not in texts]


def degraded_recalls(answers: Sequence[Answer]) -> int:
    """How many had to do without something, as a model that did not answer in time."""
    return sum(bool(one.degraded) for one in answers)


def total_spent(outcomes: Sequence[Answer]) -> Spent:
    """The sum over the questions, with ms 0: times are those of a busy cache.

    What one recall does not know (as the price of its model) is unknown of all.
    """
    rows = [one.spent.model_dump(exclude={"ms"}) for one in outcomes]
    totals = {
        name: None if any(row[name] is None for row in rows) else sum(row[name] for row in rows)
        for name in rows[0]
    }
    return Spent.model_validate(totals)


def about(prompt: Prompt) -> dict[str, Any]:
    """Which prompt it is."""
    return {
        "name": prompt.name,
        "version": prompt.version,
        "hash": prompt.sha256,
        "path": prompt.path,
    }


def row_document(row: Difference) -> dict[str, float]:
    """A measure for `--json`: `Difference.document` with the names that prompts go by here."""
    told = row.document()
    return {"against": told.pop("theirs"), "variant": told.pop("ours"), **told}


def pair_document(pair: Pair) -> dict[str, Any]:
    """A question for `--json`."""
    answers = zip(SIDES, (pair.against, pair.variant), pair.measures, strict=True)
    return {
        "scenario": pair.scenario,
        "question_id": pair.question_id,
        "question": pair.variant.question,
        "verdict": pair.verdict,
        **{
            side: {
                "memories": one.ids,
                "measures": measures,
                "queries": [asdict(query) for query in one.queries],
            }
            for side, one, measures in answers
        },
    }


def shown_measures(pair: Pair) -> list[tuple[str, float, float]]:
    """(measure, against, variant) of those that differ."""
    before, after = pair.measures
    return [(m, before[m], after[m]) for m in before if abs(after[m] - before[m]) > SAME]
