"""`prompts eval`, with a model behind a real HTTP server."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.model_server import ModelServer
from tests.cli.prompt_lab import tiny_scenario, variant_of
from tests.command_line import Cli, document

from secondhop.evals.measures import MEASURES
from secondhop.prompts.templates import shipped_prompt
from secondhop.settings import variable_names

pytestmark = [pytest.mark.slow, pytest.mark.model]  # prompts are counted with tiktoken's ranks

REPO = Path(__file__).parents[2]


@pytest.fixture
def cli(model_cli: Cli, monkeypatch: pytest.MonkeyPatch, model: ModelServer) -> Cli:
    """Run a command with the model."""
    monkeypatch.setenv("SECONDHOP_LLM", model.spec)
    return model_cli


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    return tiny_scenario(tmp_path / "tiny")


@pytest.fixture
def variant(tmp_path: Path) -> Path:
    """A variant of `expand` that serves both facets of the question."""
    return variant_of("expand", tmp_path / "better.md")


def test_a_better_prompt_wins_its_question(cli: Cli, scenario: Path, variant: Path) -> None:
    found = document(
        cli("prompts", "eval", "--variant", variant, "--scenarios", scenario, "--json")
    )

    assert (found["won"], found["lost"], found["tied"]) == (1, 0, 0)
    assert tuple(found["measures"]) == MEASURES
    facets = found["measures"]["facet_recall"]
    assert (facets["against"], facets["variant"], facets["difference"]) == (0.5, 1.0, 0.5)
    assert facets["low"] <= 0.5 <= facets["high"]
    assert (facets["wins"], facets["ties"], facets["losses"]) == (1, 0, 0)
    assert (facets["p"], found["few_questions"]) == (1.0, True)  # one question decides nothing
    changed = found["changed"][0]
    assert (changed["question_id"], changed["verdict"]) == ("q-1", "won")
    assert set(changed["variant"]["memories"]) - set(changed["against"]["memories"]) == {"wins"}
    asked = [
        [query["facet"] for query in changed[side]["queries"]] for side in ("against", "variant")
    ]
    assert asked == [["own plan"], ["own plan", "track record"]]
    assert found["spent"]["variant"]["llm_calls"] == 6
    assert found["no_answer"] == {"questions": 1, "against": 0, "variant": 0}
    assert found["degraded"] == {"against": 0, "variant": 0}


def test_what_was_asked_before_is_not_asked_again(
    cli: Cli, model: ModelServer, scenario: Path, variant: Path, tmp_path: Path
) -> None:
    trial = ("prompts", "eval", "--variant", variant, "--scenarios", scenario, "--json")
    first = document(cli(*trial))
    # both variants ask `decompose` in the same words, and once
    assert model.asked() == {"DecomposeReply": 2, "ExpandReply": 4, "CritiqueReply": 4}

    second = document(cli(*trial))

    assert not model.asked()
    assert second["answers"]["variant"] | {"from_cache": 0} == {
        "asked": 0,
        "failed": 0,
        "from_cache": 0,
        "paid": {
            "calls": 0,
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "cached_tokens": 0,
            "lost_tokens": 0,
            "cost_usd": None,
        },
    }
    assert second["answers"]["variant"]["from_cache"] == 6
    assert {**second, "answers": {}} == {**first, "answers": {}}
    kept = tmp_path / "cache" / "prompts" / "answers.db"
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("options", "exit_code", "told"),
    [
        (("--llm", "offline"), 2, "name one: --llm openai:MODEL"),
        (("--against", "critic.md"), 2, "compare two variants of one prompt"),
        (("--against", "broken.md"), 2, "broken.md:1: a prompt begins with front matter"),
        (("--watch", "--json"), 2, "--watch has no end"),
    ],
    ids=["offline", "another prompt", "faulty", "watch"],
)
def test_a_trial_that_cannot_be_is_refused_before_anything_is_stored(
    cli: Cli, scenario: Path, variant: Path, options: tuple[str, ...], exit_code: int, told: str
) -> None:
    variant_of("critique", Path("critic.md"))
    Path("broken.md").write_text("You are a planner.", encoding="utf-8")

    refused = cli("prompts", "eval", "--variant", variant, "--scenarios", scenario, *options)

    assert refused.exit_code == exit_code
    assert told in refused.stderr
    assert not Path("cache").exists()


def test_the_commands_of_the_docs_run(cli: Cli, model: ModelServer, tmp_path: Path) -> None:
    text = (REPO / "docs" / "prompts.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    Path("my").mkdir()
    cli("ingest", tiny_scenario(Path("my/scenario")), "--no-annotate")
    trace_id = document(cli("recall", "My plan for the job?", "--json"))["trace_id"]

    for line in "".join(blocks).splitlines():
        if line.startswith("mkdir"):
            Path("my/prompts").mkdir()
            Path("my/prompts/expand.md").write_bytes(Path("expand-2.md").read_bytes())
            continue
        told = line.replace("TRACE", trace_id).replace("openai:gpt-4.1-mini", model.spec)
        command, _, target = told.partition(" > ")
        done = cli(*shlex.split(command, comments=True)[1:])
        assert done.exit_code == 0, (line, done.stderr)
        if target:
            Path(target).write_bytes(done.stdout_bytes)


def save(path: Path, text: str) -> None:
    """As an editor does: a new file in the place of the old one."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


@contextmanager
def watching(
    model: ModelServer, variant: Path, scenario: Path, folder: Path
) -> Generator[subprocess.Popen[bytes]]:
    """`prompts eval --watch` in a process of its own; what it prints goes to files in `folder`."""
    environment = {key: value for key, value in os.environ.items() if key not in variable_names()}
    if kept := os.environ.get("SECONDHOP_MODEL_DIR"):
        environment["SECONDHOP_MODEL_DIR"] = kept
    server = {"OPENAI_BASE_URL": model.server.base_url, "OPENAI_API_KEY": "none"}
    command = [sys.executable, "-m", "secondhop", "prompts", "eval", "--watch", "--llm", model.spec]
    files = ["--variant", variant, "--scenarios", scenario, "--answers", folder / "answers.db"]
    with (
        open(folder / "out", "wb") as out,
        open(folder / "err", "wb") as err,
        subprocess.Popen(
            [*command, "--embedder", "hashing", *map(str, files)],
            stdout=out,
            stderr=err,
            env=environment | server,
        ) as child,
    ):
        try:
            yield child
        finally:
            child.kill()  # harmless when it has ended


def printed(path: Path, *words: str, child: subprocess.Popen[bytes]) -> str:
    """What the file holds as soon as it holds the words; waits a minute at most."""
    ends = time.monotonic() + 60
    while not all(word in (text := path.read_text(encoding="utf-8")) for word in words):
        assert child.poll() is None, text
        assert time.monotonic() < ends, text
        time.sleep(0.02)
    return text


def test_watching_runs_again_on_save_and_survives_a_faulty_file(
    model: ModelServer, scenario: Path, variant: Path, tmp_path: Path
) -> None:
    good = shipped_prompt("expand").text.replace("You plan", "You hardly think. You plan", 1)
    out, err = tmp_path / "out", tmp_path / "err"
    with watching(model, variant, scenario, tmp_path) as child:
        first = printed(out, "a recall costs", "came: wins", child=child)
        printed(err, f"watching {variant}; Ctrl-C ends it", child=child)
        save(variant, "no prompt")
        printed(err, "begins with front matter", child=child)
        assert out.read_text(encoding="utf-8").startswith(first)
        save(variant, good)
        both = printed(out, "0 won, 0 lost, 1 tied", "asked 2,", child=child)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=20) == 130

    assert "1 question: 1 won, 0 lost, 0 tied" in first
    assert "model: asked 10, from cache 2; paid now 150 tokens" in first
    # the first run's answers to the prompts that did not change are there still
    assert both.count("1 question: ") == 2
    assert "model: asked 2, from cache 10; paid now 30 tokens" in both
    assert err.read_text(encoding="utf-8").count("Ctrl-C ends it") == 3
