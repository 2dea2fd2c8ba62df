"""Compares two systems on the same questions: what differs, by how much, and how certainly."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from secondhop.evals.measures import Measures
from secondhop.evals.report import SystemRun
from secondhop.evals.significance import Interval, paired_interval, randomisation_p

COSTS = ("ms", "llm_calls", "tokens")
"""Only compared if both systems are secondhop."""

LOWER_IS_BETTER = frozenset({"redundancy", "stale_rate", *COSTS})

DECIDING = ("facet_recall", "alpha_ndcg")
"""The first of these measures that differs decides whose answer to a question is better."""

Verdict: TypeAlias = Literal["won", "lost", "tied"]

SAME = 1e-9
"""Smaller differences are rounding errors."""


def p_shown(p: float) -> str:
    """A p-value for people, never "0.000".

    >>> p_shown(0.0213), p_shown(0.0001)
    ('0.021', '<0.001')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measure of both systems. `ours` and `theirs` are means of the scenarios' means."""

    measure: str
    ours: float
    theirs: float
    interval: Interval
    """Of ours minus theirs."""
    p: float
    """Two-sided p-value of the randomisation test, not corrected for several measures."""
    wins: int
    """Questions on which ours is better."""
    ties: int
    losses: int

    def document(self) -> dict[str, float]:
        """For `--json`."""
        return {
            "ours": self.ours,
            "theirs": self.theirs,
            **asdict(self.interval),
            "p": self.p,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDifference:
    """One question, answered by both systems."""

    scenario: str
    question_id: str
    gains: Measures
    """{measure: ours minus theirs}."""
    came: list[str]
    """Memories that only ours has, in its order."""
    went: list[str]
    """Memories that only theirs has, in its order."""

    @property
    def verdict(self) -> Verdict:
        """Whether our answer is better ("won"), worse ("lost") or as good ("tied")."""
        gains = [self.gains[name] for name in DECIDING if name in self.gains]
        decisive = next((gain for gain in gains if abs(gain) > SAME), 0.0)
        return "tied" if decisive == 0 else "won" if decisive > 0 else "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Our answers compared with those of another system or of other settings."""

    against: str
    differences: Sequence[Difference]
    questions: Sequence[QuestionDifference]

    def count(self, verdict: Verdict) -> int:
        """Number of questions with this verdict."""
        return sum(one.verdict == verdict for one in self.questions)

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        questions: dict[str, dict[str, Any]] = {}
        for one in self.questions:
            told = {"verdict": one.verdict, "came": one.came, "went": one.went, **one.gains}
            questions.setdefault(one.scenario, {})[one.question_id] = told
        return {
            "against": self.against,
            "won": self.count("won"),
            "lost": self.count("lost"),
            "tied": self.count("tied"),
            "measures": {one.measure: one.document() for one in self.differences},
            "questions": questions,
        }


def compared(
    against: str, ours: Mapping[str, SystemRun], theirs: Mapping[str, SystemRun]
) -> Comparison:
    """Compare two systems over the same scenarios.

    Args:
        ours, theirs: {scenario: answers}; questions that only one has are left out.
    """
    strata: list[list[Pair]] = []
    questions: list[QuestionDifference] = []
    for name, own in ours.items():
        other = theirs[name]
        asked = [one for one in own.questions if one in other.questions]
        if asked:
            strata.append([(own.questions[one], other.questions[one]) for one in asked])
        questions += [question_difference(name, one, own, other) for one in asked]
    return Comparison(
        against=against,
        differences=[difference(name, strata) for name in shared_measures(strata)],
        questions=questions,
    )


def question_difference(
    scenario: str, question_id: str, ours: SystemRun, theirs: SystemRun
) -> QuestionDifference:
    """How the two answers to one question differ."""
    own, other = ours.questions[question_id], theirs.questions[question_id]
    came, went = ours.results.get(question_id, ()), theirs.results.get(question_id, ())
    return QuestionDifference(
        scenario=scenario,
        question_id=question_id,
        gains={name: own[name] - other[name] for name in own if name in other},
        came=[one for one in came if one not in went],
        went=[one for one in went if one not in came],
    )


Pair: TypeAlias = tuple[Mapping[str, float], Mapping[str, float]]


def shared_measures(strata: Sequence[Sequence[Pair]]) -> list[str]:
    """The measures that both systems have for every question."""
    rows = [row for stratum in strata for pair in stratum for row in pair]
    return [name for name in rows[0] if all(name in row for row in rows)] if rows else []


def difference(measure: str, strata: Sequence[Sequence[Pair]]) -> Difference:
    """One measure over all questions; each stratum (scenario) has the same weight."""
    differences = [[a[measure] - b[measure] for a, b in stratum] for stratum in strata]
    sign = -1.0 if measure in LOWER_IS_BETTER else 1.0
    gains = [sign * one for row in differences for one in row]
    means = [
        sum(sum(pair[side][measure] for pair in stratum) / len(stratum) for stratum in strata)
        / len(strata)
        for side in (0, 1)
    ]
    return Difference(
        measure=measure,
        ours=means[0],
        theirs=means[1],
        interval=paired_interval(differences),
        p=randomisation_p(differences),
        wins=sum(gain > SAME for gain in gains),
        ties=sum(abs(gain) <= SAME for gain in gains),
        losses=sum(gain < -SAME for gain in gains),
    )
