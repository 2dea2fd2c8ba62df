"""What a trial of two prompts found: measures side by side, and the questions that changed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from secondhop.evals.comparison import SAME, Difference, difference
from secondhop.evals.measures import MEASURES, Measures
from secondhop.evals.prompt_trial import Outcome, Pair, WrittenQuery, degraded_recalls
from secondhop.evals.significance import FEW
from secondhop.evals.verdicts import Verdict, tally, verdict_of
from secondhop.graph.result import Spent
from secondhop.models.answer_cache import AnswerCounts
from secondhop.models.llm import Usage
from secondhop.models.prices import TokenPrice
from secondhop.prompts.templates import Prompt

SIDES = ("against", "variant")


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
            both = pair.variant.measures, pair.against.measures
            strata.setdefault(pair.scenario, []).append(both)
        return [difference(name, list(strata.values())) for name in MEASURES] if strata else []

    @property
    def is_small(self) -> bool:
        """Whether there are too few questions for the intervals; p holds all the same."""
        return len(self.labelled()) < FEW

    def verdicts(self) -> dict[Verdict, int]:
        """How many questions the variant won, lost and left as they were."""
        return tally(map(verdict_on, self.labelled()))

    def changed(self) -> list[Pair]:
        """The pairs with another answer: lost ones first, then won ones, then the rest."""
        order = {"lost": 0, "won": 1, "tied": 2}
        others = [pair for pair in self.pairs if pair.against.ids != pair.variant.ids]
        return sorted(others, key=lambda pair: order[verdict_on(pair)])

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
            "changed": [pair_document(pair) for pair in self.changed()],
            "by_question": [pair_document(pair) for pair in self.pairs],
        }


def sides(pairs: Sequence[Pair]) -> tuple[list[Outcome], list[Outcome]]:
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


def raised(pair: Pair, name: str) -> float:
    """Variant less against, in one measure."""
    return pair.variant.measures[name] - pair.against.measures[name]


def verdict_on(pair: Pair) -> Verdict:
    """Whether the variant answers this question better; an unanswerable one is best left alone."""
    if pair.is_labelled:
        return verdict_of(pair.against.measures, pair.variant.measures)
    before, after = bool(pair.against.ids), bool(pair.variant.ids)
    return "tied" if before == after else "lost" if after else "won"


def total_spent(outcomes: Sequence[Outcome]) -> Spent:
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
    return {
        "scenario": pair.scenario,
        "question_id": pair.question_id,
        "question": pair.question,
        "verdict": verdict_on(pair),
        **{
            side: {
                "memories": one.ids,
                "measures": one.measures,
                "queries": [asdict(query) for query in one.queries],
            }
            for side, one in zip(SIDES, (pair.against, pair.variant), strict=True)
        },
    }


def shown_measures(pair: Pair) -> list[tuple[str, float, float]]:
    """(measure, against, variant) of those that differ."""
    before: Measures = pair.against.measures
    return [
        (name, before[name], pair.variant.measures[name])
        for name in before
        if abs(raised(pair, name)) > SAME
    ]
