"""secondhop: the memories a question needs, and never names.

>>> from secondhop import Recall                                     # doctest: +SKIP
>>> recall = Recall.open("store")                                    # doctest: +SKIP
>>> recall.recall("Help me prepare for my interview").memories       # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from secondhop.errors import SecondhopError
    from secondhop.graph.builder import build_recall_graph
    from secondhop.graph.result import RecalledMemory, RecallResult
    from secondhop.graph.session import build_session_graph
    from secondhop.graph.session_result import ResolvedSession, SessionAnswer
    from secondhop.graph.trace import RecallTrace
    from secondhop.nodes.learning_settings import LearningSettings
    from secondhop.nodes.session_settings import SessionSettings
    from secondhop.nodes.settings import RankingSettings, RecallLimits, RecallSettings
    from secondhop.recall import Recall
    from secondhop.sessions.session import RecallSession
    from secondhop.stores.records import Memory, Message

__all__ = [
    "LearningSettings",
    "Memory",
    "Message",
    "RankingSettings",
    "Recall",
    "RecallLimits",
    "RecallResult",
    "RecallSession",
    "RecallSettings",
    "RecallTrace",
    "RecalledMemory",
    "ResolvedSession",
    "SecondhopError",
    "SessionAnswer",
    "SessionSettings",
    "__version__",
    "build_recall_graph",
    "build_session_graph",
]

_HOMES = {
    "LearningSettings": "secondhop.nodes.learning_settings",
    "Memory": "secondhop.stores.records",
    "Message": "secondhop.stores.records",
    "RankingSettings": "secondhop.nodes.settings",
    "Recall": "secondhop.recall",
    "RecallLimits": "secondhop.nodes.settings",
    "RecallResult": "secondhop.graph.result",
    "RecallSession": "secondhop.sessions.session",
    "RecallSettings": "secondhop.nodes.settings",
    "RecallTrace": "secondhop.graph.trace",
    "RecalledMemory": "secondhop.graph.result",
    "ResolvedSession": "secondhop.graph.session_result",
    "SecondhopError": "secondhop.errors",
    "SessionAnswer": "secondhop.graph.session_result",
    "SessionSettings": "secondhop.nodes.session_settings",
    "build_recall_graph": "secondhop.graph.builder",
    "build_session_graph": "secondhop.graph.session",
}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: `import secondhop` stays quick."""
    if name == "__version__":
        return import_module("importlib.metadata").version("secondhop")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
