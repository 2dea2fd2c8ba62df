"""A tiny scenario and a variant of a prompt that does better on it."""

from pathlib import Path
from typing import Any

from tests.evals.scenario_files import QUESTION as CAREFEED_QUESTION
from tests.evals.scenario_files import memory_row, write_rows

from secondhop.prompts.templates import shipped_prompt

BETTER = "You think of what else helps"
"""The sentence that makes these tests' model plan one more facet."""

TEXTS = {
    "plan": "My plan for the job: cut onboarding from nine weeks to four.",
    "wins": "Résumé: eight years of product, teams led, two launches.",
    "garden": "The tomatoes need water twice a week; the basil is in the shade.",
    "bread": "Feed the starter in the evening, bake at 240 degrees.",
}
QUESTION: dict[str, Any] = {
    **CAREFEED_QUESTION,
    "query": "My plan for the job, and what else to tell them?",
    "facets": [
        {**facet, "hop": 2, "relevant": {needed: 3}}
        for facet, needed in zip(CAREFEED_QUESTION["facets"][1:], ("plan", "wins"), strict=True)
    ],
    "redundant": [],
}
"""A labelled question with two facets: own plan, track record."""

UNANSWERABLE = {"id": "n-1", "query": "Opening hours?", "asked_at": QUESTION["asked_at"]}


def tiny_scenario(folder: Path) -> Path:
    """Four memories, a question that needs two but names one, and a question without an answer."""
    memories = [memory_row(name, text) for name, text in TEXTS.items()]
    return write_rows(folder, conversations=memories, queries=[QUESTION], no_answer=[UNANSWERABLE])


def variant_of(name: str, path: Path) -> Path:
    """The shipped prompt of that name, with the better sentence before it."""
    text = shipped_prompt(name).text
    path.write_text(text.replace("---\nYou", f"---\n{BETTER}. You", 1), encoding="utf-8")
    return path
