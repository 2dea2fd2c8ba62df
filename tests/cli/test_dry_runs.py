"""`--dry-run` and `dryRun` leave every file of the store as it is; without them some change."""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.fakes import note
from tests.mcp.mcp_world import MARA, command, content, recalls_in, rows_of_chroma
from tests.small_world import LIFE, QUESTION, use_small_library

from secondhop.cli.app import app
from secondhop.mcp.server import memory_server
from secondhop.memories.records import Fact
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")

FILES = {"kept.md": "The key is under the mat.", "gone.md": "The bell is broken."}
NEW_FILES = {"kept.md": "The key is on the hook.", "new.md": "The bell rings again."}
TALK = [{"role": "user", "content": "I live in Bonn.", "at": "2026-01-05T09:00:00Z"}]


@dataclass(frozen=True)
class World:
    """A store in which every command has something to do, and the files that commands are given."""

    folder: Path
    notes: Path
    """The folder that was ingested. The store knows it by this path, and nothing writes there."""

    @property
    def store(self) -> Path:
        return self.folder / "store"

    @property
    def given(self) -> dict[str, str]:
        """{placeholder in a command: the path that replaces it}."""
        return {
            "NOTES": str(self.notes),
            "EXPORT": str(self.folder / "export.jsonl"),
            "TALK": str(self.folder / "talk.json"),
        }


def written(folder: Path, files: dict[str, str]) -> Path:
    """The folder, with exactly these files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


async def opened(store: Path, entity: str = MARA) -> Recall:
    return await Recall.aopen(store, entity=entity, embedder="hashing")


async def made(folder: Path) -> World:
    """Make a `World` in the folder."""
    notes = written(folder / "notes", FILES)
    world = World(folder, notes)
    (folder / "talk.json").write_text(json.dumps(TALK), encoding="utf-8")
    async with await opened(world.store) as recall:
        await recall.aadd(LIFE)
        await recall.aingest(notes)
        fact = Fact(subject="me", attribute="employer", value="Acme")
        await recall.memories.aremember(fact, memory_id="job")
        choir = "We meet every Thursday evening at the old mill by the river"
        await recall.memories.aremember(
            choir, title="choir", memory_id="choir", at=LIFE[0].created_at
        )
        await recall.memories.aremember(f"{choir}, at eight", title="choir", memory_id="choir-2")
        await recall.memories.adeprecate("bread", "stale")
        await recall.memories.asupersede("dentist", "car")
        async with recall.sessions.open(QUESTION, k=6) as session:
            await session.vote({"plan": "hot", "wins": "warm"}, go_on=False)
            await session.resolve()
    async with await opened(folder / "other", MARA) as other:
        await other.aadd([note("elsewhere", "The bicycle stands in the shed.")])
        await other.admin.aexport_to(folder / "export.jsonl")
    counters = next((world.store / "entities").glob("mara-*/counters.db"))
    with closing(sqlite3.connect(counters)) as raw, raw:  # a counter of a memory that is gone
        raw.execute("INSERT INTO counters VALUES ('nobody', 1, 1, 0, NULL)")
    written(notes, NEW_FILES)
    return World(folder, notes)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("dry")
    with pytest.MonkeyPatch.context() as patch:
        use_small_library(patch, folder / "cache")
        return asyncio.run(made(folder))


@pytest.fixture
def world(original: World, tmp_path: Path) -> World:
    """A copy of the world for one test."""
    shutil.copytree(original.folder, tmp_path / "world")
    return World(tmp_path / "world", original.notes)


def tree(folder: Path) -> dict[str, str]:
    """{file: digest of its bytes} for all files below the folder; "chroma" has the rows of Chroma's
    database instead, because Chroma rewrites its files whenever it is opened."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    held = {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.relative_to(folder).parts[0] != "chroma"
    }
    return held | {"chroma": "\n".join(rows_of_chroma(folder))}


# --- the command line ---


COMMANDS = (
    "ingest NOTES",
    "import EXPORT",
    "reindex",
    "doctor --fix",
    "remember Tea --id tea",
    "update plan Shorter",
    "update plan --mark core",
    "update plan --deprecate --reason lost",
    "update plan --replaced-by wins",
    "update bread --restore",
    "cues garden --add watering",
    "forget garden plan",
    "observe TALK",
)


def test_a_dry_run_of_any_command_leaves_every_file_as_it_is(world: World) -> None:
    before = tree(world.store)

    for line in COMMANDS:
        obeyed(world, f"{line} --dry-run")
        assert tree(world.store) == before, line


@pytest.mark.slow
@pytest.mark.parametrize("line", COMMANDS)
def test_without_it_the_same_command_writes(world: World, line: str) -> None:
    before = tree(world.store)

    obeyed(world, line)

    assert tree(world.store) != before


def obeyed(world: World, line: str) -> None:
    """Run a command line as a shell would."""
    words = [world.given.get(word, word) for word in line.split()]
    entity = [] if "--entity" in words else ["--entity", MARA]
    app(command(world.store, *words, *entity)[3:], standalone_mode=False)


def printed(world: World, line: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """The document that a command prints in a dry run."""
    capsys.readouterr()
    obeyed(world, f"{line} --dry-run --json")
    return json.loads(capsys.readouterr().out)


def shown(world: World, line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a person sees of a dry run, its lines joined."""
    capsys.readouterr()
    obeyed(world, f"{line} --dry-run")
    return " ".join(capsys.readouterr().out.split())


def test_an_ingest_tells_what_it_would_add_replace_and_delete(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    told = printed(world, "ingest NOTES", capsys)
    seen = shown(world, "ingest NOTES", capsys)

    plan = told["plan"]
    assert told["dry_run"] is True
    assert (plan["added"], plan["replaced"], plan["moved"], plan["deleted"]) == (
        ["new.md"],
        ["kept.md"],
        [],
        ["gone.md"],
    )
    assert (told["read"], told["stored"], told["unchanged"], told["deleted"]) == (2, 2, 0, 1)
    assert "nothing was written; read 2 memories: 0 unchanged, 0 skipped, 2 passages" in seen
    assert "would add 1: new.md would replace 1: kept.md would delete 1: gone.md" in seen


def test_an_ingest_into_nothing_makes_no_store(world: World, tmp_path: Path) -> None:
    nowhere = World(tmp_path / "empty", world.notes)
    nowhere.folder.mkdir()

    obeyed(nowhere, "ingest NOTES --dry-run")

    assert not nowhere.store.exists()


def test_an_import_a_rebuild_and_a_doctor_tell_what_they_would_do(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    imported = printed(world, "import EXPORT", capsys)
    rebuilt = printed(world, "reindex", capsys)
    examined = printed(world, "doctor --fix", capsys)

    assert (imported["read"], imported["stored"], imported["dry_run"]) == (1, 1, True)
    assert rebuilt == {"entities": {MARA: examined["passages"]}, "dry_run": True}
    (leftover,) = [one for one in examined["findings"] if one["fixable"]]
    assert (leftover["examples"], leftover["fixed"]) == (["nobody"], False)
    assert examined["dry_run"] is True


# --- the tools ---


@asynccontextmanager
async def connected(world: World) -> AsyncGenerator[Client, None]:
    """A client of a server of Mara's memory; both are closed at the end of the block."""
    async with Client(memory_server(recalls_in(world.store), entity=MARA)) as client:
        yield client


async def called(world: World, tool: str, **arguments: Any) -> dict[str, Any]:
    """What the tool returns, called on its own server."""
    async with connected(world) as client:
        return content(await client.call_tool(tool, arguments))


async def voted_on(world: World) -> dict[str, Any]:
    """Open a session, note votes, and return the arguments that resolve it."""
    started = await called(world, "recall_session_start", query=QUESTION, limit=3)
    hot, cold = (memory["id"] for memory in started["memories"][:2])
    session = {"sessionId": started["sessionId"]}
    await called(world, "recall_vote", votes={hot: "hot", cold: "cold"}, goOn=False, **session)
    return session


TOOLS: dict[str, dict[str, Any]] = {
    "remember": {"text": "Zeta", "subject": "me", "attribute": "employer"},
    "observe": {"messages": TALK},
    "forget": {"memoryIds": ["garden"]},
    "recall_resolve": {},
}


async def test_a_dry_run_of_a_tool_leaves_every_file_as_it_is_and_says_so(world: World) -> None:
    for tool, given in TOOLS.items():
        arguments = given or await voted_on(world)
        before = tree(world.store)

        told = await called(world, tool, **arguments, dryRun=True)
        assert tree(world.store) == before, tool

        done = await called(world, tool, **arguments)
        assert tree(world.store) != before, tool
        assert (told.pop("dryRun"), done.pop("dryRun")) == (True, False)
        alike = told.keys() - {"memoryId", "passages"}
        assert {key: told[key] for key in alike} == {key: done[key] for key in alike}
