"""What a trial of two prompts found: measures side by side, and the questions that changed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from secondhop.evals.measures import MEASURES, Measures, mean_of
from secondhop.evals.paired import Interval, paired_interval
from secondhop.evals.prompt_trial import Outcome, Pair, degraded_recalls
from secondhop.graph.result import Spent
from secondhop.models.answer_cache import AnswerCounts
from secondhop.models.llm import Usage
from secondhop.models.prices import TokenPrice
from secondhop.prompts.templates import Prompt

LOWER_IS_BETTER = frozenset({"redundancy", "stale_rate"})

DECIDING = ("facet_recall", "alpha_ndcg")
"""A question is won by more facets served, or by as many in a better order."""

SAME = 1e-9
"""Smaller differences come of adding in another order."""

Verdict: TypeAlias = Literal["won", "lost", "tied"]
SIDES = ("against", "variant")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRow:
    """One measure of both variants; means of the scenarios' means."""

    name: str
    against: float
    variant: float
    interval: Interval
    wins: int
    """Questions in which the variant is better."""
    ties: int
    losses: int


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

    def rows(self) -> list[MeasureRow]:
        """One a measure, in the order of a report; [] without a labelled question."""
        return [self._row(name) for name in MEASURES] if self.labelled() else []

    def verdicts(self) -> dict[Verdict, int]:
        """How many questions the variant won, lost and left as they were."""
        given = [verdict_of(pair) for pair in self.labelled()]
        return {"won": given.count("won"), "lost": given.count("lost"), "tied": given.count("tied")}

    def changed(self) -> list[Pair]:
        """The pairs with another answer: lost ones first, then won ones, then the rest."""
        order = {"lost": 0, "won": 1, "tied": 2}
        others = [pair for pair in self.pairs if pair.against.ids != pair.variant.ids]
        return sorted(others, key=lambda pair: order[verdict_of(pair)])

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
            "measures": {row.name: row_document(row) for row in self.rows()},
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
        }

    def _row(self, name: str) -> MeasureRow:
        strata: dict[str, list[Pair]] = {}
        for pair in self.labelled():
            strata.setdefault(pair.scenario, []).append(pair)
        means = [
            mean_of(mean_of(one.measures for one in sides(row)[side]) for row in strata.values())
            for side in (0, 1)
        ]
        gains = [gain(pair, name) for pair in self.labelled()]
        return MeasureRow(
            name=name,
            against=means[0][name],
            variant=means[1][name],
            interval=paired_interval(
                [[difference(pair, name) for pair in row] for row in strata.values()]
            ),
            wins=sum(one > SAME for one in gains),
            ties=sum(abs(one) <= SAME for one in gains),
            losses=sum(one < -SAME for one in gains),
        )


def sides(pairs: Sequence[Pair]) -> tuple[list[Outcome], list[Outcome]]:
    """The outcomes of each variant."""
    return [pair.against for pair in pairs], [pair.variant for pair in pairs]


def difference(pair: Pair, name: str) -> float:
    """Variant less against, in one measure."""
    return pair.variant.measures[name] - pair.against.measures[name]


def gain(pair: Pair, name: str) -> float:
    """By how much the variant is better in one measure, whichever way the measure goes."""
    return -difference(pair, name) if name in LOWER_IS_BETTER else difference(pair, name)


def verdict_of(pair: Pair) -> Verdict:
    """Whether the variant answers this question better; an unanswerable one is best left alone."""
    if pair.is_labelled:
        gains = [gain(pair, name) for name in DECIDING]
    else:
        gains = [float(bool(pair.against.ids)) - float(bool(pair.variant.ids))]
    decisive = next((one for one in gains if abs(one) > SAME), 0.0)
    return "tied" if decisive == 0 else "won" if decisive > 0 else "lost"


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


def row_document(row: MeasureRow) -> dict[str, float]:
    """A measure for `--json`."""
    return {
        "against": row.against,
        "variant": row.variant,
        **asdict(row.interval),
        "wins": row.wins,
        "ties": row.ties,
        "losses": row.losses,
    }


def pair_document(pair: Pair) -> dict[str, Any]:
    """A question for `--json`."""
    return {
        "scenario": pair.scenario,
        "question_id": pair.question_id,
        "question": pair.question,
        "verdict": verdict_of(pair),
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
        if abs(difference(pair, name)) > SAME
    ]
