"""Deleting a whole entity: all of it, nothing of another's, even while others have it open."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import aclosing, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.command_line import Cli, document, over
from tests.small_world import LIFE, QUESTION

from secondhop.cli import maintenance_commands
from secondhop.errors import StoreError, UnknownEntityError
from secondhop.memories.delete_entity import adelete_entity
from secondhop.recall import Recall
from secondhop.stores import folder_place
from secondhop.stores.entity_names import entity_digest
from secondhop.stores.sessions import StoredSession
from secondhop.stores.sessions_database import DatabaseSessions
from secondhop.stores.store_directory import StoreDirectory

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")

HOLDS_IT = """
import asyncio, sys
from secondhop.errors import UnknownEntityError
from secondhop.recall import Recall

async def main():
    async with await Recall.aopen(sys.argv[1], entity=sys.argv[2], embedder="hashing") as recall:
        await recall.arecall("Where is the zebraquartz?")
        print("open", flush=True)
        sys.stdin.readline()
        for work in (recall.arecall, recall.memories.aremember):
            try:
                await work("Where is the zebraquartz?")
            except UnknownEntityError as error:
                print(error, flush=True)

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
def held_open(store: Path, entity: str) -> Generator[Callable[[], list[str]], None, None]:
    """Keep the entity open in another process. What this gives lets it recall, remember and close
    the entity, and returns its errors."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS_IT, str(store), entity],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"

        def goes_on() -> list[str]:
            return process.communicate("\n")[0].splitlines()

        yield goes_on


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
async def test_what_another_process_has_open_is_unknown_there_and_may_begin_anew(
    tmp_path: Path,
) -> None:
    await filled(tmp_path, "mara")
    with held_open(tmp_path, "mara") as goes_on:
        await adelete_entity(tmp_path, "mara")
        assert contents(tmp_path, "mara") == {}
        async with await Recall.aopen(tmp_path, entity="mara", embedder="hashing") as recall:
            await recall.memories.aremember("The key is under the mat")
            errors = goes_on()  # it closes the deleted files beside the new ones
            await recall.memories.aremember("The mat lies at the door")

    (refused,) = errors  # to write, not to read
    assert "deleted since it was opened; open it again" in refused
    async with await Recall.aopen(tmp_path, entity="mara", embedder="hashing") as recall:
        assert (await recall.memories.acounts()).memories == 2
        assert (await recall.admin.adoctor()).findings == []


@pytest.mark.slow
async def test_nothing_comes_back_from_a_process_that_had_it_open(tmp_path: Path) -> None:
    await filled(tmp_path, "mara")
    with held_open(tmp_path, "mara") as goes_on:
        await adelete_entity(tmp_path, "mara")
        first, second = goes_on()

    assert "no memory is stored for entity 'mara'" in first
    assert "deleted since it was opened; open it again" in second
    assert StoreDirectory(tmp_path).entities() == []
    left = contents(tmp_path, "mara")
    assert [Path(name).name for name in left] == ["embeddings.db"]  # it is made before the write
    assert not any(b"zebraquartz" in content for content in left.values())


async def test_a_session_and_a_trace_under_way_do_not_come_back_either(tmp_path: Path) -> None:
    await filled(tmp_path, "mara")
    async with aclosing(StoreDirectory(tmp_path)) as home:
        sessions, traces = home.place.sessions("mara"), home.place.traces("mara")
        await adelete_entity(tmp_path, "mara")
        begun = StoredSession(
            session_id="s1",
            owner=entity_digest("mara"),
            version=1,
            status="open",
            document=b"zebraquartz",
            expires_in_s=60.0,
        )
        with pytest.raises(StoreError, match="it was deleted since it was opened"):
            await sessions.save(begun)
        with pytest.raises(FileNotFoundError):
            traces.write("t1.json.gz", b"zebraquartz", at_ns=1)

    assert contents(tmp_path, "mara") == {}


async def test_what_is_under_way_does_not_go_on_in_a_new_entity_of_the_name(
    tmp_path: Path,
) -> None:
    await filled(tmp_path, "mara")
    async with await Recall.aopen(tmp_path, entity="mara", embedder="hashing") as old:
        await adelete_entity(tmp_path, "mara")
        await filled(tmp_path, "mara")
        with pytest.raises(UnknownEntityError, match="deleted since it was opened"):
            await old.memories.aremember("The wombat is new.")

    assert not any(b"wombat" in content for content in contents(tmp_path, "mara").values())


async def test_a_deletion_that_was_killed_is_finished_when_the_store_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_: Path, **__: object) -> None:
        raise OSError("killed")

    await filled(tmp_path, "mara")
    with monkeypatch.context() as patch:
        patch.setattr(folder_place, "shutil", SimpleNamespace(rmtree=killed))
        with pytest.raises(OSError, match="killed"):
            await adelete_entity(tmp_path, "mara")

    assert StoreDirectory(tmp_path).entities() == []

    await (await Recall.aopen(tmp_path, entity="noor", embedder="hashing")).aclose()

    assert not any(b"zebraquartz" in path.read_bytes() for path in files_below(tmp_path))
    with pytest.raises(UnknownEntityError):
        await adelete_entity(tmp_path, "mara")


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
