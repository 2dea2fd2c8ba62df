"""One PostgreSQL database: its connections, transactions and schema, shared by all entities."""

import hashlib
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolTimeout

from secondhop.errors import (
    SchemaVersionError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)
from secondhop.stores.postgres.adapters import register
from secondhop.stores.postgres.schema import ROLE, SCHEMA, STEPS, VECTOR_STEPS
from secondhop.stores.room import Room
from secondhop.stores.store_address import shown_store

NO_PGVECTOR = (
    "; install pgvector there, or keep the vectors on a Chroma server: `chroma run --path DIR`, "
    "and --chroma URL (`copy`: --to-chroma URL; in Python, chroma_url=)"
)
NO_EXTENSION = "; a superuser must run CREATE EXTENSION vector in this database once"
_REFUSED = re.compile(
    r'FATAL: +((?:database|role) ".*?" does not exist|password authentication failed|no pg_hba)'
)
"""Refusals of a running server, which waiting does not cure. libpq gives no error codes."""
CONNECTIONS = 8
"""The most connections of a process that work at once."""
TURNS = 16
"""The most entities that a process writes to at once. Each turn holds a connection."""
FORGETTING = 4
"""The most entities whose memories a process forgets at once. Each holds a connection, and needs
turns to write: with connections of `TURNS`, they could wait for each other."""
WAIT_S = 5.0
"""How long to wait for a connection."""
CONNECT_S = 5
_TURN = "SET LOCAL lock_timeout = '30s'; SELECT pg_advisory_xact_lock"
_TRY_LOCK = "SELECT pg_try_advisory_xact_lock(%s)"
_IDLE_S = 60.0
_LAST_CHANGE = f"SELECT changed FROM {SCHEMA}.entities WHERE entity = %s".encode()
_LOOK = (
    "SELECT to_regclass(%s) IS NOT NULL, to_regclass(%s) IS NOT NULL, rolsuper OR rolbypassrls "
    "FROM pg_roles WHERE rolname = current_user"
)


class PostgresServer:
    """The database at one address."""

    def __init__(self, address: str) -> None:
        """Connects to nothing yet."""
        self._address, self.name = address, shown_store(address)
        self._work = self._pool(CONNECTIONS)
        self._turns = self._pool(TURNS)
        self._forgetting = self._pool(FORGETTING)
        self.turns, self.forgetting = Room(TURNS), Room(FORGETTING)
        """Room for those who take a lock, so that a connection is free for each of them."""
        self._begin = ""
        """The statements that begin every transaction; "" while there is no schema."""
        self._has_vectors = False
        self._is_away = False
        """Whether it did not answer the last time. If so, the pool is not asked: it would wait."""

    def has_schema(self) -> bool:
        """Whether a store was ever made here."""
        if not self._begin:
            self._look()
        return bool(self._begin)

    def has_vectors(self) -> bool:
        """Whether vectors were ever kept here."""
        if not self._has_vectors:
            self._look()
        return self._has_vectors

    def _look(self) -> None:
        with self._errors(), self._direct() as connection:
            named = (f"{SCHEMA}.schema_version", f"{SCHEMA}.vectors")
            found = connection.execute(_LOOK, named).fetchone()
            is_there, self._has_vectors, is_free = found or (False, False, False)
        if is_there:
            role = f"; SET LOCAL ROLE {ROLE}" if is_free else ""
            self._begin = f"SET LOCAL search_path = {SCHEMA}, public{role}"

    def migrate(self, *, vectors: bool = False) -> None:
        """Make the schema, or bring it to the newest version.

        Args:
            vectors: also make the table of vectors, which needs pgvector.

        Raises:
            SchemaVersionError: a newer secondhop wrote it; nothing was changed.
        """
        with self._errors(), self._direct() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (number_of(SCHEMA),))
            for statement in (
                f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}",
                f"SET LOCAL search_path = {SCHEMA}, public",
                "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)",
            ):
                _run(connection, statement)
            found = found_version(connection, self.name)
            for statement in (one for step in STEPS[found:] for one in step):
                _run(connection, statement)
            if found < len(STEPS):
                _run(connection, "DELETE FROM schema_version")
                _run(connection, f"INSERT INTO schema_version VALUES ({len(STEPS)})")
            if vectors and not _has_vectors(connection):
                for statement in VECTOR_STEPS:
                    _run(connection, statement)
            _bind_free_login(connection)
        self._look()

    @contextmanager
    def transaction(
        self, entity: str, *, writes: bool, alone: str = ""
    ) -> Generator[psycopg.Connection, None, None]:
        """A transaction that sees and writes only the rows of one entity; of none for "".

        A transaction that does not write reads one consistent state.

        Args:
            alone: only one transaction with this key runs at a time, as in SQLite.
        """
        self.has_schema()
        way = "READ WRITE" if writes else "ISOLATION LEVEL REPEATABLE READ READ ONLY"
        own = f"SET LOCAL secondhop.entity = {sql.quote(entity)}"
        turn = f"; {_TURN}({number_of(alone)})" if alone else ""
        bound = f"BEGIN {way}; {self._begin}; {own}{turn}".encode()
        with self._errors(), self._begun(self._work, bound) as begun:
            connection = begun.connection
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
                raise

    def last_change(self, entity: str) -> str | None:
        """A value that differs after every change of the entity's catalog; None if none is
        known."""
        if not self.has_schema():
            return None
        with self._errors(), self._begun(self._work, _LAST_CHANGE, (entity,)) as asked:
            row = asked.fetchone()
            return str(row[0]) if row and row[0] else None

    def try_lock(self, key: str, *, forgetting: bool = False) -> Callable[[], None] | None:
        """Take the advisory lock of this name. Returns a function that frees it; None if another
        holds it.

        The caller has a place in `turns`, or in `forgetting`, and leaves it afterwards. The lock
        belongs to a transaction that does nothing else, so it ends with the process, and it works
        behind a transaction pooler.
        """
        pool = self._forgetting if forgetting else self._turns
        held = self._begun(pool, b"BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0")
        with self._errors():
            connection = held.__enter__().connection

        def release() -> None:
            with suppress(psycopg.Error):
                connection.execute("ROLLBACK")
            held.__exit__(None, None, None)

        try:
            with self._errors():
                row = connection.execute(_TRY_LOCK, (number_of(key),)).fetchone()
        except StoreError:
            release()
            raise
        if row and row[0]:
            return release
        release()
        return None

    def close(self) -> None:
        """Close every connection; a later use opens them again."""
        for pool in (self._work, self._turns, self._forgetting):
            pool.close()
        self._work = self._pool(CONNECTIONS)
        self._turns = self._pool(TURNS)
        self._forgetting = self._pool(FORGETTING)

    # --- connections ---

    def _pool(self, most: int) -> ConnectionPool[psycopg.Connection]:
        return ConnectionPool(
            self._address,
            min_size=0,
            max_size=most,
            timeout=WAIT_S,
            max_idle=_IDLE_S,
            reconnect_timeout=WAIT_S,
            num_workers=1,
            open=False,
            kwargs={"autocommit": True, "connect_timeout": CONNECT_S},
            configure=register,
        )

    @contextmanager
    def _begun(
        self,
        pool: ConnectionPool[psycopg.Connection],
        first: bytes,
        values: Sequence[str] | None = None,
    ) -> Generator[psycopg.Cursor, None, None]:
        """Run `first` on a connection of the pool, held for the block, and give its cursor. A
        connection that the server has closed meanwhile is discarded, and the next one is taken."""
        pool.open()
        while True:
            if self._is_away:
                self._expect_answer()
            with pool.connection() as connection:
                try:
                    begun = connection.execute(first, values)
                except psycopg.OperationalError:
                    if not connection.closed:
                        raise
                    self._is_away = True
                    continue
                yield begun
                return

    def _expect_answer(self) -> None:
        """Raise at once, with the reason, if the server does not answer."""
        with self._direct():
            self._is_away = False

    @contextmanager
    def _direct(self) -> Generator[psycopg.Connection, None, None]:
        """A connection outside the pools, as the login. It fails at once, with the reason."""
        with psycopg.connect(self._address, connect_timeout=CONNECT_S) as connection:
            yield connection

    @contextmanager
    def _errors(self) -> Generator[None, None, None]:
        try:
            yield
        except PoolTimeout as error:
            raise self._unreachable() from error
        except psycopg.errors.DiskFull as error:
            raise StoreFullError(f"no space is left at {self.name}: {error}") from error
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
            raise StoreBusyError(f"another writer at {self.name} was first; try again") from error
        except psycopg.OperationalError as error:
            raise away(self.name, error) from error
        except psycopg.Error as error:
            said = " ".join(str(error).split())
            cure = ""
            if 'extension "vector"' in said:
                denied = isinstance(error, psycopg.errors.InsufficientPrivilege)
                said, cure = said.rstrip("."), NO_EXTENSION if denied else NO_PGVECTOR
            raise StoreError(f"{self.name} refused: {said}{cure}") from error

    def _unreachable(self) -> StoreError:
        try:
            self._expect_answer()
        except psycopg.Error as error:
            self._is_away = True
            return away(self.name, error)
        return StoreBusyError(
            f"all connections to {self.name} were in use for {WAIT_S:.0f} s; try again"
        )


def away(name: str, error: Exception) -> StoreError:
    """The error for a server that does not answer, or that answers and refuses."""
    why = " ".join(str(error).split())
    if refused := _REFUSED.search(why):
        return StoreError(
            f"the PostgreSQL server at {name} answers but refuses: {refused[1]}; create what is "
            f"missing, or correct the address"
        )
    return StoreUnavailableError(
        f"the PostgreSQL server at {name} does not answer ({why}); start it, or check its address; "
        f"what was acknowledged before is kept"
    )


def number_of(key: str) -> int:
    """The number of an advisory lock in PostgreSQL: 64 bits, signed."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], signed=True)


def found_version(connection: psycopg.Connection, name: str) -> int:
    """The version of the schema; 0 if there is none yet.

    Raises:
        SchemaVersionError: a newer secondhop wrote it.
    """
    row = connection.execute("SELECT version FROM schema_version").fetchone()
    found = int(row[0]) if row else 0
    if found > len(STEPS):
        raise SchemaVersionError(found=found, known=len(STEPS), path=name)
    return found


def _has_vectors(connection: psycopg.Connection) -> bool:
    row = connection.execute("SELECT to_regclass('vectors') IS NOT NULL").fetchone()
    return bool(row and row[0])


def _bind_free_login(connection: psycopg.Connection) -> None:
    """Give a superuser a role to work as, because row-level security does not bind superusers."""
    row = connection.execute(
        "SELECT rolsuper OR rolbypassrls, EXISTS (SELECT FROM pg_roles WHERE rolname = %s) "
        "FROM pg_roles WHERE rolname = current_user",
        (ROLE,),
    ).fetchone()
    is_free, is_made = row or (False, False)
    if not is_free:
        return
    if not is_made:
        _run(connection, f"CREATE ROLE {ROLE} NOLOGIN NOBYPASSRLS")
    for statement in (
        f"GRANT {ROLE} TO CURRENT_USER",
        f"GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {SCHEMA} TO {ROLE}",
    ):
        _run(connection, statement)


def _run(connection: psycopg.Connection, statement: str) -> None:
    connection.execute(statement.encode())
