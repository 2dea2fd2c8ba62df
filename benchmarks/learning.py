"""Measures whether learning from sessions helps and does no harm, with simulated users.

    python -m benchmarks.learning [DIR...] [--sessions N] [--noise SHARE] [--poisoned] [--seed N]

The questions of a scenario are split in half. One half is asked in sessions, each time in different
words and never in its own. Then all questions are recalled in their own words: this half should be
better, and the other should not have changed. Then the halves are swapped.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.learning_report import MEASURE, LearningRun, When
from benchmarks.rewordings import load_rewordings
from benchmarks.simulated_user import LabelledUser

from secondhop.cli.eval_commands import load_scenarios
from secondhop.cli.opening import kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.evals.measures import Measures, measure
from secondhop.evals.scenario import Question, Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.shipped import shipped_scenarios
from secondhop.recall import Recall

UserKind = Literal["labels", "random", "against"]

USERS: tuple[UserKind, ...] = ("labels", "random", "against")

MAX_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningTrial:
    """How the users of one run vote, and how often."""

    user: UserKind = "labels"
    sessions: int = 4
    """Resolved sessions per question."""
    noise: float = 0.1
    """Share of random votes, for a user who votes by the labels."""
    seed: int = 0

    def voter(self, question: Question, turn: int) -> LabelledUser:
        """A new user for each turn, so that the mistakes differ."""
        return LabelledUser(
            question,
            noise=1.0 if self.user == "random" else self.noise,
            against=self.user == "against",
            seed=1000 * self.seed + turn,
        )


async def run_learning(
    scenario: Scenario,
    recall: Recall,
    *,
    wordings: Mapping[str, Sequence[str]],
    trial: LearningTrial,
) -> LearningRun:
    """Run both halves. The memories must be stored already; everything learned is forgotten.

    Args:
        wordings: {question id: other wordings}, used in turn.
    """
    questions = scenario.questions
    recalls: dict[str, dict[When, Measures]] = {question.id: {} for question in questions}

    await recall.learning.aforget_all()
    for question in questions:
        recalls[question.id]["before"] = await asked(question, recall)
    for half in (questions[::2], questions[1::2]):
        await recall.learning.aforget_all()
        for turn in range(trial.sessions):
            for question in half:
                words = wordings[question.id]
                await taught(question, words[turn % len(words)], recall, trial=trial, turn=turn)
        for question in questions:
            when: When = "after" if question in half else "others"
            recalls[question.id][when] = await asked(question, recall)
    await recall.learning.aforget_all()
    return LearningRun(
        name=scenario.name,
        user=trial.user,
        noise=1.0 if trial.user == "random" else trial.noise,
        questions=recalls,
    )


async def asked(question: Question, recall: Recall) -> Measures:
    """The measures of a recall in the question's own words."""
    found = await recall.arecall(question.query, k=question.k, at=question.asked_at)
    return measure(question, found.ids())


async def taught(
    question: Question, words: str, recall: Recall, *, trial: LearningTrial, turn: int
) -> None:
    """One session in other words, with votes until the user is content, then resolved."""
    user = trial.voter(question, turn)
    session = recall.sessions.open(words, k=question.k, max_rounds=MAX_ROUNDS, at=question.asked_at)
    async with session as s:
        while True:
            cast = user.vote_on(s.answer.ids())
            last = user.is_content() or s.answer.rounds_left == 0 or not cast
            if cast:
                await s.vote(cast, go_on=not last)
            if last:
                await s.resolve()
                return


async def measure_learning(
    folders: Sequence[Path], common: Common, *, trials: Sequence[LearningTrial]
) -> list[LearningRun]:
    """One run per scenario and trial, in a temporary store."""
    found = load_scenarios(list(folders))
    runs: list[LearningRun] = []
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = stack.enter_context(kept_embeddings(common))
        for folder, scenario in zip(folders, found, strict=True):
            words = load_rewordings(folder, scenario)
            async with opened(
                place, entity=scenario.name, embedder=embedder, counting=True
            ) as recall:
                await store_scenario(scenario, recall)
                runs += [
                    await run_learning(scenario, recall, wordings=words, trial=trial)
                    for trial in trials
                ]
    return runs


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="scenario folders")
    parser.add_argument("--sessions", type=int, default=4, help="sessions a question")
    parser.add_argument("--noise", type=float, default=0.1, help="share of votes drawn at random")
    parser.add_argument(
        "--poisoned", action="store_true", help="also users who vote at random, or against"
    )
    parser.add_argument("--seed", type=int, default=0, help="for the drawn votes")
    return parser.parse_args()


def main() -> None:
    """Print alpha-nDCG before and after learning, and that of the half that did not learn."""
    wanted = arguments()
    trials = [
        LearningTrial(
            user=user,
            sessions=wanted.sessions,
            noise=wanted.noise,
            seed=wanted.seed,
        )
        for user in (USERS if wanted.poisoned else USERS[:1])
    ]
    common = Common(llm="offline", embedder="default")
    folders = wanted.folders or shipped_scenarios()
    for run in asyncio.run(measure_learning(folders, common, trials=trials)):
        before, after, others = (run.mean(when)[MEASURE] for when in ("before", "after", "others"))
        print(
            f"{run.user:8} {run.name:12} {before:.3f} -> {after:.3f}, others {others:.3f}, "
            f"made worse {len(run.lowered())} of {len(run.questions)}"
        )


if __name__ == "__main__":
    main()
