"""Deleting a whole entity: all of it, nothing of another's, and not while it is in use."""

import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import aclosing, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Cli, document, over
from tests.small_world import LIFE, QUESTION

from secondhop.cli import maintenance_commands
from secondhop.errors import StoreError
from secondhop.memories.delete_entity import adelete_entity
from secondhop.recall import Recall
from secondhop.stores.entity_names import entity_digest
from secondhop.stores.sessions_database import DatabaseSessions

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")

HOLDS_IT = """
import asyncio, sys
from secondhop.recall import Recall
from secondhop.stores.entity_names import entity_digest

async def main():
    async with await Recall.aopen(sys.argv[1], entity=sys.argv[2], embedder="hashing"):
        print("open", flush=True)
        sys.stdin.read()

asyncio.run(main())
"""


async def filled(store: Path, entity: str, **opened: Any) -> str:
    """Fill an entity with all kinds of things; returns the id of an open session."""
    async with await Recall.aopen(store, entity=entity, embedder="hashing", **opened) as recall:
        await recall.aadd(LIFE)
        await recall.memories.aremember(f"The zebraquartz of {entity} is in the safe")
        result = await recall.arecall(QUESTION)
        await recall.memories.aaccept(result, result.ids()[:1])
        async with recall.sessions.open(QUESTION) as session:
            await session.vote({session.answer.ids()[0]: "hot"}, go_on=False)
            await session.resolve()
        return (await recall.sessions.astart(QUESTION)).session_id


def contents(store: Path, name: str) -> dict[str, bytes]:
    """{file: its bytes} of the entity whose folder begins with that name."""
    return {
        str(path): path.read_bytes()
        for path in sorted((store / "entities").rglob("*"))
        if path.is_file() and path.relative_to(store).parts[1].startswith(name)
    }


def files_below(folder: Path, pattern: str = "*") -> dict[Path, int]:
    """{file: its size in bytes} of the files that match."""
    return {path: path.stat().st_size for path in folder.rglob(pattern) if path.is_file()}


@contextmanager
def held_open(store: Path, entity: str) -> Generator[None, None, None]:
    """Keep the entity open in another process while the block runs."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS_IT, str(store), entity],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield
        process.communicate("")


async def test_all_of_an_entity_goes_and_all_of_another_stays(tmp_path: Path) -> None:
    await filled(tmp_path, "mara")
    await filled(tmp_path, "noor")
    before, noor = contents(tmp_path, "mara"), contents(tmp_path, "noor")

    would = await adelete_entity(tmp_path, "mara", dry_run=True)
    still = contents(tmp_path, "mara")
    gone = await adelete_entity(tmp_path, "mara")

    assert {Path(name).name for name in before} >= {
        "catalog.db",
        "counters.db",
        "sessions.db",
        "embeddings.db",
    }
    assert still.keys() == before.keys()
    assert (would.memories, would.dry_run) == (len(LIFE) + 1, True)
    assert (gone.memories, gone.dry_run, gone.files) == (len(LIFE) + 1, False, len(before))
    assert contents(tmp_path, "mara") == {}
    assert contents(tmp_path, "noor") == noor
    left = files_below(tmp_path)
    naming = {path.suffix: size for path, size in left.items() if "mara" in path.name}
    assert naming == {".writer": 0}  # only its lock file is left
    assert not any(b"zebraquartz of mara" in path.read_bytes() for path in left)
    async with await Recall.aopen(tmp_path, entity="noor", embedder="hashing") as recall:
        assert (await recall.memories.acounts()).vectors == len(LIFE) + 1
        assert (await recall.admin.adoctor()).findings == []
    async with await Recall.aopen(tmp_path, entity="mara", embedder="hashing") as recall:
        assert (await recall.memories.acounts()).memories == 0


@pytest.mark.slow
async def test_what_another_process_has_open_is_left_alone(tmp_path: Path) -> None:
    await filled(tmp_path, "mara")
    await filled(tmp_path, "noor")
    before = contents(tmp_path, "mara").keys()

    with held_open(tmp_path, "mara"):
        with pytest.raises(StoreError, match="'mara' is open"):
            await adelete_entity(tmp_path, "mara")
        assert before <= contents(tmp_path, "mara").keys()
        await adelete_entity(tmp_path, "noor")  # it does not matter that another entity is open

    await adelete_entity(tmp_path, "mara")
    assert contents(tmp_path, "mara") == {}


async def test_a_damaged_catalog_goes_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secondhop.stores.store_directory.GENERATIONS", 9)  # it tries each
    await filled(tmp_path, "mara")
    (catalog,) = files_below(tmp_path, "catalog.db")
    catalog.write_bytes(b"garbage" * 9_000)

    gone = await adelete_entity(tmp_path, "mara")

    assert gone.memories is None
    assert contents(tmp_path, "mara") == {}
    with closing(sqlite3.connect(tmp_path / "chroma" / "chroma.sqlite3")) as vectors:
        assert vectors.execute("SELECT count(*) FROM embeddings").fetchone() == (0,)


async def test_sessions_that_are_kept_elsewhere_end(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    mara = await filled(tmp_path, "mara", sessions=DatabaseSessions(elsewhere))
    noor = await filled(tmp_path, "noor", sessions=DatabaseSessions(elsewhere))

    async with aclosing(DatabaseSessions(elsewhere)) as sessions:
        await adelete_entity(tmp_path, "mara", sessions=sessions)
        ended, going = [
            await sessions.load(session_id, owner=entity_digest(entity))
            for session_id, entity in ((mara, "mara"), (noor, "noor"))
        ]

    assert ended is not None
    assert going is not None
    assert (ended.status, going.status) == ("abandoned", "open")


@pytest.fixture
def command(tmp_path: Path) -> Cli:
    command = over(tmp_path / "store")
    for entity in ("mara", "noor"):
        told = command("remember", "The key is on the hook", "--entity", entity)
        assert told.exit_code == 0, told.output
    return command


def test_the_command_deletes_when_told_and_tells_what_it_did(command: Cli, tmp_path: Path) -> None:
    store = tmp_path / "store"
    would = document(command("delete-entity", "mara", "--dry-run", "--json"))
    there = contents(store, "mara")
    done = command("delete-entity", "mara", "--yes")
    again = command("delete-entity", "mara", "--yes")

    assert (would["entity"], would["memories"], would["dry_run"]) == ("mara", 1, True)
    assert there
    assert done.stdout.startswith("deleted mara: 1 memory, ")
    assert contents(store, "mara") == {}
    assert contents(store, "noor")
    assert again.exit_code == 1
    assert "no memory is stored for entity 'mara'" in again.stderr


def test_the_command_asks_first_and_refuses_where_nobody_answers(
    command: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = command("delete-entity", "mara", given="y\n")
    two = command("delete-entity", "mara", "--yes", "--entity", "noor")
    asked: list[str] = []

    def said_no(what: str) -> bool:
        asked.append(what)
        return False

    def said_yes(what: str) -> bool:
        return "mara: 1 memory" in what

    monkeypatch.setattr(maintenance_commands, "confirmed", said_no)
    declined = command("delete-entity", "mara")
    monkeypatch.setattr(maintenance_commands, "confirmed", said_yes)
    agreed = command("delete-entity", "mara")

    assert (nobody.exit_code, two.exit_code) == (2, 2)
    assert "give --yes" in nobody.stderr
    assert "differ" in two.stderr
    assert (declined.exit_code, len(asked)) == (1, 1)
    assert "nothing was deleted" in declined.stderr
    assert agreed.exit_code == 0, agreed.output
    assert contents(tmp_path / "store", "mara") == {}
    assert contents(tmp_path / "store", "noor")
