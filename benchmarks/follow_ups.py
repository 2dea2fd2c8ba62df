"""Measures follow-up questions: what they find alone, and with the question asked before.

    python -m benchmarks.follow_ups [DIR...]

Each labelled question is followed by one of sixteen that say nothing alone ("No, the other one.")
and need the same memories. "changed" asks a labelled question after another one, which has nothing
to do with it: there, the question before should change nothing.
"""

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from secondhop.cli.eval_commands import load_scenarios
from secondhop.cli.opening import kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.evals.measures import Measures, mean_of, measure
from secondhop.evals.scenario import Question, Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.shipped import shipped_scenarios
from secondhop.recall import Recall

FOLLOW_UPS: Final = (
    "and what else?",
    "Could you put that in a short list, please?",
    "why that one first",
    "Okay, and after that?",
    "Tell me more about the second point.",
    "shorter",
    "Where did you get that from?",
    "Are you sure that's everything?",
    "hmm, anything simpler?",
    "Thanks. What should I do first?",
    "Can you turn this into a message I can send to Anna?",
    "didn't I write something about this last month",
    "How long will all that take?",
    "What if there isn't enough time for that?",
    "No, the other one.",
    "go on",
)
"""Written without sight of the rule (`nodes/planning/follow_up.py`); one has widened it since."""

WAYS: Final = ("asked alone", "follow-up alone", "follow-up", "changed")


async def recalled(
    question: Question, text: str, recall: Recall, *, earlier: Sequence[str] = ()
) -> Measures:
    """The measures of a recall for this text, by the labels of `question`."""
    found = await recall.arecall(text, k=question.k, at=question.asked_at, earlier=earlier)
    return measure(question, found.ids())


async def measured(scenario: Scenario, recall: Recall) -> dict[str, list[Measures]]:
    """{way of asking: one row a question}."""
    found: dict[str, list[Measures]] = {way: [] for way in WAYS}
    for number, question in enumerate(scenario.questions):
        said, before = FOLLOW_UPS[number % len(FOLLOW_UPS)], scenario.questions[number - 1].query
        asked = {
            "asked alone": (question.query, ()),
            "follow-up alone": (said, ()),
            "follow-up": (said, (question.query,)),
            "changed": (question.query, (before,)),
        }
        for way, (text, earlier) in asked.items():
            found[way].append(await recalled(question, text, recall, earlier=earlier))
    return found


async def measure_all(folders: Sequence[Path], common: Common, *, cues: bool) -> None:
    """Print one line a way of asking, over all scenarios."""
    found: dict[str, list[Measures]] = {way: [] for way in WAYS}
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = stack.enter_context(kept_embeddings(common))
        for scenario in load_scenarios(list(folders), cues=cues):
            async with opened(
                place, entity=scenario.name, embedder=embedder, counting=True
            ) as recall:
                await store_scenario(scenario, recall)
                for way, rows in (await measured(scenario, recall)).items():
                    found[way] += rows
    for way, rows in found.items():
        mean = mean_of(rows)
        figures = f"{mean['facet_recall']:.3f} / {mean['alpha_ndcg']:.3f}"
        print(f"{'cues' if cues else 'no cues':8} {way:16} {figures}")


def main() -> None:
    """Print facet recall and alpha-nDCG, with cues and without."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="scenario folders")
    folders = parser.parse_args().folders or shipped_scenarios()
    for cues in (True, False):
        common = Common(llm="offline", embedder="default")
        asyncio.run(measure_all(folders, common, cues=cues))


if __name__ == "__main__":
    main()
