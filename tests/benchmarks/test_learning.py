"""What sessions teach on shipped scenarios, by who votes in them: well, at random, or in bad faith.

Measured as `python -m benchmarks.learning` does it; docs/learning.md has all figures.
"""

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest
from benchmarks.learning import LearningTrial, measure_learning, taught
from benchmarks.learning_report import MEASURE, LearningRun, When
from benchmarks.rewordings import load_rewordings
from tests.evals.as_shipped import AS_SHIPPED

from secondhop.cli.opening import kept_embeddings, opened, throwaway
from secondhop.evals.scenario import Question, Scenario, load_scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.shipped import shipped_scenarios
from secondhop.graph.trace import RecallTrace
from secondhop.nodes.selection.learned import EARLIER
from secondhop.recall import Recall

TAUGHT = ("carefeed", "house")
"""The smallest ones, for the time it takes."""
POISONED = "house"
GAIN = 1.1
"""Mean alpha-nDCG of the questions asked before in other words, over what it was; a floor a little
below what was measured."""
UNCHANGED = 0.01
"""The part by which a question of another context may change."""

WEIGHT = 0.3
"""The most that learning may add to relevance; it takes half as much (docs/learning.md)."""
LEANING = 4 / (4 + 1)
"""Of four sessions of one mind, each with one vote on a memory, against a prior of one vote."""
LOWEST, HIGHEST = round(1 - WEIGHT / 2 * LEANING, 4), round(1 + WEIGHT * LEANING, 4)
"""What four sessions may make of a memory's relevance, whatever the votes: 0.88 to 1.24."""
LEFT = LOWEST / HIGHEST
"""What is left at least of an answer's relevance: what takes a memory's place was of this part of
its relevance or more, also where all that was given went down and all else came up as far as may
be."""


def folder_of(name: str) -> Path:
    (folder,) = [one for one in shipped_scenarios() if one.name == name]
    return folder


@asynccontextmanager
async def stored(scenario: Scenario) -> AsyncGenerator[Recall, None]:
    """The scenario in a store that is thrown away."""
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(AS_SHIPPED))
        embedder = stack.enter_context(kept_embeddings(AS_SHIPPED, "eval"))
        async with opened(place, entity=scenario.name, embedder=embedder, counting=True) as recall:
            await store_scenario(scenario, recall)
            yield recall


def expect_others_unchanged(run: LearningRun) -> None:
    """Whoever has taught: questions of other contexts are answered as well as before."""
    for one, question in run.questions.items():
        before = question.recalls["before"].measures[MEASURE]
        others = question.recalls["others"].measures[MEASURE]
        assert abs(others - before) <= UNCHANGED * before, (run.name, run.user, one)


def mean_of(runs: Sequence[LearningRun], when: When) -> float:
    return sum(run.mean(when)[MEASURE] for run in runs) / len(runs)


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
async def test_questions_of_a_context_gain_by_its_sessions_and_others_stay_as_they_were() -> None:
    folders = [folder_of(name) for name in TAUGHT]

    runs = await measure_learning(folders, AS_SHIPPED, trials=[LearningTrial(rounds=False)])

    assert [(run.name, run.noise, len(run.questions)) for run in runs] == [
        ("carefeed", 0.1, 5),
        ("house", 0.1, 5),
    ]
    assert mean_of(runs, "after") >= GAIN * mean_of(runs, "before"), runs
    for run in runs:
        assert run.mean("after")[MEASURE] > run.mean("before")[MEASURE], run
        expect_others_unchanged(run)


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
async def test_bad_votes_take_no_more_than_the_setting_lets_them_and_not_for_good() -> None:
    scenario = load_scenario(folder_of(POISONED))
    half = scenario.questions[::2]
    async with stored(scenario) as recall:
        before = await traces(half, recall)
        await poison(scenario, half, recall)
        after = await traces(half, recall)
        await recall.learning.aforget_all()
        forgotten = await traces(half, recall)

    for plain, poisoned in zip(before, after, strict=True):
        factors = learned_factors(poisoned)
        assert min(factors) < 1 < max(factors), "nothing was learned: no bound is shown"
        assert min(factors) >= LOWEST
        assert max(factors) <= HIGHEST
        refused = refused_by_people(poisoned)
        assert refused, "nothing was refused for good: no bound is shown"
        assert worth(poisoned, told=plain) >= LEFT * worth(plain, told=plain, without=refused)
    assert all(answer_of(a) != answer_of(b) for a, b in zip(before, after, strict=True))
    assert [answer_of(trace) for trace in forgotten] == [answer_of(trace) for trace in before]


async def poison(scenario: Scenario, questions: Sequence[Question], recall: Recall) -> None:
    """Sessions of somebody who votes the other way round, in other words than the questions'."""
    wordings = load_rewordings(folder_of(scenario.name), scenario)
    trial = LearningTrial(user="against", sessions=4)
    for turn in range(trial.sessions):
        for question in questions:
            words = wordings[question.id]
            await taught(question, words[turn % len(words)], recall, trial=trial, turn=turn)


async def traces(questions: Sequence[Question], recall: Recall) -> list[RecallTrace]:
    """The story of a recall of each question in its own words."""
    return [await traced(question, recall) for question in questions]


async def traced(question: Question, recall: Recall) -> RecallTrace:
    """The story of a recall in the question's own words."""
    found = await recall.arecall(question.query, k=question.k, at=question.asked_at)
    return recall.trace(found.trace_id)


def learned_factors(trace: RecallTrace) -> list[float]:
    """What was learned of the candidates that it says something of."""
    told = [one.factors.get("learned", 1.0) for one in trace.candidates]
    return [factor for factor in told if factor != 1.0]


def refused_by_people(trace: RecallTrace) -> set[str]:
    """Ids that people refused for such questions in earlier sessions: these stay out by intent."""
    return {
        one.memory_id for one in trace.candidates if any(vote.by == EARLIER for vote in one.votes)
    }


def answer_of(trace: RecallTrace) -> list[str]:
    """Ids in the order of their slots."""
    given = {one.slot: one.memory_id for one in trace.candidates if one.slot is not None}
    return [given[slot] for slot in sorted(given)]


def worth(
    trace: RecallTrace, *, told: RecallTrace, without: Collection[str] = frozenset()
) -> float:
    """The relevance of what a recall gives, as `told` by one that nothing has taught, `without`
    some memories.

    Of each memory the mean over the facets, by their weights; 0 where `told` did not find it.
    """
    weights = {facet.facet_id: facet.weight for facet in told.facets}
    relevance = {
        one.memory_id: sum(weights[s.facet_id] * s.relevance for s in one.facet_scores)
        for one in told.candidates
    }
    counted = [one for one in answer_of(trace) if one not in without]
    return sum(relevance.get(one, 0.0) for one in counted) / sum(weights.values())
