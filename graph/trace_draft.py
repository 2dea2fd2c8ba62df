"""A trace before anyone reads it: what a recall ended with."""

from dataclasses import dataclass
from functools import cached_property

from pydantic_core import to_json

from secondhop.graph.trace import RecallTrace
from secondhop.graph.trace_build import trace_values
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState


@dataclass(frozen=True, kw_only=True)
class TraceDraft:
    """A recall's last state; its trace is made of it when it is asked for or written, once.

    As models it costs ten times what it costs as plain values, and hardly any trace is read.
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
    def json(self) -> bytes:
        """As it is written."""
        return to_json(trace_values(self.state, services=self.services, ms=self.ms))

    @cached_property
    def trace(self) -> RecallTrace:
        """As it is read."""
        return RecallTrace.model_validate_json(self.json)
