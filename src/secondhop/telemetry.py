"""OpenTelemetry spans and metrics, by the `gen_ai` and OpenInference conventions.

Telemetry is off unless the process has a TracerProvider: the host's own, or the one that
`export_where_asked` sets. While it is off, OpenTelemetry is not imported. Spans hold texts only if
the variable OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is true.
"""

import os
import sys
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from secondhop.errors import ModelError, UsageError

if TYPE_CHECKING:
    from opentelemetry import trace

    from secondhop.graph.result import RecallResult
    from secondhop.models.llm import ChatMessage, Usage
    from secondhop.stores.cues import CueHit
    from secondhop.stores.records import PassageHit

SpanKind: TypeAlias = Literal["CHAIN", "EMBEDDING", "LLM", "RETRIEVER"]
"""Span kinds of OpenInference."""
Hit: TypeAlias = "PassageHit | CueHit"
Values: TypeAlias = Mapping[str, str | int | float]

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""OpenTelemetry's own variable that allows texts in spans."""
TOLD = ("trace_id", "effort", "rounds", "stop_reason")
"""Fields of a result that go into its span."""
DOCUMENTS = 20
"""The most documents that a span lists; OpenTelemetry keeps 128 values per span."""


RECALLS, STEPS = "secondhop.recall.duration", "secondhop.step.duration"
"""Metrics: the time of a recall or of a session's round, and the time of each step in it."""


class Span:
    """A piece of work being measured; its methods do nothing while telemetry is off."""

    def __init__(self, span: "trace.Span | None" = None) -> None:
        self._span = span
        self.measured: dict[str, int] = {}
        """{token type: tokens used}."""

    @property
    def takes_texts(self) -> bool:
        """Whether the span may hold the texts of questions, prompts and memories."""
        return self._span is not None and os.environ.get(CAPTURE, "").lower() == "true"

    def note(self, values: Values) -> None:
        """Add values to the span."""
        if self._span is not None:
            self._span.set_attributes(values)

    def found(self, documents: Iterable[tuple[str, float]]) -> None:
        """Note the documents found, as (id, score), best first."""
        if self._span is not None:
            for place, (found_id, score) in enumerate([*documents][:DOCUMENTS]):
                document = f"retrieval.documents.{place}.document"
                self.note({f"{document}.id": found_id, f"{document}.score": score})

    def found_by_queries(self, rankings: Sequence[Sequence[Hit]]) -> None:
        """Note the documents found for several queries, each once with its best score."""
        if self._span is not None:
            hits = sorted(chain.from_iterable(rankings), key=lambda hit: hit.score)
            best = {hit[0]: hit.score for hit in hits}
            self.found(reversed(best.items()))

    def answered(self, result: "RecallResult") -> None:
        """Note what a recall returned."""
        if self._span is None:
            return
        self.found((memory.id, memory.score) for memory in result.memories)
        self.note({f"secondhop.{name}": getattr(result, name) for name in TOLD})
        if self.takes_texts:
            texts = [
                memory.evidence[0].text if memory.evidence else "" for memory in result.memories
            ]
            told = {
                f"retrieval.documents.{i}.document.content": text for i, text in enumerate(texts)
            }
            self.note({"input.value": result.question, **told})

    def used(self, usage: "Usage | None") -> None:
        """Note the tokens that a language model used."""
        if usage is None:
            return
        self.measured = {"input": usage.prompt_tokens, "output": usage.completion_tokens}
        self.note(
            {
                "gen_ai.usage.input_tokens": usage.prompt_tokens,
                "gen_ai.usage.output_tokens": usage.completion_tokens,
                "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
                "llm.token_count.prompt": usage.prompt_tokens,
                "llm.token_count.completion": usage.completion_tokens,
                "llm.token_count.total": usage.tokens,
                "llm.token_count.prompt_details.cache_read": usage.cached_tokens,
                "secondhop.requests": usage.calls,
            }
        )


SILENT = Span()


@contextmanager
def search_span(name: str, queries: int) -> Generator[Span]:
    """A span for one search of a store."""
    values = {"gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": name}
    with span_of(f"retrieval {name}", "RETRIEVER", values) as span:
        span.note({"secondhop.queries": queries})
        yield span


@contextmanager
def embedding_span(model_id: str, texts: Sequence[str]) -> Generator[Span]:
    """A span for the texts that a model embeds because no cache holds them."""
    values = {"gen_ai.operation.name": "embeddings", **named(model_id)}
    with span_of(f"embeddings {model_id}", "EMBEDDING", values) as span:
        span.note({"embedding.model_name": model_id, "secondhop.texts": len(texts)})
        if span.takes_texts:
            shown = enumerate(texts[:DOCUMENTS])
            span.note({f"embedding.embeddings.{i}.embedding.text": text for i, text in shown})
        yield span


@contextmanager
def model_span(
    model_id: str, messages: Sequence["ChatMessage"], *, max_tokens: int
) -> Generator[Span]:
    """A span for one answer of a language model, with all requests that it takes."""
    values = {"gen_ai.operation.name": "chat", **named(model_id)}
    with span_of(f"chat {model_id}", "LLM", values) as span:
        span.note({"llm.model_name": model_id, "gen_ai.request.max_tokens": max_tokens})
        if span.takes_texts:
            for place, message in enumerate(messages):
                told = f"llm.input_messages.{place}.message"
                span.note({f"{told}.role": message["role"], f"{told}.content": message["content"]})
        try:
            yield span
        except ModelError as error:
            span.used(getattr(error, "usage", None))
            raise


def named(model_id: str) -> dict[str, str]:
    """Provider and model of an id like "openai:gpt-4.1-mini"; without ":", we are the provider."""
    provider, _, model = model_id.rpartition(":")
    return {"gen_ai.provider.name": provider or "secondhop", "gen_ai.request.model": model}


@contextmanager
def span_of(
    name: str,
    kind: SpanKind,
    values: Mapping[str, str] | None = None,
    *,
    metric: str = "gen_ai.client.operation.duration",
) -> Generator[Span]:
    """A span below the current one; its seconds are recorded under `metric`.

    An error is recorded by its class name only, because its message may quote a memory.
    """
    api = sys.modules.get("opentelemetry.trace")
    provider = api and api.get_tracer_provider()
    if api is None or isinstance(provider, api.ProxyTracerProvider):  # the process has set none
        yield SILENT
        return
    instruments = _made(provider)
    measured, began = dict(values or {}), time.perf_counter()
    with instruments.tracer.start_as_current_span(
        name, attributes=measured, record_exception=False, set_status_on_exception=False
    ) as current:
        current.set_attribute("openinference.span.kind", kind)
        span = Span(current)
        try:
            yield span
        except BaseException as error:
            measured["error.type"] = type(error).__name__
            current.set_attribute("error.type", measured["error.type"])
            current.set_status(instruments.failed)
            raise
        finally:
            instruments.histograms[metric].record(time.perf_counter() - began, measured)
            for token_type, count in span.measured.items():
                labels = {**measured, "gen_ai.token.type": token_type}
                instruments.histograms["gen_ai.client.token.usage"].record(count, labels)


@dataclass(frozen=True, slots=True)
class Instruments:
    """The OpenTelemetry objects that make spans and metrics."""

    tracer: "trace.Tracer"
    failed: Any
    """The status of work that failed."""
    histograms: Mapping[str, Any]
    """{name of a metric: what records its values}."""


@lru_cache(maxsize=1)
def _made(provider: "trace.TracerProvider") -> Instruments:
    from opentelemetry import metrics, trace

    meter = metrics.get_meter("secondhop")
    units = {
        "gen_ai.client.operation.duration": "s",
        "gen_ai.client.token.usage": "{token}",
        RECALLS: "s",
        STEPS: "s",
    }
    histograms = {name: meter.create_histogram(name, unit) for name, unit in units.items()}
    failed = trace.Status(trace.StatusCode.ERROR)
    return Instruments(provider.get_tracer("secondhop"), failed, histograms)


def export_where_asked() -> None:
    """Export to the endpoint that the usual OTEL_ variables name; without one, do nothing. Raises
    UsageError if the extra `secondhop[telemetry]` is not installed."""
    traces, values = is_wanted("TRACES"), is_wanted("METRICS")
    if not traces and not values:
        return
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    exporters = f"opentelemetry.exporter.otlp.proto.{protocol.partition('/')[0]}"
    try:
        from opentelemetry import metrics, trace
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        span_exporter = import_module(f"{exporters}.trace_exporter").OTLPSpanExporter
        metric_exporter = import_module(f"{exporters}.metric_exporter").OTLPMetricExporter
    except ImportError as error:
        raise UsageError(
            "an OTEL_EXPORTER_OTLP endpoint is set, but its exporter is not installed: "
            "pip install 'secondhop[telemetry]'"
        ) from error
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME") or "secondhop"})
    tracing = TracerProvider(resource=resource)
    if traces:
        tracing.add_span_processor(BatchSpanProcessor(span_exporter()))
    trace.set_tracer_provider(tracing)
    if values:
        readers = [PeriodicExportingMetricReader(metric_exporter())]
        metrics.set_meter_provider(MeterProvider(metric_readers=readers, resource=resource))


def is_wanted(signal: str) -> bool:
    """Whether the environment names an endpoint for the signal TRACES or METRICS."""
    told = os.environ.get
    if told("OTEL_SDK_DISABLED", "").lower() == "true" or told(f"OTEL_{signal}_EXPORTER") == "none":
        return False
    return bool(
        told("OTEL_EXPORTER_OTLP_ENDPOINT") or told(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT")
    )
