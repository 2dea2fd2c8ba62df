"""Metrics for Prometheus at /metrics: counts and times, without names or text."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from secondhop.graph.result import RecallResult
from secondhop.running import RecallEvent

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        self._registry = own = CollectorRegistry()
        self.requests = Counter(
            "secondhop_http_requests", "Requests.", ["method", "route", "status"], registry=own
        )
        self.request_s = Histogram(
            "secondhop_http_request_seconds",
            "Time to the last byte of an answer.",
            ["method", "route"],
            buckets=SECONDS,
            registry=own,
        )
        self.at_work = Gauge("secondhop_http_requests_at_work", "Requests at work.", registry=own)
        self.open_entities = Gauge(
            "secondhop_open_entities", "Entities whose memory is open.", registry=own
        )
        self._recalls = Counter(
            "secondhop_recalls", "Recalls that ended.", ["stop_reason"], registry=own
        )
        self._recall_s = Histogram(
            "secondhop_recall_seconds", "Time of a recall.", buckets=SECONDS, registry=own
        )
        self._step_s = Histogram(
            "secondhop_step_seconds",
            "Time of a step of a recall.",
            ["node"],
            buckets=SECONDS,
            registry=own,
        )
        self._tokens = Counter(
            "secondhop_llm_tokens", "Tokens of language models.", ["kind"], registry=own
        )

    def step(self, event: RecallEvent) -> None:
        """Record the step that ended, or with the last event the whole recall."""
        if event.result is not None:
            self._recalled(event.result)
        else:
            self._step_s.labels(event.node).observe(event.ms / 1000)

    def _recalled(self, result: RecallResult) -> None:
        self._recalls.labels(result.stop_reason).inc()
        self._recall_s.observe(result.spent.ms / 1000)
        self._tokens.labels("prompt").inc(result.spent.prompt_tokens)
        self._tokens.labels("completion").inc(result.spent.completion_tokens)

    def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        return generate_latest(self._registry)
