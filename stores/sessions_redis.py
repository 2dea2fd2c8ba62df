"""Sessions in Redis, shared by processes and machines; Redis itself expires them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar, cast

from secondhop.errors import StoreUnavailableError, UsageError
from secondhop.stores.sessions import (
    ENDED_REMEMBERED_S,
    GRACE_S,
    SessionStatus,
    StoredSession,
)

if TYPE_CHECKING:
    from redis.asyncio import Redis

T = TypeVar("T")

CONNECTIONS = 32
"""To the server, at most; of more requests at a time some wait for one."""

ANSWER_S = 5.0
"""For the server's answer, unless the address says otherwise (`?socket_timeout=SECONDS`)."""

WAIT_S = 20.0
"""For a connection; then the server is taken to be stuck."""

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
"""The one write: it compares and writes in one step. Both keys have one hash tag, so they lie on
one node of a cluster. The document goes first, what it was an hour later."""


class RedisSessions:
    """A `SessionStore` on a Redis server (7 or newer, no module).

    The server must not evict keys (`maxmemory-policy noeviction`), and keeps sessions over its own
    restart only when it writes them to disk (`appendonly yes`).
    """

    def __init__(self, url: str, *, prefix: str = "secondhop:session") -> None:
        """`url`: redis://[:password@]host:port/database, rediss:// or unix://.

        Raises:
            UsageError: redis-py is not installed, or the address is none.
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
        """See `SessionStore`; a server of many sessions is asked in small steps."""
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
        """What is known of it, and what it knows."""
        head = f"{self._prefix}:{{{owner}:{session_id}}}"
        return [head, f"{head}:document"]

    async def _done(self, work: Awaitable[T]) -> T:
        """What the server answers.

        Raises:
            StoreUnavailableError: it does not, or refuses.
        """
        from redis.exceptions import RedisError

        try:
            return await work
        except (RedisError, OSError) as error:
            raise StoreUnavailableError(
                f"the Redis server that keeps the sessions failed ({error}); check "
                f"that it runs, its address and its memory; what it acknowledged before is kept"
            ) from error


def connected(url: str) -> "Redis":
    """A client; nothing is connected before its first use.

    Raises:
        UsageError: redis-py is not installed, or the address is none.
    """
    try:
        from redis.asyncio import BlockingConnectionPool, Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff
    except ImportError as error:
        raise UsageError(
            "sessions in Redis need redis-py; install it: "
            "pip install '/path/to/the/checkout[redis]'"
        ) from error
    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            timeout=WAIT_S,
            socket_timeout=ANSWER_S,
            socket_connect_timeout=ANSWER_S,
            # one that waited in the pool while the server was restarted is replaced; a save that
            # was done, and whose answer was lost, is refused the second time
            retry=Retry(NoBackoff(), 1),
        )
        made = cast(Callable[[], object], pool.make_connection)
        made()  # connects to nothing, and refuses what no connection takes
        return Redis.from_pool(pool)
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"the address of the Redis server cannot be used ({error}); "
            f"write redis://HOST:PORT/DATABASE"
        ) from error


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
