"""Sessions in Redis: shared by processes and machines; the server itself lets them expire."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

from secondhop.errors import StoreError, UsageError
from secondhop.stores.sessions import (
    ENDED_REMEMBERED_S,
    CastVotes,
    RoundBallot,
    SessionHead,
    SessionStatus,
    StoredSession,
    Written,
    names_one,
)
from secondhop.stores.sessions_redis_script import SCRIPT

if TYPE_CHECKING:
    from redis.asyncio import Redis

T = TypeVar("T")

CONNECTIONS = 32
"""To the server, at most; of more requests at a time some wait for one."""

ANSWER_S = 5.0
"""For the server's answer, unless the address says otherwise (`?socket_timeout=SECONDS`)."""

WAIT_S = 20.0
"""For a connection; then the server is taken to be stuck."""

_SEPARATOR = "\x00"
"""Between voter and memory id in a field; neither holds it."""


class RedisSessions:
    """A `SessionStore` on a Redis server (7 or newer, no module).

    One script makes every change, so two clients never lose or double a vote. The server must not
    evict keys (`maxmemory-policy noeviction`), and keeps sessions over its own restart only when
    it writes them to disk (`appendonly yes`).
    """

    def __init__(self, url: str, *, prefix: str = "secondhop:session") -> None:
        """`url`: redis://[:password@]host:port/database, rediss:// or unix://.

        Raises:
            UsageError: redis-py is not installed, or the address is none.
        """
        self._redis = connected(url)
        self._script = self._redis.register_script(SCRIPT)
        self._prefix = prefix

    async def create(self, session_id: str, *, owner: str, state: str, ttl_s: float) -> bool:
        """See `SessionStore`."""
        return (await self._run(session_id, "create", owner, state, _ms(ttl_s))).done

    async def load(self, session_id: str) -> StoredSession | None:
        """See `SessionStore`."""
        session, votes, ended = self._keys(session_id)
        async with self._redis.pipeline(transaction=True) as reads:
            reads.hgetall(session)
            reads.hgetall(votes)
            reads.pttl(session)
            reads.hgetall(ended)
            found, cast_votes, left_ms, left_behind = await self._told(reads.execute())
        fields = _decoded(found) or _decoded(left_behind)
        if not fields:
            return None
        head = SessionHead(
            owner=fields["owner"],
            status=cast(SessionStatus, fields.get("status", "open")),
            round=int(fields["round"]),
            closed=fields.get("closed") == "1",
            request_id=fields.get("request", ""),
        )
        if not found:
            return StoredSession(head=head)
        return StoredSession(
            head=head,
            state=fields["state"],
            votes=_by_voter(_decoded(cast_votes)),
            expires_in_s=max(0, left_ms) / 1000,
        )

    async def record(self, session_id: str, ballot: RoundBallot, *, ttl_s: float) -> Written:
        """See `SessionStore`."""
        flat: list[str] = []
        for memory_id, vote in ballot.votes.items():
            flat += [f"{ballot.by}{_SEPARATOR}{memory_id}", vote]
        return await self._run(
            session_id,
            "record",
            ballot.round,
            _ms(ttl_s),
            int(ballot.closes),
            ballot.request_id,
            ballot.worker,
            _ms(ballot.lease_s),
            *flat,
        )

    async def claim(
        self, session_id: str, *, round_number: int, worker: str, lease_s: float
    ) -> bool:
        """See `SessionStore`."""
        return (await self._run(session_id, "claim", round_number, worker, _ms(lease_s))).done

    async def publish(
        self, session_id: str, *, round_number: int, state: str, ttl_s: float
    ) -> Written:
        """See `SessionStore`."""
        return await self._run(session_id, "publish", round_number, state, _ms(ttl_s))

    async def end(self, session_id: str, *, round_number: int, status: SessionStatus) -> Written:
        """See `SessionStore`."""
        return await self._run(session_id, "end", round_number, status)

    async def forget(self, memory_ids: Sequence[str], *, owner: str) -> None:
        """See `SessionStore`. The server's own files hold it until it rewrites them."""
        for session_id in await self._told(self._open_ids()):
            while True:
                stored = await self.load(session_id)
                if stored is None or stored.head.owner != owner:
                    break
                if not names_one(stored.state, memory_ids):
                    break
                number = stored.head.round
                if (await self.end(session_id, round_number=number, status="abandoned")).done:
                    break

    async def aclose(self) -> None:
        """See `SessionStore`."""
        await self._redis.aclose()

    # --- inside ---

    async def _open_ids(self) -> list[str]:
        """Of all owners; a server of many sessions is asked in small steps."""
        before, after = f"{self._prefix}:{{", "}"
        scan = cast(Callable[..., AsyncIterator[bytes]], self._redis.scan_iter)
        keys = [key async for key in scan(match=f"{before}*{after}", count=1000)]
        return [key.decode().removeprefix(before).removesuffix(after) for key in keys]

    def _keys(self, session_id: str) -> list[str]:
        tag = f"{self._prefix}:{{{session_id}}}"
        return [tag, f"{tag}:votes", f"{tag}:ended"]

    async def _run(self, session_id: str, operation: str, *given: str | int) -> Written:
        """The script's answer: done, owner, status, round, closed, request, then votes."""
        arguments = [operation, _ms(ENDED_REMEMBERED_S), *given]
        told = await self._told(self._script(keys=self._keys(session_id), args=arguments))
        done, *rest = [part.decode() if isinstance(part, bytes) else part for part in told]
        if not rest:
            return Written(done=False, head=None)
        owner, status, round_number, closed, request_id, *flat = rest
        head = SessionHead(
            owner=owner,
            status=cast(SessionStatus, status),
            round=int(round_number),
            closed=closed == "1",
            request_id=request_id,
        )
        votes = _by_voter(dict(zip(flat[::2], flat[1::2], strict=True)))
        return Written(done=bool(done), head=head, votes=votes)

    async def _told(self, work: Awaitable[T]) -> T:
        """What the server answers.

        Raises:
            StoreError: it does not, or refuses.
        """
        from redis.exceptions import RedisError

        try:
            return await work
        except (RedisError, OSError) as error:
            raise StoreError(
                f"the Redis server that keeps the sessions did not do its work ({error}); check "
                f"that it runs, its address and its memory; what it acknowledged before is kept"
            ) from error


def connected(url: str) -> "Redis":
    """A client; nothing is connected before its first use.

    Raises:
        UsageError: redis-py is not installed, or the address is none.
    """
    try:
        from redis.asyncio import BlockingConnectionPool, Redis
    except ImportError as error:
        raise UsageError(
            "sessions in Redis need redis-py; install it: pip install 'secondhop[redis]'"
        ) from error
    try:
        check_database(url)
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            timeout=WAIT_S,
            socket_timeout=ANSWER_S,
            socket_connect_timeout=ANSWER_S,
        )
        made = cast(Callable[[], object], pool.make_connection)
        made()  # connects to nothing, and refuses what no connection takes
        return Redis.from_pool(pool)
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"the address of the Redis server cannot be used ({error}); "
            f"write redis://HOST:PORT/DATABASE"
        ) from error


def check_database(url: str) -> None:
    """redis-py takes a path that is no number for database 0.

    Raises:
        ValueError: it is none.
    """
    address = urlsplit(url)
    path = address.path.strip("/")
    if address.scheme != "unix" and path and not (path.isascii() and path.isdecimal()):
        raise ValueError(f"{path!r} is no number of a database")


def _decoded(fields: Mapping[Any, Any]) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in fields.items()}


def _by_voter(fields: Mapping[str, str]) -> CastVotes:
    votes: dict[str, dict[str, str]] = {}
    for field, vote in fields.items():
        voter, _, memory_id = field.partition(_SEPARATOR)
        votes.setdefault(voter, {})[memory_id] = vote
    return votes


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
