"""Every block of docs/models.md runs as printed, against servers on this machine."""

import gc
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.model_server import (
    ModelServer,
    Reply,
    decomposed,
    expanded,
    judged,
)
from tests.cli.prompt_lab import TEXTS, tiny_scenario
from tests.models.fault_server import Exchange, status
from typer.testing import CliRunner

from secondhop import Recall
from secondhop.cli.app import app

pytestmark = [pytest.mark.slow, pytest.mark.model]

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^## ([^\n]*)|^```(sh|python|yaml)\n(.*?)^```", PAGE, re.M | re.S)
ADDRESS = re.compile(r"http://localhost:\d+")
FOUND = "['plan.md'] []"
TOLD = re.findall(r"^```text\n(critique: .*?)^```", PAGE, re.M | re.S)[0]
REPLIES: dict[str, Reply] = {
    "DecomposeReply": decomposed,
    "ExpandReply": expanded,
    "CritiqueReply": judged,
}


def blocks(language: str) -> list[Any]:
    """Test parameters of the page's blocks in a language, each named by the heading above it."""
    found: list[Any] = []
    heading = ""
    for title, name, text in BLOCKS:
        heading = title or heading
        if name == language:
            found.append(pytest.param(text, id=f"{heading} {len(found)}"))
    return found


@pytest.fixture(autouse=True)
def place(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    no_variables: None,
    library_of_tests: None,
    model: ModelServer,
) -> None:
    """A folder with a memory, a scenario and the page's prices; the model is on this machine."""
    monkeypatch.setenv("SECONDHOP_STORE", "memory")
    monkeypatch.setenv("OPENAI_BASE_URL", model.server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    cache = "secondhop.cli.opening.cache_folder"
    monkeypatch.setattr(cache, lambda: tmp_path / "cache")
    monkeypatch.chdir(tmp_path)
    Path("my").mkdir()
    tiny_scenario(Path("my/scenario"))
    (prices,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
    Path("my-prices.yaml").write_text(prices, encoding="utf-8")
    Path("notes").mkdir()
    for name, text in TEXTS.items():
        Path(f"notes/{name}.md").write_text(text, encoding="utf-8")
    with Recall.open("memory") as recall:
        recall.ingest("notes")


def nearby(text: str, model: ModelServer) -> str:
    """The block with the address of the test's server in it."""
    return ADDRESS.sub(f"http://127.0.0.1:{model.server.port}", text)


@pytest.mark.parametrize("block", blocks("sh"))
def test_a_command_of_the_page_runs(
    block: str, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in nearby(block, model).splitlines():
        name, *words = shlex.split(line, comments=True)
        if name == "export":
            variable, _, value = words[0].partition("=")
            monkeypatch.setenv(variable, value)
            continue
        assert name == "secondhop", line
        ran = CliRunner().invoke(app, words)
        assert ran.exit_code == 0, ran.stderr
        assert "degraded" not in ran.stdout.replace('"degraded": []', "")
        assert bool(model.asked()) == ("offline" not in words), line


async def as_ollama(exchange: Exchange) -> None:
    """Answer in Ollama's own protocol; the schema's title says which answer is wanted."""
    system, user = (message["content"] for message in exchange.asked["messages"])
    told = REPLIES[exchange.asked["format"]["title"]](system, user)
    reply = {"message": {"content": json.dumps(told)}, "prompt_eval_count": 9, "eval_count": 3}
    await exchange.send(200, json.dumps(reply).encode())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("block", blocks("python"))
def test_python_of_the_page_runs(
    block: str,
    model: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if "/api/chat" in block:
        model.server.otherwise = as_ollama
    if "no-such-model" in block:
        model.server.otherwise = status(404)

    exec(compile(nearby(block, model), "docs/models.md", "exec"), {"__name__": "__main__"})
    gc.collect()  # langchain-openai never closes its connections: let the warnings come here

    printed = capsys.readouterr().out
    if "no-such-model" in block:
        as_told = [re.sub(r"@[^ ]*|: no\b|: \.\.\.", "", said) for said in (printed, TOLD)]
        assert as_told[0] == as_told[1]
    elif "reranker" in block:  # no model leaves anything out
        assert re.fullmatch(r"\['plan.md', .*\] \[\]\n", printed), printed
    elif "degraded" in block:
        assert printed.startswith(FOUND), printed
    else:
        assert re.fullmatch(r"[34] \d+ \d+ \d+\n", printed)


def test_the_prices_of_the_page_are_in_force(model: ModelServer, monkeypatch: Any) -> None:
    prices = ADDRESS.sub("", Path("my-prices.yaml").read_text(encoding="utf-8"))
    place = f"127.0.0.1:{model.server.port}"
    Path("my-prices.yaml").write_text(prices.replace("localhost:11434", place), encoding="utf-8")
    monkeypatch.setenv("SECONDHOP_PRICES", "my-prices.yaml")

    ran = CliRunner().invoke(
        app, ["recall", "Help me prepare for my interview", "--llm", model.spec, "--json"]
    )

    spent = json.loads(ran.stdout)["spent"]
    assert spent["llm_calls"] >= 3
    assert spent["cost_usd"] == 0
