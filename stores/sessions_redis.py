"""Sessions in Redis, shared by processes and machines; Redis itself expires them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

from secondhop.errors import StoreUnavailableError, UsageError
from secondhop.stores.sessions import ENDED_REMEMBERED_S, GRACE_S, SessionStatus, StoredSession

if TYPE_CHECKING:
    from redis.asyncio import Redis

T = TypeVar("T")

CONNECTIONS = 32
"""The most connections to the server. Further requests wait for a free one."""

ANSWER_S = 5.0
"""How long to wait for an answer, unless the address says it (`?socket_timeout=SECONDS`)."""

WAIT_S = 20.0
"""How long to wait for a connection. After that, the server counts as stuck."""

SAVE = """
local head, document = KEYS[1], KEYS[2]
local version, status, text = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local document_ms, head_ms = ARGV[4], ARGV[5]
local stored = tonumber(redis.call('HGET', head, 'version') or 0)
if stored ~= version - 1 then return 0 end
if stored > 0 and redis.call('EXISTS', document) == 0 then return 0 end
redis.call('HSET', head, 'version', version, 'status', status)
redis.call('PEXPIRE', head, head_ms)
if status == 'open' then
  redis.call('SET', document, text, 'PX', document_ms)
else
  redis.call('DEL', document)
end
return 1
"""
"""The only write: it compares and writes in one step. Both keys have the same hash tag, so they lie
on one node of a cluster. The document expires first. The head, which says how the session ended,
stays for an hour."""


class RedisSessions:
    """A `SessionStore` on a Redis server (7 or newer, no module).

    The server must not evict keys (`maxmemory-policy noeviction`). Sessions survive a restart of
    the server only if it writes them to disk (`appendonly yes`).
    """

    def __init__(self, url: str, *, prefix: str = "secondhop:session") -> None:
        """`url`: redis://[:password@]host:port/database, rediss:// or unix://.

        Raises:
            UsageError: redis-py is not installed, or the address is not valid.
        """
        self._redis = connected(url)
        self._script = self._redis.register_script(SAVE)
        self._prefix = prefix

    async def load(self, session_id: str, *, owner: str) -> StoredSession | None:
        """See `SessionStore`."""
        head_key, document_key = self._keys(owner, session_id)
        async with self._redis.pipeline(transaction=True) as reads:
            reads.hmget(head_key, ["version", "status"])
            reads.get(document_key)
            reads.pttl(document_key)
            (version, status), document, left_ms = await self._done(reads.execute())
        if version is None:
            return None
        left_s = left_ms / 1000 - GRACE_S
        told = cast(SessionStatus, status.decode())
        expired = told == "open" and (document is None or left_s <= 0)
        return StoredSession(
            session_id=session_id,
            owner=owner,
            version=int(version),
            status="expired" if expired else told,
            document=b"" if expired or document is None else document,
            expires_in_s=max(0.0, left_s),
        )

    async def save(self, session: StoredSession) -> bool:
        """See `SessionStore`."""
        lives_s = session.expires_in_s if session.status == "open" else 0.0
        done = self._script(
            keys=self._keys(session.owner, session.session_id),
            args=[
                session.version,
                session.status,
                session.document,
                _ms(lives_s + GRACE_S),
                _ms(lives_s + ENDED_REMEMBERED_S),
            ],
        )
        return bool(await self._done(done))

    async def open_ids(self, *, owner: str) -> list[str]:
        """See `SessionStore`. A server with many sessions is scanned in small steps."""
        return await self._done(self._open_ids(owner))

    async def aclose(self) -> None:
        """See `SessionStore`."""
        await self._redis.aclose()

    # --- inside ---

    async def _open_ids(self, owner: str) -> list[str]:
        before, after = f"{self._prefix}:{{{owner}:", "}:document"
        scan = cast(Callable[..., AsyncIterator[bytes]], self._redis.scan_iter)
        keys = [key async for key in scan(match=f"{before}*{after}", count=1000)]
        return [key.decode().removeprefix(before).removesuffix(after) for key in keys]

    def _keys(self, owner: str, session_id: str) -> list[str]:
        """The keys of the session's head (version and status) and of its document."""
        head = f"{self._prefix}:{{{owner}:{session_id}}}"
        return [head, f"{head}:document"]

    async def _done(self, work: Awaitable[T]) -> T:
        """The server's answer. Raises as `answering`."""
        with answering():
            return await work


@contextmanager
def answering() -> Generator[None, None, None]:
    """A block that asks a Redis server.

    Raises:
        StoreUnavailableError: the server does not answer, or refuses.
    """
    from redis.exceptions import RedisError

    try:
        yield
    except (RedisError, OSError) as error:
        raise StoreUnavailableError(
            f"the Redis server failed ({error}); check that it runs, its address and its memory; "
            f"what it acknowledged before is kept"
        ) from error


@contextmanager
def connecting() -> Generator[None, None, None]:
    """A block that imports redis-py and makes a client.

    Raises:
        UsageError: redis-py is not installed, or the address is not valid.
    """
    try:
        yield
    except ImportError as error:
        raise UsageError(
            "Redis needs redis-py; install it: pip install '/path/to/the/checkout[redis]'"
        ) from error
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"the address of the Redis server cannot be used ({error}); "
            f"write redis://HOST:PORT/DATABASE"
        ) from error


def connected(url: str) -> "Redis":
    """A client that connects at its first use. Raises as `connecting`."""
    with connecting():
        from redis.asyncio import BlockingConnectionPool, Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            timeout=WAIT_S,
            socket_timeout=ANSWER_S,
            socket_connect_timeout=ANSWER_S,
            # replaces a pooled connection that broke when the server was restarted; if a save was
            # done but its answer was lost, the second attempt is refused
            retry=Retry(NoBackoff(), 1),
        )
        made = cast(Callable[[], object], pool.make_connection)
        made()  # connects to nothing, but raises for options that no connection takes
        return Redis.from_pool(pool)


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
