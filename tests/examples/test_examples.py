"""Every example runs as it stands, offline, and prints what it promises."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

PRINTED = {
    "quickstart.py": [
        "hop 2  Goals for the first year",
        "hop 1  Research on Carefeed",
        "hop 2  What I achieved",
    ],
    "host_graph.py": [
        "> What cake should I bake for Mia's birthday?",
        "read_question",
        "  recall/begin",
        "  recall/retrieve",
        "  recall/resolve",
        "reply",
        "I remember:",
        "- Allergies: Birthday guests with an allergy: Mia gets a rash from walnuts",
        "> And where are the winter tyres?",
        "- Tyres: The winter tyres are in the cellar",
    ],
    "chat_backend.py": [
        "ana < progress: fuse: 3 candidates",
        "ana < progress: critique: ",
        "ana < memories: ",
        "My last training plan failed",
        "ana < done: ",
        "ben < progress: fuse: 2 candidates",
        "ben < text: [1] ",
        "A training plan has to fit my night shifts",
        "ben < done: ",
    ],
    "agent_tool.py": [
        "model wants recall_memories: ",
        "tool:\n[1] ",
        "Why: ",
        "The landlord wants every repair in writing",
        "The bathroom ceiling leaks since Sunday",
        "model: Dear landlord",
    ],
    "why_not.py": [
        " queries for ",
        "returned: Flight",
        "cut by pick: Flight, again",
        "repeats what Flight already says",
        "It would be here with removing Flight “Flight”",
        "cut by pick: Tomatoes",
        "below the threshold in every facet",
        "It would be here with ranking.min_score = ",
    ],
}


def test_every_example_is_run_here() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTED)


@pytest.mark.slow  # each is a process of its own
@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_promises(name: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert list(tmp_path.iterdir()) == []
    missing = [line for line in PRINTED[name] if line not in ran.stdout]
    assert missing == [], ran.stdout


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_says_what_it_shows_and_how_to_run_it(name: str) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")

    assert text.startswith('"""')
    assert f"python examples/{name}" in text.split('"""')[1]
