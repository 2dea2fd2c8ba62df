"""OpenTelemetry: what spans and metrics contain, and what they must not."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from secondhop import telemetry
from secondhop.models.llm import LLMError
from secondhop.telemetry import CAPTURE
from secondhop.testing import ScriptedModel, note, temporary_recall

TEXT = "Green tea steeps at seventy degrees."
QUESTION = "How long does green tea steep?"
JUDGED: dict[str, object] = {"votes": [{"id": "c1", "vote": "hot"}], "go_on": False}


class Watched:
    """A process with a TracerProvider and a MeterProvider."""

    def __init__(self) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracing = TracerProvider()
        self.tracing.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.metering = MeterProvider(metric_readers=[self.reader])

    def spans(self, kind: str) -> list[ReadableSpan]:
        """The finished spans of a kind."""
        return [one for one in self.exporter.get_finished_spans() if kind_of(one) == kind]

    def all_told(self) -> str:
        """Everything that was exported."""
        spans = [one.to_json() for one in self.exporter.get_finished_spans()]
        return "\n".join([*spans, json.dumps(self.metrics(), default=str)])

    def metrics(self) -> dict[str, Any]:
        """{name of a metric: its data points}."""
        read = self.reader.get_metrics_data()
        scopes = (
            [scope for one in read.resource_metrics for scope in one.scope_metrics] if read else []
        )
        return {one.name: list(one.data.data_points) for scope in scopes for one in scope.metrics}


def kind_of(span: ReadableSpan) -> object:
    """The span's kind in OpenInference's terms."""
    return values(span).get("openinference.span.kind")


def values(span: ReadableSpan) -> dict[str, Any]:
    """The attributes of a span."""
    return dict(span.attributes or {})


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    made = Watched()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", made.tracing)
    monkeypatch.setattr("opentelemetry.metrics._internal._METER_PROVIDER", made.metering)
    monkeypatch.delenv(CAPTURE, raising=False)
    yield made
    made.tracing.shutdown()
    made.metering.shutdown()


async def ask(model: ScriptedModel | None = None, **asked: Any) -> list[str]:
    """Ids of the answer of a recall."""
    async with temporary_recall([note("tea", TEXT)], llm=model, annotate=False) as recall:
        return (await recall.arecall(QUESTION, **asked)).ids()


def trace_of(span: ReadableSpan) -> int:
    """The id of the trace that the span belongs to."""
    assert span.context is not None
    return int(span.context.trace_id)


async def test_a_recall_is_one_trace_of_steps_searches_and_embeddings(watched: Watched) -> None:
    assert await ask() == ["tea"]

    (recall,) = [one for one in watched.spans("RETRIEVER") if one.name == "recall"]
    below = [
        one for one in watched.exporter.get_finished_spans() if trace_of(one) == trace_of(recall)
    ]
    names = {one.name for one in below}
    assert {"begin", "dispatch", "retrieve", "fuse", "pick", "resolve"} <= names
    assert {"retrieval passages", "retrieval words", "embeddings hashing-v1-256"} <= names
    assert values(recall)["retrieval.documents.0.document.id"] == "tea"
    assert values(recall)["retrieval.documents.0.document.score"] > 0
    assert values(recall)["secondhop.effort"] == "none"
    (embedding,) = [one for one in below if kind_of(one) == "EMBEDDING"]
    assert values(embedding)["gen_ai.operation.name"] == "embeddings"
    assert values(embedding)["embedding.model_name"] == "hashing-v1-256"


async def test_a_model_call_tells_what_it_took(watched: Watched) -> None:
    await ask(ScriptedModel(lambda _: JUDGED, model_id="openai:gpt-test"), effort="low")

    (call,) = watched.spans("LLM")
    assert call.name == "chat openai:gpt-test"
    assert values(call) | {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-test",
        "gen_ai.usage.input_tokens": 1_000,
        "gen_ai.usage.output_tokens": 100,
        "llm.token_count.total": 1_100,
    } == values(call)
    measured = watched.metrics()
    tokens = {
        point.attributes["gen_ai.token.type"]: point.sum
        for point in measured["gen_ai.client.token.usage"]
    }
    assert tokens == {"input": 1_000, "output": 100}
    operations = {
        point.attributes["gen_ai.operation.name"]
        for point in measured["gen_ai.client.operation.duration"]
    }
    assert operations == {"chat", "embeddings", "retrieval"}
    assert {point.attributes["secondhop.step"] for point in measured["secondhop.step.duration"]} > {
        "critique",
        "resolve",
    }


async def test_a_failed_call_names_its_error_without_words(watched: Watched) -> None:
    failing = LLMError("it said: the secret tea")
    await ask(ScriptedModel(lambda _: failing), effort="low")

    (call,) = watched.spans("LLM")
    assert values(call)["error.type"] == "LLMError"
    assert not call.status.is_ok
    assert "secret tea" not in watched.all_told()


async def test_no_text_leaves_unless_it_is_asked_for(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel(lambda _: JUDGED)
    await ask(model, effort="low")
    assert "seventy" not in watched.all_told()
    assert "steep" not in watched.all_told()

    monkeypatch.setenv(CAPTURE, "true")
    await ask(model, effort="low")
    (recall,) = [one for one in watched.spans("RETRIEVER") if "input.value" in values(one)]
    assert values(recall)["input.value"] == QUESTION
    assert TEXT in values(recall)["retrieval.documents.0.document.content"]
    call = values(watched.spans("LLM")[-1])
    assert TEXT in call["llm.input_messages.1.message.content"]
    assert "votes" in call["output.value"]


async def test_a_round_of_a_session_is_one_trace(watched: Watched) -> None:
    async with temporary_recall([note("tea", TEXT)]) as recall:
        await recall.sessions.astart(QUESTION)

    (first,) = [one for one in watched.spans("RETRIEVER") if one.name == "session round"]
    assert values(first)["retrieval.documents.0.document.id"] == "tea"
    steps = watched.spans("CHAIN")
    assert {trace_of(one) for one in steps} == {trace_of(first)}


async def test_without_a_provider_nothing_is_recorded() -> None:
    with telemetry.span_of("recall", "RETRIEVER") as span:
        span.found([("tea", 1.0)])

    assert span is telemetry.SILENT


IMPORTED = """
import sys
from secondhop import telemetry
telemetry.export_where_asked()
with telemetry.span_of("fuse", "CHAIN"):
    pass
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""


def test_without_an_endpoint_opentelemetry_is_not_imported() -> None:
    environment = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=True,
    )

    assert done.stdout.strip() == "[]"


def test_an_endpoint_of_the_usual_variables_sets_the_exporters() -> None:
    told = "from opentelemetry import metrics, trace; " + (
        "print(type(trace.get_tracer_provider()).__name__, "
        "trace.get_tracer_provider().resource.attributes['service.name'])"
    )
    program = f"from secondhop import telemetry; telemetry.export_where_asked(); {told}"
    environment = {
        "PYTHONPATH": ":".join(filter(None, sys.path)),
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=True,
    )

    assert done.stdout.split() == ["TracerProvider", "secondhop"]
