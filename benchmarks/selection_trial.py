"""Ways of giving slots, tried on the pools of recalls that ran once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from secondhop.evals.ablation import Chosen
from secondhop.evals.baselines_contest import Contest, Score
from secondhop.evals.measures import mean_of, measure
from secondhop.evals.scenario import Scenario
from secondhop.ranking.redundancy import REDUNDANCY

OWN = "ours"
LAMBDAS = ("0.3", "0.5", "0.7", "0.8", "0.9", "0.95")
LIMITS = ("0.55", "0.7", "0.8", "0.9", "1")
JUDGED_BY = "alpha_ndcg"
"""What a lambda or a limit is chosen by."""

MEASURES_OF_REPETITION = (*(name for name in REDUNDANCY if name != "none"), "evidence")
OVER_WHOLE = ("mean", "length_weighted_mean", "max_pool", "kmeans_centroids", "topic_cluster")
"""Measures that the literature takes over a whole conversation, not over its found passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A way of selecting, with one value of its number or several to choose from."""

    name: str
    variants: Sequence[Sequence[str]]
    """Settings as `replay --set` takes them."""
    whole: bool = False


def selections() -> Iterator[Selection]:
    """In the order of the table."""
    yield Selection(name=OWN, variants=[()])
    yield Selection(name="relevance alone", variants=[("ranking.diversity=none",)])
    for name in ("in_turn", "xquad", "pm2"):
        for repetition in ("none", "evidence"):
            settings = (f"ranking.diversity={name}", f"ranking.redundancy={repetition}")
            yield Selection(name=f"{name}, {repetition}", variants=[settings])
    for name in MEASURES_OF_REPETITION:
        yield Selection(name=f"MMR 0.5, {name}", variants=[mmr(name)])
        variants = [mmr(name, lambda_=lambda_) for lambda_ in LAMBDAS]
        yield Selection(name=f"MMR, {name}, λ chosen elsewhere", variants=variants)
    for name in OVER_WHOLE:
        yield Selection(name=f"MMR 0.5, {name} of whole memories", variants=[mmr(name)], whole=True)
    for name in ("none", *MEASURES_OF_REPETITION[:-1]):
        yield Selection(
            name=f"ours, {name}, limit chosen elsewhere",
            variants=[
                (f"ranking.redundancy={name}", f"ranking.redundancy_limit={limit}")
                for limit in LIMITS
            ],
        )


def mmr(name: str, *, lambda_: str = "0.5") -> tuple[str, ...]:
    """Settings for MMR with a measure of repetition."""
    return ("ranking.diversity=mmr", f"ranking.redundancy={name}", f"ranking.mmr_lambda={lambda_}")


APART: Mapping[str, Callable[[Chosen], list[str]]] = {
    "the question alone, MMR 0.5, mean": lambda chosen: chosen.question_alone(mmr("mean")),
    "passages compete, no same-parent rule": lambda chosen: chosen.passages_compete(),
}
"""What is no setting."""


def score_of(scenario: Scenario, ranked: Mapping[str, list[str]]) -> dict[str, Score]:
    """{question id: score}, without times."""
    return {
        question.id: Score(
            measures=measure(question, ranked[question.id]),
            ms=0.0,
            cpu_ms=0.0,
            place=None,
            one_answer=False,
            ranked=ranked[question.id],
        )
        for question in scenario.questions
    }


def picked(chosen: Chosen, *, changes: Sequence[str], whole: bool) -> list[str]:
    """The answer with other settings."""
    return chosen.picks(changes, whole=whole)


class SelectionTrial:
    """Every selection on every scenario."""

    def __init__(self) -> None:
        self._by_variant: dict[str, dict[str, list[dict[str, Score]]]] = {}

    def add(self, scenario: Scenario, chosen: Mapping[str, Chosen]) -> None:
        """All variants of all selections on one scenario."""
        for way in selections():
            picks = [partial(picked, changes=one, whole=way.whole) for one in way.variants]
            self._note(way.name, scenario, picks, chosen)
        for name, pick in APART.items():
            self._note(name, scenario, [pick], chosen)

    def _note(
        self,
        name: str,
        scenario: Scenario,
        picks: Sequence[Callable[[Chosen], list[str]]],
        chosen: Mapping[str, Chosen],
    ) -> None:
        self._by_variant.setdefault(name, {})[scenario.name] = [
            score_of(scenario, {question: pick(one) for question, one in chosen.items()})
            for pick in picks
        ]

    def contest(self) -> Contest:
        """Each selection with the variant that is best on the other scenarios."""
        contest = Contest()
        for name, by_scenario in self._by_variant.items():
            contest.scores[name] = {
                scenario: variants[chosen_elsewhere(by_scenario, scenario)]
                for scenario, variants in by_scenario.items()
            }
        return contest


def chosen_elsewhere(by_scenario: Mapping[str, Sequence[dict[str, Score]]], here: str) -> int:
    """The variant with the best mean on all scenarios but this; the first without any other."""
    others = [variants for scenario, variants in by_scenario.items() if scenario != here]
    count = len(by_scenario[here])
    if not others:
        return 0
    means = [
        sum(mean_of(s.measures for s in variants[n].values())[JUDGED_BY] for variants in others)
        for n in range(count)
    ]
    return max(range(count), key=lambda n: (means[n], -n))
