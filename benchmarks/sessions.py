"""Sessions with a simulated user: how two rounds of votes change an answer.

    python -m benchmarks.sessions [DIR...] [--votes N] [--noise SHARE] [--seed N]

docs/benchmarks.md says how the user votes, and gives the results, also those of two rivals: the
next page of the same ranking, and a vector formula from the literature.
"""

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.session_report import SessionReport, lowered_share, mean_by_round, ratio_of
from benchmarks.simulated_user import LabelledUser

from secondhop.cli.eval_commands import load_scenarios
from secondhop.cli.opening import kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.evals.measures import measure
from secondhop.evals.scenario import Question, Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.shipped import shipped_scenarios
from secondhop.graph.session_result import SessionAnswer
from secondhop.recall import Recall


async def run_sessions(
    scenario: Scenario,
    recall: Recall,
    *,
    votes: int = 2,
    noise: float = 0.0,
    seed: int = 0,
) -> SessionReport:
    """Ask every question in a session of its own, with its own k. The memories must be stored.

    Each answer is scored as it is shown (voted-for memories, then new ones) on its first k.

    Args:
        votes: rounds of votes, and thus of answers after the first.
        noise: share of the user's votes that are random.
    """
    report = SessionReport(name=scenario.name, votes=votes)
    for question in scenario.questions:
        user = LabelledUser(question, noise=noise, seed=seed)
        answers = await session_answers(question, user, recall, votes=votes)
        report.questions[question.id] = [measure(question, answer.ids()) for answer in answers]
    return report


async def session_answers(
    question: Question, user: LabelledUser, recall: Recall, *, votes: int
) -> list[SessionAnswer]:
    """The first answer, and one after each round of votes (the same if nothing is new)."""
    session = recall.sessions.open(
        question.query, k=question.k, max_rounds=votes + 1, at=question.asked_at
    )
    async with session as s:
        answers = [s.answer]
        while len(answers) <= votes:
            cast = user.vote_on(s.answer.ids())
            answers.append(await s.vote(cast) if cast else answers[-1])
    return answers


async def measure_sessions(
    found: Sequence[Scenario], common: Common, *, votes: int, noise: float, seed: int
) -> list[SessionReport]:
    """One report per scenario, from a temporary store."""
    reports: list[SessionReport] = []
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = stack.enter_context(kept_embeddings(common))
        for scenario in found:
            async with opened(
                place, entity=scenario.name, embedder=embedder, counting=True
            ) as recall:
                await store_scenario(scenario, recall)
                reports.append(
                    await run_sessions(scenario, recall, votes=votes, noise=noise, seed=seed)
                )
    return reports


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="scenario folders")
    parser.add_argument("--votes", type=int, default=2, help="rounds of votes")
    parser.add_argument("--noise", type=float, default=0.0, help="share of votes drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="for the drawn votes")
    return parser.parse_args()


def main() -> None:
    """Print alpha-nDCG of the first answer and after each round, without cues."""
    wanted = arguments()
    scenarios = load_scenarios(wanted.folders or shipped_scenarios(), cues=False)
    common = Common(llm="offline", embedder="default")
    reports = asyncio.run(
        measure_sessions(
            scenarios, common, votes=wanted.votes, noise=wanted.noise, seed=wanted.seed
        )
    )
    rounds = " ".join(f"{value:.3f}" for value in mean_by_round(reports))
    ratio, lower = ratio_of(reports), lowered_share(reports)
    print(f"{rounds}  over the first {ratio:.2f}, made worse {lower:.0%}")


if __name__ == "__main__":
    main()
