"""secondhop: recalls the memories a question needs, including those it never mentions.

>>> from secondhop import Recall                                     # doctest: +SKIP
>>> recall = Recall.open("store")                                    # doctest: +SKIP
>>> recall.recall("Help me prepare for my interview").memories       # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `X as X` tells type checkers and editors that X is public
    __version__: str
    from secondhop.annotate.records import AnnotateLedger as AnnotateLedger
    from secondhop.annotate.settings import AnnotateSettings as AnnotateSettings
    from secondhop.briefing.briefing import Briefing as Briefing
    from secondhop.errors import CorruptStoreError as CorruptStoreError
    from secondhop.errors import EmbedderMismatchError as EmbedderMismatchError
    from secondhop.errors import IngestError as IngestError
    from secondhop.errors import ModelError as ModelError
    from secondhop.errors import ModelUnavailableError as ModelUnavailableError
    from secondhop.errors import NoRoundsLeftError as NoRoundsLeftError
    from secondhop.errors import NotShownError as NotShownError
    from secondhop.errors import NotStoredError as NotStoredError
    from secondhop.errors import RoundMovedOnError as RoundMovedOnError
    from secondhop.errors import SchemaVersionError as SchemaVersionError
    from secondhop.errors import SecondhopError as SecondhopError
    from secondhop.errors import SessionAbandonedError as SessionAbandonedError
    from secondhop.errors import SessionError as SessionError
    from secondhop.errors import SessionExpiredError as SessionExpiredError
    from secondhop.errors import SessionOverError as SessionOverError
    from secondhop.errors import SessionResolvedError as SessionResolvedError
    from secondhop.errors import StoreBusyError as StoreBusyError
    from secondhop.errors import StoreError as StoreError
    from secondhop.errors import StoreFullError as StoreFullError
    from secondhop.errors import StoreUnavailableError as StoreUnavailableError
    from secondhop.errors import UnfinishedForgettingError as UnfinishedForgettingError
    from secondhop.errors import UnknownEntityError as UnknownEntityError
    from secondhop.errors import UnknownMemoryError as UnknownMemoryError
    from secondhop.errors import UnknownSessionError as UnknownSessionError
    from secondhop.errors import UsageError as UsageError
    from secondhop.errors import VoteRefusedError as VoteRefusedError
    from secondhop.evals.setting_files import load_config as load_config
    from secondhop.graph.builder import build_recall_graph as build_recall_graph
    from secondhop.graph.explanation import Explanation as Explanation
    from secondhop.graph.result import RecalledMemory as RecalledMemory
    from secondhop.graph.result import RecallResult as RecallResult
    from secondhop.graph.session import build_session_graph as build_session_graph
    from secondhop.graph.session_result import ResolvedSession as ResolvedSession
    from secondhop.graph.session_result import SessionAnswer as SessionAnswer
    from secondhop.graph.trace import RecallTrace as RecallTrace
    from secondhop.ingest.ledger import IngestLedger as IngestLedger
    from secondhop.langgraph_store import RecallStore as RecallStore
    from secondhop.memories.delete_entity import adelete_entity as adelete_entity
    from secondhop.memories.delete_entity import delete_entity as delete_entity
    from secondhop.memories.records import Fact as Fact
    from secondhop.memories.records import Forgotten as Forgotten
    from secondhop.memories.records import Kept as Kept
    from secondhop.memories.records import MemoryHistory as MemoryHistory
    from secondhop.memories.records import Preference as Preference
    from secondhop.memories.reindex import areindex as areindex
    from secondhop.memories.reindex import reindex as reindex
    from secondhop.nodes.config import BriefingSettings as BriefingSettings
    from secondhop.nodes.config import Config as Config
    from secondhop.nodes.config import PlanningSettings as PlanningSettings
    from secondhop.nodes.config import RankingSettings as RankingSettings
    from secondhop.nodes.config import RecallLimits as RecallLimits
    from secondhop.nodes.config import SessionSettings as SessionSettings
    from secondhop.nodes.config import TraceSettings as TraceSettings
    from secondhop.observe.records import Observed as Observed
    from secondhop.opening import OpenOptions as OpenOptions
    from secondhop.recall import Recall as Recall
    from secondhop.recall_pool import RecallPool as RecallPool
    from secondhop.running import RecallEvent as RecallEvent
    from secondhop.sessions.learner import Resolution as Resolution
    from secondhop.sessions.session import RecallSession as RecallSession
    from secondhop.stores.records import Memory as Memory
    from secondhop.stores.records import Message as Message
    from secondhop.stores.where import Where as Where

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

if not TYPE_CHECKING:  # type checkers cannot read a computed list
    __all__ = ["__version__", *_MODULES]  # noqa: PLE0604


def __dir__() -> list[str]:
    """The module's own names, and the public ones, most of which are not imported yet."""
    return sorted({*globals(), "__version__", *_MODULES})


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
