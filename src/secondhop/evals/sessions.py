"""Sessions with a simulated user: what two rounds of votes make of an answer."""

from secondhop.evals.measures import measure
from secondhop.evals.scenario import Question, Scenario
from secondhop.evals.session_report import QuestionRounds, SessionReport
from secondhop.evals.session_rivals import by_reference_formula, next_page
from secondhop.evals.session_user import LabelledUser
from secondhop.graph.session_result import SessionAnswer
from secondhop.ingest.run import IngestProgress
from secondhop.recall import Recall


async def run_sessions(
    scenario: Scenario,
    recall: Recall,
    *,
    votes: int = 2,
    noise: float = 0.0,
    seed: int = 0,
    progress: IngestProgress | None = None,
) -> SessionReport:
    """Every question in a session of its own, with its own k; the memory must be stored before.

    Scored is the answer as it is shown: what was voted for, then what is new; its first k.

    Args:
        votes: rounds of votes; so many answers follow on the first.
        noise: share of the user's votes that are drawn at random.
        progress: called with (scenario, questions answered, questions in all).
    """
    report = SessionReport(name=scenario.name, votes=votes, noise=noise)
    for done, question in enumerate(scenario.questions, start=1):
        user = LabelledUser(question, noise=noise, seed=seed)
        answers = await session_answers(question, user, recall, votes=votes)
        rivals = {
            "next page": await next_page(
                question, LabelledUser(question, noise=noise, seed=seed), recall, pages=votes + 1
            ),
            "reference formula": await by_reference_formula(
                question,
                LabelledUser(question, noise=noise, seed=seed),
                recall,
                first=answers[0].memories,
                pages=votes + 1,
            ),
        }
        shown = {"session": [answer.ids() for answer in answers], **rivals}
        report.questions[question.id] = QuestionRounds(
            answers=shown,
            measures={
                name: [measure(question, ids) for ids in rounds] for name, rounds in shown.items()
            },
        )
        if progress is not None:
            progress(scenario.name, done, len(scenario.questions))
    return report


async def session_answers(
    question: Question, user: LabelledUser, recall: Recall, *, votes: int
) -> list[SessionAnswer]:
    """The first answer and those after each round of votes; the last stands when nothing is new."""
    session = recall.session(
        question.query, k=question.k, max_rounds=votes + 1, at=question.asked_at
    )
    async with session as s:
        answers = [s.answer]
        while len(answers) <= votes:
            cast = user.vote_on(s.answer.ids())
            answers.append(await s.vote(cast) if cast else answers[-1])
    return answers
