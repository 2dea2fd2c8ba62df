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
        ReadOnlyStoreError,
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
    "ReadOnlyStoreError",
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

_NAMES = {
    "secondhop.annotate.records": "AnnotateLedger",
    "secondhop.annotate.settings": "AnnotateSettings",
    "secondhop.briefing.briefing": "Briefing",
    "secondhop.errors": (
        "CorruptStoreError EmbedderMismatchError IngestError ModelError ModelUnavailableError "
        "NoRoundsLeftError NotShownError NotStoredError ReadOnlyStoreError RoundMovedOnError "
        "SchemaVersionError SecondhopError SessionAbandonedError SessionError SessionExpiredError "
        "SessionOverError SessionResolvedError StoreBusyError StoreError StoreFullError "
        "StoreUnavailableError UnfinishedForgettingError UnknownEntityError UnknownMemoryError "
        "UnknownSessionError UsageError VoteRefusedError"
    ),
    "secondhop.evals.setting_files": "load_config",
    "secondhop.graph.builder": "build_recall_graph",
    "secondhop.graph.explanation": "Explanation",
    "secondhop.graph.result": "RecallResult RecalledMemory",
    "secondhop.graph.session": "build_session_graph",
    "secondhop.graph.session_result": "ResolvedSession SessionAnswer",
    "secondhop.graph.trace": "RecallTrace",
    "secondhop.ingest.ledger": "IngestLedger",
    "secondhop.langgraph_store": "RecallStore",
    "secondhop.memories.delete_entity": "adelete_entity delete_entity",
    "secondhop.memories.records": "Fact Forgotten Kept MemoryHistory Preference",
    "secondhop.memories.reindex": "areindex reindex",
    "secondhop.nodes.config": (
        "BriefingSettings Config PlanningSettings RankingSettings RecallLimits SessionSettings "
        "TraceSettings"
    ),
    "secondhop.observe.records": "Observed",
    "secondhop.opening": "OpenOptions",
    "secondhop.recall": "Recall",
    "secondhop.recall_pool": "RecallPool",
    "secondhop.running": "RecallEvent",
    "secondhop.sessions.learner": "Resolution",
    "secondhop.sessions.session": "RecallSession",
    "secondhop.stores.records": "Memory Message",
    "secondhop.stores.where": "Where",
}
"""{module: the names that come from it}."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


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
