"""The memories of an entity at a time that a test chooses."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from secondhop.memories.service import MemoryService
from secondhop.memories.writing import MemoryWriting
from secondhop.models.embedder import Embedder
from secondhop.nodes.config import BriefingSettings
from secondhop.observe.service import ConversationReading
from secondhop.stores.counters import CounterStore
from secondhop.stores.entity_store import EntityStore
from secondhop.sync import BackgroundLoop
from secondhop.traces import TraceFolder


def memories_of(
    store: EntityStore, embedder: Embedder, *, folder: Path, clock: Callable[[], datetime]
) -> MemoryService:
    """A memory service with counters and traces in the folder."""
    writing = MemoryWriting(
        store=store,
        embedder=embedder,
        counters=CounterStore(folder / "counters.db"),
        clock=clock,
    )
    traces = TraceFolder(folder / "traces")
    reading = ConversationReading(writing=writing, llm=None, prompts=None, prices={})
    return MemoryService(
        writing,
        traces=traces,
        reading=lambda: reading,
        cues=never_needed,
        briefing=BriefingSettings(),
        loop=BackgroundLoop(),
    )


def never_needed() -> NoReturn:
    """Stands for services that these tests must not use."""
    raise AssertionError
