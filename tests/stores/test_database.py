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
from secondhop.stores.database import Database


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
def database(tmp_path: Path) -> Database:
    database = Database(tmp_path / "catalog.db")
    with database.creating() as connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
    return database


def test_an_io_error_on_a_full_disk_is_told_as_a_full_disk(
    database: Database, free: Callable[[int], None]
) -> None:
    free(0)

    with pytest.raises(StoreFullError, match="no space is left"), database.reading():
        raise io_error()


def test_any_other_io_error_is_told_as_it_is(
    database: Database, free: Callable[[int], None]
) -> None:
    free(10**9)

    with pytest.raises(StoreError, match="disk I/O error") as told, database.reading():
        raise io_error()

    assert not isinstance(told.value, StoreFullError)


@pytest.mark.parametrize("rights", [0o666, 0o444])
def test_a_folder_that_cannot_be_written_is_named(rights: int) -> None:
    with folder_for_everyone() as folder:
        database = Database(folder / "catalog.db")
        with database.creating() as connection:
            connection.execute("CREATE TABLE t (n INTEGER)")
        database.close()
        database.path.chmod(rights)
        folder.chmod(0o555)

        with (
            without_rights(),
            pytest.raises(StoreError, match="cannot be written"),
            Database(database.path).reading(),
        ):
            raise AssertionError
