"""A trace before anybody reads it: plain values, to be written as they are."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from secondhop.graph.trace import RecallTrace
from secondhop.graph.trace_build import build_trace, trace_values
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState

_VALUES = TypeAdapter(dict[str, Any])


@dataclass(frozen=True, kw_only=True)
class TraceDraft:
    """What a recall's last state tells, as JSON or as a `RecallTrace`, worked out when asked for.

    A trace holds thousands of entries. As models they cost ten times what they cost as plain
    values, most of it in Python's garbage collector; and hardly any trace is read.
    """

    state: RecallState
    services: Services
    ms: float
    """Wall time of the recall."""

    @property
    def trace_id(self) -> str:
        """Names the recall."""
        return self.state["trace_id"]

    @cached_property
    def trace(self) -> RecallTrace:
        """The trace to read."""
        return build_trace(self.state, services=self.services, ms=self.ms)

    def json(self) -> bytes:
        """What `RecallTrace.model_dump_json` would write."""
        return _VALUES.dump_json(trace_values(self.state, services=self.services, ms=self.ms))
