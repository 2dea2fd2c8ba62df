"""The code in README, docs/ and the other pages works: Python runs, and shell commands exist.

A Python block that starts with the comment `# needs …` runs below, with what it needs; only the one
of docs/benchmarks.md is just compiled. README, docs/models.md, docs/observe.md and docs/tuning.md
have their own tests.
"""

import ast
import asyncio
import inspect
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
import typer.main
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.store.memory import InMemoryStore
from tests.annotate.cue_writer import writing
from tests.postgres_server import running_postgres
from typer.testing import CliRunner

from secondhop import Memory, Recall, RecallStore
from secondhop.cli.app import app
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.selection.scale_file import scale_document
from secondhop.ranking.calibration import LogisticCalibration
from secondhop.testing import ScriptedModel, note

REPO = Path(__file__).parents[2]
CARDS = ("benchmarks/second_hop/README.md", "examples/people/README.md")
PAGES = [
    *sorted(REPO.glob("*.md")),
    *sorted((REPO / "docs").glob("*.md")),
    *(REPO / card for card in CARDS),
]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.M | re.S)
ELSEWHERE = {"README.md", "models.md", "observe.md"}


def blocks(page: Path, *languages: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [block for language, block in BLOCK.findall(text) if language in languages]


def code(block: str, page: Path) -> Any:
    return compile(block, page.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_code_is_one_that_a_program_can_read(page: Path) -> None:
    for block in blocks(page, "python"):
        code(block, page)
    for block in blocks(page, "sh"):
        checked = subprocess.run(
            ["bash", "-n"], input=block, text=True, capture_output=True, check=False
        )
        assert checked.returncode == 0, checked.stderr


def test_every_block_says_its_language() -> None:
    bare = {page.name: blocks(page, "") for page in PAGES}

    assert {name: found for name, found in bare.items() if found} == {}


def commands() -> Iterator[Any]:
    """Parameters (words, page) of the commands in shell blocks; a pipe or redirect ends one."""
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
                lexer.whitespace_split = True
                words: list[str] = []
                for word in [*lexer, ";"]:
                    if not word.strip("();<>|&"):
                        if words:
                            yield pytest.param(words, id=f"{page.name}: {' '.join(words)}")
                        words = []
                    elif words or "=" not in word:
                        words.append(word)


@pytest.mark.parametrize("words", list(commands()))
def test_a_command_of_the_pages_exists_with_its_options(words: list[str]) -> None:
    name, rest = words[0], words[1:]
    if name == "secondhop":
        parse(rest)
    elif name == "make":
        targets = (REPO / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{rest[0]}:", targets, re.M)
    elif words[:2] == ["python", "-m"]:
        assert rest[1] == "venv" or (REPO / f"{rest[1].replace('.', '/')}.py").exists()
    elif name == "python" and rest[0] != "-c":
        assert (REPO / rest[0]).exists()


def parse(words: list[str]) -> None:
    """Parse a command as the command line does, without running it; missing files are no error."""
    command, context = typer.main.get_command(app), None
    while subcommands := getattr(command, "commands", None):
        context = command.make_context(words[0], [], parent=context, resilient_parsing=True)
        command, words = subcommands[words[0]], words[1:]
    try:
        command.make_context("secondhop", list(words), parent=context)
    except typer.BadParameter as error:
        if "does not exist" not in str(error):
            raise


def remembered() -> list[Memory]:
    """The memories that the pages' examples speak of."""
    texts = {
        "plan": "My plan for the Carefeed role: cut onboarding from nine weeks to four.",
        "wins": "Led four teams, two product launches.",
        "coach": "Coaching before the last interview: shorter answers, end with the result.",
        "garden": "The tomatoes need water twice a week; the basil is in the shade.",
    }
    return [note(name, text) for name, text in texts.items()]


WITH_PYTHON = [page for page in PAGES if page.name not in ELSEWHERE and blocks(page, "python")]


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("library_of_tests")
@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "settings.yaml").write_text("limits.k: 8\n", encoding="utf-8")
    with Recall.open("memory") as recall, asyncio.Runner() as runner:
        for one in remembered():  # as in the README, so their ids are not those of `remembered`
            recall.memories.remember(one.text)
        names = {
            "recall": recall,
            "Recall": Recall,
            "question": "Help me prepare for my Carefeed interview",
            "memories": [note("tea", "Green tea steeps for two minutes.")],
        }
        for block in blocks(page, "python"):
            if not block.startswith("# needs "):
                waiting = eval(code(block, page), dict(names))
                if inspect.iscoroutine(waiting):
                    runner.run(waiting)


def needing(page: str, what: str) -> str:
    """The page's block that starts with this `# needs …` line."""
    found = [one for one in blocks(REPO / "docs" / page, "python") if one.startswith(what)]
    assert len(found) == 1
    return found[0]


@pytest.mark.slow
@pytest.mark.model
async def test_python_for_postgresql_runs() -> None:
    with running_postgres() as server:
        address = server.database()
        async with await Recall.aopen(address, entity="ana") as recall:
            await recall.aadd(remembered())
        names: dict[str, Any] = {}
        for page in ("postgres.md", "scaling.md"):
            shown = needing(page, "# needs a PostgreSQL server")
            here, count = re.subn(r"postgresql://[^\"]+", address, shown)
            assert count
            waiting = eval(code(here, REPO / page), names)
            if inspect.iscoroutine(waiting):
                await waiting
        moved = await names["recalled"]("ana", "b", "Help me prepare for my interview")
        for pool in names["SHARDS"].values():
            await pool.aclose()

    assert moved.ids() == names["result"].ids()
    assert "plan" in moved.ids()


@pytest.mark.slow
@pytest.mark.model
def test_python_over_a_vector_store_runs() -> None:
    """The block runs without the language model that the page names."""
    texts = [one.text for one in remembered()]
    vector_store = InMemoryVectorStore.from_texts(texts, DeterministicFakeEmbedding(size=64))
    shown = needing("adopt.md", "# needs a vector store")
    names: dict[str, Any] = {"vector_store": vector_store}

    eval(code(shown.replace(', llm="openai:gpt-4.1-mini"', ""), REPO / "adopt.md"), names)

    assert names["result"].memories


LLM = 'llm="openai:gpt-4.1-mini"'


@pytest.mark.usefixtures("library_of_tests")
def test_python_that_writes_cues_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block runs with a scripted model instead of the one that the page names."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my" / "notes").mkdir(parents=True)
    (tmp_path / "my" / "notes" / "tea.md").write_text("Green tea steeps at 70 degrees.")
    shown = needing("cues.md", "# needs OPENAI_API_KEY").replace(LLM, 'llm=llm, embedder="hashing"')
    names: dict[str, Any] = {
        "Recall": Recall,
        "llm": ScriptedModel({"annotate": writing()}),
        "memories": remembered(),
    }

    eval(code(shown, REPO / "docs" / "cues.md"), names)

    with names["recall"] as recall:
        assert recall.memories.cues.list()
    assert names["ledger"].annotated == len(remembered())


@pytest.mark.usefixtures("library_of_tests")
def test_python_for_an_agent_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block runs without a language model; its agent is replaced by a look-up in the store."""
    monkeypatch.chdir(tmp_path)
    shown = needing("adopt.md", "# needs OPENAI_API_KEY").replace(LLM, 'embedder="hashing"')

    def create_agent(_model: str, _tools: str, *, store: RecallStore) -> object:
        return store.get(("memories", "ana"), "m1")

    names: dict[str, Any] = {"create_agent": create_agent, "model": "", "tools": ""}

    eval(code(shown, REPO / "docs" / "adopt.md"), names)

    assert names["agent"].value == {"content": "Ana cannot eat nuts."}


def test_python_that_takes_an_export_elsewhere_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block runs with LangGraph's store; `.ci/check-peers` tests mem0."""
    monkeypatch.chdir(tmp_path)
    with Recall.open("memory", embedder="hashing") as recall:
        recall.add(remembered())
        for file, exported in (
            ("mem0.json", recall.admin.export_as("mem0")),
            ("items.json", recall.admin.export_as("langmem")),
        ):
            Path(file).write_text(json.dumps(exported), encoding="utf-8")
    store, added = InMemoryStore(), list[str]()

    def add(text: str, **_: object) -> None:
        added.append(text)

    names = {"store": store, "memory": SimpleNamespace(add=add)}
    shown = needing("adopt.md", "# needs the files above")
    eval(code(shown, REPO / "docs" / "adopt.md"), names)

    assert sorted(added) == sorted(one.text for one in remembered())
    assert len(store.search((), limit=10)) == len(added)


def test_python_that_opens_with_a_scale_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block runs with the hashing embedder, which the scale was made for."""
    monkeypatch.chdir(tmp_path)
    curve = LogisticCalibration(slope=7.5, intercept=-3.0)
    scale = scale_document(curve, embedder_id=HashingEmbedder().model_id)
    Path("scale.json").write_text(json.dumps(scale), encoding="utf-8")
    shown = needing("evaluate.md", "# needs the file").replace(")\n", ', embedder="hashing")\n')
    names: dict[str, Any] = {"Recall": Recall}

    eval(code(shown, REPO / "docs" / "evaluate.md"), names)

    names["recall"].close()


RUN_HERE = re.compile(r"secondhop (recall|explain|cues|briefing|export|prompts|tokens) ?")
ELSEWHERE_ONLY = re.compile(r"--llm openai|postgresql:|--scale|…|--remove|revoke")
"""Marks commands that need a key, server, file or id that only the reader has."""


@pytest.fixture(scope="module")
def memory_of_the_pages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """(folder with a store and a reader's files, id of the trace of a recall in that store)."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "my" / "prompts").mkdir(parents=True)
    (folder / "settings.yaml").write_text("limits.k: 8\n", encoding="utf-8")
    expand = (REPO / "prompts" / "expand.md").read_text(encoding="utf-8")
    for place in ("expand-2.md", "my/prompts/expand.md"):
        (folder / place).write_text(expand, encoding="utf-8")
    page = (REPO / "docs" / "cues.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^secondhop cues --import cues\.jsonl +# (.*)$", page, re.M)
    (folder / "cues.jsonl").write_text(line, encoding="utf-8")
    named_by_the_pages = [note(one, "Ana swells up after walnuts.") for one in ("ana", "ana.md")]
    with Recall.open(folder / "memory", embedder="hashing") as recall:
        recall.add([*remembered(), *named_by_the_pages])
        result = recall.recall("Help me prepare for my Carefeed interview")
    return folder, result.trace_id


def here(words: list[str], trace_id: str) -> list[str]:
    """The command with this test's ids, and without --store and --entity."""
    ids = {"TRACE_ID": trace_id, "TRACE": trace_id, "MEMORY_ID": "plan"}
    named = [ids.get(word, word) for word in words]
    places = [at for at, word in enumerate(named) if word in {"--store", "--entity"}]
    return [word for at, word in enumerate(named) if not {at, at - 1} & {*places}]


TO_RUN = [
    command
    for command in commands()
    if RUN_HERE.match(" ".join(command.values[0]))
    and not ELSEWHERE_ONLY.search(" ".join(command.values[0]))
    and not (command.id or "").startswith("models.md")
]


@pytest.mark.slow
@pytest.mark.usefixtures("library_of_tests", "no_variables")
@pytest.mark.parametrize("words", TO_RUN)
def test_a_command_of_the_pages_runs(
    words: list[str], memory_of_the_pages: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, trace_id = memory_of_the_pages
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SECONDHOP_STORE", "memory")
    monkeypatch.setenv("SECONDHOP_EMBEDDER", "hashing")
    monkeypatch.setenv("OPENAI_API_KEY", "")

    ran = CliRunner().invoke(app, here(words[1:], trace_id))

    assert ran.exit_code == 0, ran.output
