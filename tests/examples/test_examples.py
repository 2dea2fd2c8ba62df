"""Every example runs unchanged, offline, and prints what it promises."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import httpx
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

PRINTED = {
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
    "chatbot.py": [
        "--- ana and ben ask the same at the same moment; the answers are scripted ---",
        "  *** the process is gone",
        "  (the session was open)",
        "--- three days later: a new talk begins with a briefing ---",
    ],
    "agent_tool.py": [
        "model wants recall_memories: ",
        "tool:\n[1] ",
        "Why: ",
        "The landlord wants every repair in writing",
        "The bathroom ceiling leaks since Sunday",
        "model: Dear landlord",
    ],
    "cookbook/why_not.py": [
        " queries for ",
        "returned: Flight",
        "cut by pick: Flight, again",
        "is close in wording or meaning to Flight",
        "cut by pick: Tomatoes",
        "What would let it in: --k 4",
    ],
    "cookbook/agent_with_votes.py": [
        "waits for votes on Kitchen, ",
        "3 rounds",
        "You confirmed: Birthday guests with an allergy: Mia gets a rash from walnuts. Our oven",
    ],
    "cookbook/fastapi_chatbot.py": [
        'ana event: step\ndata: {"name": "begin"',
        '"from": ["No running: my knee."]',
        "ben event: step",
        '"from": ["I work at night."]',
    ],
    "cookbook/from_mem0.py": [
        "stored 4, unchanged 0\nstored 0, unchanged 4",
        "- Led a team of six",
        "back in mem0's form: 4 memories",
    ],
    "cookbook/postgres.py": [
        "first worker asks: Allergies, Kitchen",
        "second worker resolves: Allergies",
        "ben has 0 memories",
    ],
    "cookbook/prompt_iteration.py": [
        "1.000  0.000 +1.000 +1.00..+1.00 0.250   3    0",
        "3 questions: 3 won, 0 lost, 0 tied",
    ],
}


class Ran(NamedTuple):
    """The result of running an example."""

    done: subprocess.CompletedProcess[str]
    left_behind: list[str]
    """Files that were then in the folder it ran in."""


@cache
def run(name: str) -> Ran:
    """Run an example once in its own process, with every warning an error."""
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-W", "error", str(EXAMPLES / name)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(done, [path.name for path in Path(folder).iterdir()])


def test_every_example_is_run_here() -> None:
    served = "langgraph_app.py"  # .ci/check-langgraph runs it
    shared = "cookbook/scripted_server.py"
    found = [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("cookbook/*.py")]
    assert {str(path.relative_to(EXAMPLES)) for path in found} == {*PRINTED, served, shared}


@pytest.mark.slow  # each runs in its own process
@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_promises(name: str) -> None:
    ran, left_behind = run(name)

    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert left_behind == []
    missing = [line for line in PRINTED[name] if line not in ran.stdout]
    assert missing == [], ran.stdout


@pytest.mark.slow
def test_replies_of_one_s_own_are_served_to_a_command(tmp_path: Path) -> None:
    server = str(EXAMPLES / "cookbook" / "scripted_server.py")
    shown = subprocess.run(
        [sys.executable, server, "--help"], capture_output=True, text=True, check=True
    )
    replies = tmp_path / "replies.py"
    replies.write_text("def reply(schema, prompt):\n    return {'asked': schema}\n")
    with subprocess.Popen(
        [sys.executable, server, str(replies)], stdout=subprocess.PIPE, text=True
    ) as serving:
        try:
            assert serving.stdout is not None
            address = re.findall(
                r"OPENAI_BASE_URL=(\S+) OPENAI_API_KEY=none", serving.stdout.readline()
            )
            asked = {
                "messages": [{"content": "x"}],
                "response_format": {"json_schema": {"name": "ExpandReply"}},
            }
            told = httpx.post(f"{address[0]}/chat/completions", json=asked).json()
        finally:
            serving.terminate()

    assert "reply(schema, prompt)" in shown.stdout
    assert told["choices"][0]["message"]["content"] == '{"asked": "ExpandReply"}'


@pytest.mark.slow
def test_the_page_on_the_chatbot_shows_what_it_prints() -> None:
    page = (EXAMPLES.parent / "docs" / "chatbot.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)[:1]
    printed = iter(run("chatbot.py").done.stdout.splitlines())

    assert shown
    for line in "".join(shown).splitlines():
        assert line == "…" or line in printed, f"not printed, or not here: {line}"


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_says_what_it_shows_and_how_to_run_it(name: str) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")

    assert text.startswith('"""')
    assert f"python examples/{name}" in text.split('"""')[1]
