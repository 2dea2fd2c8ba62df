"""secondhop: recalls the memories a question needs, including those it never mentions.

>>> from secondhop import Recall                                     # doctest: +SKIP
>>> recall = Recall.open("store")                                    # doctest: +SKIP
>>> recall.recall("Help me prepare for my interview").memories       # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from secondhop.annotate.records import AnnotateLedger
    from secondhop.annotate.settings import AnnotateSettings
    from secondhop.briefing.briefing import Briefing
    from secondhop.errors import (
        CorruptStoreError,
        EmbedderMismatchError,
        IngestError,
        ModelError,
        ModelUnavailableError,
        NoRoundsLeftError,
        NotShownError,
        NotStoredError,
        RoundMovedOnError,
        SchemaVersionError,
        SecondhopError,
        SessionAbandonedError,
        SessionError,
        SessionExpiredError,
        SessionOverError,
        SessionResolvedError,
        StoreBusyError,
        StoreError,
        StoreFullError,
        StoreUnavailableError,
        UnfinishedForgettingError,
        UnknownEntityError,
        UnknownMemoryError,
        UnknownSessionError,
        UsageError,
        VoteRefusedError,
    )
    from secondhop.evals.setting_files import load_config
    from secondhop.graph.builder import build_recall_graph
    from secondhop.graph.explanation import Explanation
    from secondhop.graph.result import RecalledMemory, RecallResult
    from secondhop.graph.session import build_session_graph
    from secondhop.graph.session_result import ResolvedSession, SessionAnswer
    from secondhop.graph.trace import RecallTrace
    from secondhop.ingest.ledger import IngestLedger
    from secondhop.langgraph_store import RecallStore
    from secondhop.memories.delete_entity import adelete_entity, delete_entity
    from secondhop.memories.records import Fact, Forgotten, Kept, MemoryHistory, Preference
    from secondhop.memories.reindex import areindex, reindex
    from secondhop.nodes.config import (
        BriefingSettings,
        Config,
        PlanningSettings,
        RankingSettings,
        RecallLimits,
        SessionSettings,
        TraceSettings,
    )
    from secondhop.observe.records import Observed
    from secondhop.opening import OpenOptions
    from secondhop.recall import Recall
    from secondhop.recall_pool import RecallPool
    from secondhop.running import RecallEvent
    from secondhop.sessions.learner import Resolution
    from secondhop.sessions.session import RecallSession
    from secondhop.stores.records import Memory, Message
    from secondhop.stores.where import Where

__all__ = [
    "AnnotateLedger",
    "AnnotateSettings",
    "Briefing",
    "BriefingSettings",
    "Config",
    "CorruptStoreError",
    "EmbedderMismatchError",
    "Explanation",
    "Fact",
    "Forgotten",
    "IngestError",
    "IngestLedger",
    "Kept",
    "Memory",
    "MemoryHistory",
    "Message",
    "ModelError",
    "ModelUnavailableError",
    "NoRoundsLeftError",
    "NotShownError",
    "NotStoredError",
    "Observed",
    "OpenOptions",
    "PlanningSettings",
    "Preference",
    "RankingSettings",
    "Recall",
    "RecallEvent",
    "RecallLimits",
    "RecallPool",
    "RecallResult",
    "RecallSession",
    "RecallStore",
    "RecallTrace",
    "RecalledMemory",
    "Resolution",
    "ResolvedSession",
    "RoundMovedOnError",
    "SchemaVersionError",
    "SecondhopError",
    "SessionAbandonedError",
    "SessionAnswer",
    "SessionError",
    "SessionExpiredError",
    "SessionOverError",
    "SessionResolvedError",
    "SessionSettings",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "StoreUnavailableError",
    "TraceSettings",
    "UnfinishedForgettingError",
    "UnknownEntityError",
    "UnknownMemoryError",
    "UnknownSessionError",
    "UsageError",
    "VoteRefusedError",
    "Where",
    "__version__",
    "adelete_entity",
    "areindex",
    "build_recall_graph",
    "build_session_graph",
    "delete_entity",
    "load_config",
    "reindex",
]

_MODULES = {
    "AnnotateLedger": "secondhop.annotate.records",
    "AnnotateSettings": "secondhop.annotate.settings",
    "Briefing": "secondhop.briefing.briefing",
    "BriefingSettings": "secondhop.nodes.config",
    "Config": "secondhop.nodes.config",
    "CorruptStoreError": "secondhop.errors",
    "EmbedderMismatchError": "secondhop.errors",
    "Explanation": "secondhop.graph.explanation",
    "Fact": "secondhop.memories.records",
    "Forgotten": "secondhop.memories.records",
    "IngestError": "secondhop.errors",
    "IngestLedger": "secondhop.ingest.ledger",
    "Kept": "secondhop.memories.records",
    "Memory": "secondhop.stores.records",
    "MemoryHistory": "secondhop.memories.records",
    "Message": "secondhop.stores.records",
    "ModelError": "secondhop.errors",
    "ModelUnavailableError": "secondhop.errors",
    "NoRoundsLeftError": "secondhop.errors",
    "NotShownError": "secondhop.errors",
    "NotStoredError": "secondhop.errors",
    "Observed": "secondhop.observe.records",
    "OpenOptions": "secondhop.opening",
    "PlanningSettings": "secondhop.nodes.config",
    "Preference": "secondhop.memories.records",
    "RankingSettings": "secondhop.nodes.config",
    "Recall": "secondhop.recall",
    "RecallEvent": "secondhop.running",
    "RecallLimits": "secondhop.nodes.config",
    "RecallPool": "secondhop.recall_pool",
    "RecallResult": "secondhop.graph.result",
    "RecallSession": "secondhop.sessions.session",
    "RecallStore": "secondhop.langgraph_store",
    "RecallTrace": "secondhop.graph.trace",
    "RecalledMemory": "secondhop.graph.result",
    "Resolution": "secondhop.sessions.learner",
    "ResolvedSession": "secondhop.graph.session_result",
    "RoundMovedOnError": "secondhop.errors",
    "SchemaVersionError": "secondhop.errors",
    "SecondhopError": "secondhop.errors",
    "SessionAbandonedError": "secondhop.errors",
    "SessionAnswer": "secondhop.graph.session_result",
    "SessionError": "secondhop.errors",
    "SessionExpiredError": "secondhop.errors",
    "SessionOverError": "secondhop.errors",
    "SessionResolvedError": "secondhop.errors",
    "SessionSettings": "secondhop.nodes.config",
    "StoreBusyError": "secondhop.errors",
    "StoreError": "secondhop.errors",
    "StoreFullError": "secondhop.errors",
    "StoreUnavailableError": "secondhop.errors",
    "TraceSettings": "secondhop.nodes.config",
    "UnfinishedForgettingError": "secondhop.errors",
    "UnknownEntityError": "secondhop.errors",
    "UnknownMemoryError": "secondhop.errors",
    "UnknownSessionError": "secondhop.errors",
    "UsageError": "secondhop.errors",
    "VoteRefusedError": "secondhop.errors",
    "Where": "secondhop.stores.where",
    "adelete_entity": "secondhop.memories.delete_entity",
    "areindex": "secondhop.memories.reindex",
    "build_recall_graph": "secondhop.graph.builder",
    "build_session_graph": "secondhop.graph.session",
    "delete_entity": "secondhop.memories.delete_entity",
    "load_config": "secondhop.evals.setting_files",
    "reindex": "secondhop.memories.reindex",
}


def __dir__() -> list[str]:
    """The module's own names, and those of `__all__`, most of which are not imported yet."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    """Import a name when it is first used, so that `import secondhop` stays quick."""
    if name == "__version__":
        return import_module("importlib.metadata").version("secondhop")
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    if name == "RecallSettings":  # its name in version 0.1; it goes in 0.3
        import_module("warnings").warn(
            "secondhop.RecallSettings is deprecated; use secondhop.Config",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(import_module(_MODULES["Config"]), "Config")  # noqa: B009
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
