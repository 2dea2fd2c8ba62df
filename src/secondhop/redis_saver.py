"""A LangGraph checkpointer for a plain Redis server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)

from secondhop.stores.sessions_redis import answering, connecting

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

CHECKPOINT, WRITE = "checkpoint", "write"


class CheckpointKey(NamedTuple):
    """Where a checkpoint lies."""

    thread: str
    namespace: str
    checkpoint_id: str

    @property
    def field(self) -> str:
        """The field of the thread's hash that holds the checkpoint."""
        return "\0".join((CHECKPOINT, self.namespace, self.checkpoint_id))

    @property
    def writes(self) -> str:
        """The prefix of the fields that hold the checkpoint's pending writes."""
        return "\0".join((WRITE, self.namespace, self.checkpoint_id, ""))

    @property
    def config(self) -> "RunnableConfig":
        """The place as a LangGraph config."""
        return {
            "configurable": {
                "thread_id": self.thread,
                "checkpoint_ns": self.namespace,
                "checkpoint_id": self.checkpoint_id,
            }
        }


class PlainRedisSaver(BaseCheckpointSaver[str]):
    """A checkpointer for Redis 7 or newer that needs no Redis modules; each thread is one hash.

    If your server has the modules (Redis 8), use LangGraph's own langgraph-checkpoint-redis.
    """

    def __init__(
        self, url: str, *, ttl_s: float | None = None, prefix: str = "secondhop:thread"
    ) -> None:
        """Connects to nothing yet.

        Args:
            url: redis://[:password@]host:port/database, rediss:// or unix://.
            ttl_s: how long a thread is kept after its last step; None: until it is deleted.

        Raises:
            UsageError: redis-py is not installed, or the address is not valid.
        """
        super().__init__()
        with connecting():
            from redis import Redis

            self._redis = Redis.from_url(url)
            made = cast("Callable[[], object]", self._redis.connection_pool.make_connection)
            made()  # connects to nothing, but raises for options that no connection takes
        self._ttl_s, self._prefix = ttl_s, prefix

    def close(self) -> None:
        """Close the connections; what was stored stays."""
        self._redis.close()

    # --- BaseCheckpointSaver ---

    def put(
        self,
        config: "RunnableConfig",
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> "RunnableConfig":
        """See `BaseCheckpointSaver`."""
        del new_versions
        own = config["configurable"]
        place = CheckpointKey(own["thread_id"], own.get("checkpoint_ns", ""), checkpoint["id"])
        told = get_checkpoint_metadata(config, metadata)
        kept = self._packed([checkpoint, told, own.get("checkpoint_id")])
        self._write(place.thread, {place.field: kept})
        return place.config

    def put_writes(
        self,
        config: "RunnableConfig",
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """See `BaseCheckpointSaver`.

        A repeated write keeps its first value, except on LangGraph's special channels (errors,
        interrupts), where the last value counts.
        """
        place = self._place(config)
        first, last = dict[str, bytes](), dict[str, bytes]()
        for number, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, number)
            kept = self._packed([task_path, task_id, index, channel, value])
            (first if index >= 0 else last)[f"{place.writes}{task_id}\0{index}"] = kept
        self._write(place.thread, last, new=first)

    def get_tuple(self, config: "RunnableConfig") -> CheckpointTuple | None:
        """See `BaseCheckpointSaver`."""
        place = self._place(config)
        if place.checkpoint_id:
            return self._found(place)
        newest = max(self._places(place.thread, place.namespace), default=None)
        return self._found(newest) if newest else None

    def list(
        self,
        config: "RunnableConfig | None",
        *,
        filter: dict[str, Any] | None = None,
        before: "RunnableConfig | None" = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """See `BaseCheckpointSaver`; thread by thread, the newest checkpoint first."""
        wanted = (filter or {}).items()
        found = map(self._found, self._listed(config, before))
        fitting = (one for one in found if one and wanted <= dict(one.metadata).items())
        return islice(fitting, limit)

    def delete_thread(self, thread_id: str) -> None:
        """See `BaseCheckpointSaver`."""
        with answering():
            self._redis.delete(self._key(thread_id))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """See `BaseCheckpointSaver`."""
        del channel
        return f"{int(current or 0) + 1:016}"

    async def aput(
        self,
        config: "RunnableConfig",
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> "RunnableConfig":
        """See `BaseCheckpointSaver`."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: "RunnableConfig",
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """See `BaseCheckpointSaver`."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def aget_tuple(self, config: "RunnableConfig") -> CheckpointTuple | None:
        """See `BaseCheckpointSaver`."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: "RunnableConfig | None",
        *,
        filter: dict[str, Any] | None = None,
        before: "RunnableConfig | None" = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """See `BaseCheckpointSaver`."""
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await asyncio.to_thread(next, found, None)) is not None:
            yield one

    async def adelete_thread(self, thread_id: str) -> None:
        """See `BaseCheckpointSaver`."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    # --- inside ---

    def _write(
        self, thread: str, fields: dict[str, bytes], *, new: dict[str, bytes] | None = None
    ) -> None:
        """Write fields of the thread's hash in one transaction; `new` ones overwrite nothing."""
        key, steps = self._key(thread), self._redis.pipeline(transaction=True)
        for field, kept in fields.items():
            steps.hset(key, field, kept)
        for field, kept in (new or {}).items():
            steps.hsetnx(key, field, kept)
        if self._ttl_s is not None:
            steps.pexpire(key, round(1000 * self._ttl_s))
        with answering():
            steps.execute()

    def _found(self, place: CheckpointKey) -> CheckpointTuple | None:
        key = self._key(place.thread)
        names = [one for one in self._fields(place.thread) if one.startswith(place.writes)]
        with answering():
            found = cast("list[bytes | None]", self._redis.hmget(key, [place.field, *names]))
        kept, *writes = found
        if kept is None:
            return None
        checkpoint, metadata, parent = self._unpacked(kept)
        told = sorted(
            (self._unpacked(one) for one in writes if one is not None),
            key=lambda one: writes_sort_key(one[0], one[1], one[2]),
        )
        return CheckpointTuple(
            config=place.config,
            checkpoint=checkpoint,
            metadata=metadata,
            parent_config=place._replace(checkpoint_id=parent).config if parent else None,
            pending_writes=[(task, channel, value) for _, task, _, channel, value in told],
        )

    def _listed(
        self, config: "RunnableConfig | None", before: "RunnableConfig | None"
    ) -> Iterator[CheckpointKey]:
        own = config["configurable"] if config else {}
        only = get_checkpoint_id(config) if config else None
        end = get_checkpoint_id(before) if before else None
        for thread in [own["thread_id"]] if "thread_id" in own else self._threads():
            places = self._places(thread, own.get("checkpoint_ns"))
            for place in sorted(places, key=lambda one: one.checkpoint_id, reverse=True):
                if only in (None, place.checkpoint_id) and not (end and place.checkpoint_id >= end):
                    yield place

    def _places(self, thread: str, namespace: str | None) -> Iterator[CheckpointKey]:
        for field in self._fields(thread):
            kind, own, checkpoint_id, *_ = field.split("\0")
            if kind == CHECKPOINT and namespace in (None, own):
                yield CheckpointKey(thread, own, checkpoint_id)

    def _fields(self, thread: str) -> "Sequence[str]":
        with answering():
            names = cast("Sequence[bytes]", self._redis.hkeys(self._key(thread)))
        return [one.decode() for one in names]

    def _threads(self) -> Iterator[str]:
        before = f"{self._prefix}:{{"
        scan = cast("Iterator[bytes]", self._redis.scan_iter(match=f"{before}*", count=1000))
        with answering():
            for key in scan:
                yield key.decode().removeprefix(before).removesuffix("}")

    def _key(self, thread: str) -> str:
        return f"{self._prefix}:{{{thread}}}"

    def _place(self, config: "RunnableConfig") -> CheckpointKey:
        own = config["configurable"]
        return CheckpointKey(
            str(own["thread_id"]), own.get("checkpoint_ns", ""), get_checkpoint_id(config) or ""
        )

    def _packed(self, value: object) -> bytes:
        kind, content = self.serde.dumps_typed(value)
        return kind.encode() + b"\0" + content

    def _unpacked(self, kept: bytes) -> Any:
        kind, _, content = kept.partition(b"\0")
        return self.serde.loads_typed((kind.decode(), content))
