"""SQLite's errors are raised as ours."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.nobody import folder_for_everyone, without_rights

from secondhop.errors import ReadOnlyStoreError, StoreFullError
from secondhop.stores.sqlite import SqliteDatabase


def io_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    return error


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets how many free bytes every disk reports."""

    def say(n_bytes: int) -> None:
        def usage(path: str | os.PathLike[str]) -> SimpleNamespace:
            assert Path(path).exists()
            return SimpleNamespace(free=n_bytes)

        monkeypatch.setattr(shutil, "disk_usage", usage)

    return say


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    with closing(SqliteDatabase(tmp_path / "catalog.db")) as database:
        with database.creating() as connection:
            connection.execute("CREATE TABLE t (n INTEGER)")
        yield database


def test_an_io_error_on_a_full_disk_is_told_as_a_full_disk(
    database: SqliteDatabase, free: Callable[[int], None]
) -> None:
    free(0)

    with pytest.raises(StoreFullError, match="no space is left"), database.reading():
        raise io_error()


def test_a_folder_that_cannot_be_written_is_told_with_what_to_do() -> None:
    with folder_for_everyone() as folder:
        database = SqliteDatabase(folder / "catalog.db")
        with database.creating() as connection:
            connection.execute("CREATE TABLE t (n INTEGER)")
        database.close()
        folder.chmod(0o555)
        with (
            without_rights(),
            pytest.raises(ReadOnlyStoreError, match="cannot be written"),
            SqliteDatabase(database.path).reading() as connection,
        ):
            connection.execute("SELECT n FROM t").fetchall()


def test_a_connection_in_use_while_its_file_was_replaced_writes_nothing_more(
    tmp_path: Path,
) -> None:
    path, steps = tmp_path / "a.db", (("CREATE TABLE t (x)",),)

    with (
        closing(SqliteDatabase(path, steps=steps)) as database,
        closing(SqliteDatabase(path, steps=steps)) as other,
    ):
        database.migrate()
        with database.reading():
            for file in tmp_path.iterdir():
                file.unlink()
            other.migrate()
            with database.reading():
                pass
        with database.writing() as connection:
            connection.execute("INSERT INTO t VALUES (1)")

        with other.reading() as connection:
            assert connection.execute("SELECT x FROM t").fetchall() == [(1,)]
