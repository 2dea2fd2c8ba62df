"""What sessions teach on shipped scenarios if people vote well, at random, or in bad faith.

Measured as `python -m benchmarks.learning` does it; docs/learning.md has all figures.
"""

from collections.abc import AsyncGenerator, Sequence
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
from secondhop.recall import Recall

TAUGHT = ("carefeed", "house")
"""The smallest scenarios, to save time."""
POISONED = "house"
LEARNED = 0.84
"""Floor of the mean alpha-nDCG of questions whose rewordings were taught: a little below what was
measured (0.855, and 0.804 before the teaching)."""
UNCHANGED = 0.01
"""Share of its alpha-nDCG that a question of another context may lose."""


def folder_of(name: str) -> Path:
    (folder,) = [one for one in shipped_scenarios() if one.name == name]
    return folder


@asynccontextmanager
async def stored(scenario: Scenario) -> AsyncGenerator[Recall, None]:
    """A temporary store of the scenario."""
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(AS_SHIPPED))
        embedder = stack.enter_context(kept_embeddings(AS_SHIPPED))
        async with opened(place, entity=scenario.name, embedder=embedder, counting=True) as recall:
            await store_scenario(scenario, recall)
            yield recall


def expect_others_unchanged(run: LearningRun) -> None:
    """Questions of other contexts are answered as well as before, no matter who taught."""
    for one, question in run.questions.items():
        before, others = question["before"][MEASURE], question["others"][MEASURE]
        assert others >= (1 - UNCHANGED) * before, (run.name, run.user, one)


def mean_of(runs: Sequence[LearningRun], when: When) -> float:
    return sum(run.mean(when)[MEASURE] for run in runs) / len(runs)


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
async def test_questions_of_a_context_gain_by_its_sessions_and_others_stay_as_they_were() -> None:
    folders = [folder_of(name) for name in TAUGHT]

    runs = await measure_learning(folders, AS_SHIPPED, trials=[LearningTrial()])

    assert [(run.name, run.noise, len(run.questions)) for run in runs] == [
        ("carefeed", 0.1, 5),
        ("house", 0.1, 5),
    ]
    assert mean_of(runs, "after") >= LEARNED, runs
    for run in runs:
        assert run.mean("after")[MEASURE] > run.mean("before")[MEASURE], run
        expect_others_unchanged(run)


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
async def test_bad_votes_take_from_their_questions_alone_and_not_for_good() -> None:
    scenario = load_scenario(folder_of(POISONED))
    half, others = scenario.questions[::2], scenario.questions[1::2]
    async with stored(scenario) as recall:
        before, beside = await answers(half, recall), await answers(others, recall)
        await poison(scenario, half, recall)
        after = await answers(half, recall)
        assert await answers(others, recall) == beside
        await recall.learning.aforget_all()

        assert await answers(half, recall) == before

    assert all(poisoned != plain for plain, poisoned in zip(before, after, strict=True))


async def poison(scenario: Scenario, questions: Sequence[Question], recall: Recall) -> None:
    """Hold sessions about rewordings of the questions; the voter votes the wrong way round."""
    wordings = load_rewordings(folder_of(scenario.name), scenario)
    trial = LearningTrial(user="against", sessions=4)
    for turn in range(trial.sessions):
        for question in questions:
            words = wordings[question.id]
            await taught(question, words[turn % len(words)], recall, trial=trial, turn=turn)


async def answers(questions: Sequence[Question], recall: Recall) -> list[list[str]]:
    """Ids of the answer to each question in its own words."""
    return [
        (await recall.arecall(question.query, k=question.k, at=question.asked_at)).ids()
        for question in questions
    ]
