"""What an open `Recall` hands its calls to, put together over one store."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from secondhop.annotate.service import BackgroundAnnotating
from secondhop.briefing.service import Briefings
from secondhop.graph.compiled import CompiledGraphs
from secondhop.ingesting import Ingesting
from secondhop.learning.service import Learning
from secondhop.memories.cues import Cues
from secondhop.memories.maintenance import Maintenance
from secondhop.memories.service import MemoryService
from secondhop.memories.writing import MemoryWriting
from secondhop.opening import Parts
from secondhop.running import Answering
from secondhop.sessions.rounds import SessionRounds
from secondhop.sessions.service import Sessions
from secondhop.sync import BackgroundLoop
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from secondhop.observe.service import ConversationReading


@dataclass(frozen=True, slots=True, kw_only=True)
class Interfaces:
    """One of each."""

    graphs: CompiledGraphs
    traces: TraceFolder
    answering: Answering
    learning: Learning
    sessions: Sessions
    memories: MemoryService
    cues: Cues
    admin: Maintenance
    briefings: Briefings
    ingesting: Ingesting
    background: BackgroundAnnotating


def interfaces_over(
    parts: Parts, *, checkpointer: "BaseCheckpointSaver[str] | None", loop: BackgroundLoop
) -> Interfaces:
    """The interfaces of an open memory; `loop` runs their calls without an event loop."""
    services = parts.services
    graphs = CompiledGraphs(services, checkpointer)
    kept = services.settings.traces
    files = parts.home.place.traces(services.entity)
    traces = TraceFolder(files, entity=services.entity, settings=kept)
    answering = Answering(parts.store, services, graphs, traces=traces, name=parts.home.name)
    learning = Learning(parts.learned, services, counters=parts.counters, loop=loop)
    sessions = Sessions(
        SessionRounds(services),
        parts.sessions,
        entity=services.entity,
        ready=answering.ready,
        learner=learning,
        loop=loop,
    )
    writing = MemoryWriting(
        store=parts.store,
        embedder=parts.embedders.entity,
        counters=parts.counters,
        forgetting=[learning, sessions],
        clock=services.clock,
    )
    background = BackgroundAnnotating(parts.annotating)
    if parts.annotating.settings.by_itself:
        parts.store.after_put = background.wrote
    return Interfaces(
        graphs=graphs,
        traces=traces,
        answering=answering,
        learning=learning,
        sessions=sessions,
        memories=MemoryService(
            writing,
            traces=traces,
            caches=[parts.embedders.entity],
            reading=partial(reading_of, parts, writing),
            loop=loop,
        ),
        cues=Cues(writing, loop=loop),
        admin=Maintenance(
            writing,
            home=parts.home,
            learned=parts.learned,
            services=services,
            loop=loop,
        ),
        briefings=Briefings(services=services, writing=writing, learning=learning),
        ingesting=Ingesting(parts, leaving=writing.unlearn),
        background=background,
    )


def reading_of(parts: Parts, writing: MemoryWriting) -> "ConversationReading":
    """What observes conversations, imported when the first one comes."""
    from secondhop.observe.service import ConversationReading

    return ConversationReading(
        writing=writing,
        llm=parts.llm,
        prompts=parts.prompts,
        prices=parts.prices,
        limits=parts.services.settings.limits,
    )
