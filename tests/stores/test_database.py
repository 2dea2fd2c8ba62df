"""SQLite's errors under our names."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.nobody import folder_for_everyone, without_rights

from secondhop.errors import StoreError, StoreFullError
from secondhop.stores.sqlite import SqliteDatabase


def io_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    return error


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets how many bytes every disk has free."""

    def say(n_bytes: int) -> None:
        def usage(path: str | os.PathLike[str]) -> SimpleNamespace:
            assert Path(path).exists()
            return SimpleNamespace(free=n_bytes)

        monkeypatch.setattr(shutil, "disk_usage", usage)

    return say


@pytest.fixture
def database(tmp_path: Path) -> SqliteDatabase:
    database = SqliteDatabase(tmp_path / "catalog.db")
    with database.creating() as connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
    return database


def test_an_io_error_on_a_full_disk_is_told_as_a_full_disk(
    database: SqliteDatabase, free: Callable[[int], None]
) -> None:
    free(0)

    with pytest.raises(StoreFullError, match="no space is left"), database.reading():
        raise io_error()


@pytest.mark.parametrize("rights", [0o666, 0o444])
def test_where_nothing_can_be_written_it_is_read_as_it_lies(rights: int) -> None:
    with folder_for_everyone() as folder:
        database = SqliteDatabase(folder / "catalog.db")
        with database.creating() as connection:
            connection.execute("CREATE TABLE t (n INTEGER)")
            connection.execute("INSERT INTO t VALUES (7)")
        database.close()
        database.path.chmod(rights)
        folder.chmod(0o555)

        with without_rights():
            with SqliteDatabase(database.path).reading() as connection:
                assert connection.execute("SELECT n FROM t").fetchall() == [(7,)]
            with (
                pytest.raises(StoreError, match="cannot be written"),
                SqliteDatabase(database.path).writing(),
            ):
                raise AssertionError


def test_on_a_full_disk_it_is_read_as_it_lies_and_nothing_is_made_beside_it(
    database: SqliteDatabase, free: Callable[[int], None]
) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO t VALUES (7)")
    database.close()
    free(0)

    with SqliteDatabase(database.path).reading() as connection:
        assert connection.execute("SELECT n FROM t").fetchall() == [(7,)]
        assert [path.name for path in database.path.parent.iterdir()] == ["catalog.db"]


def test_what_stands_in_the_log_alone_is_not_left_out(
    database: SqliteDatabase, free: Callable[[int], None]
) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO t VALUES (7)")
    free(0)  # the log stands beside the file, for the connection is open

    with SqliteDatabase(database.path).reading() as connection:
        assert connection.execute("SELECT n FROM t").fetchall() == [(7,)]


def test_a_write_meanwhile_is_told_and_not_half_read(
    database: SqliteDatabase, free: Callable[[int], None]
) -> None:
    database.close()
    free(0)

    with (  # noqa: PT012 - the write in between is the point
        pytest.raises(StoreError, match="was written to while it was read; try again"),
        SqliteDatabase(database.path).reading() as connection,
    ):
        connection.execute("SELECT n FROM t").fetchall()
        with SqliteDatabase(database.path).writing() as other:
            other.execute("INSERT INTO t VALUES (7)")
