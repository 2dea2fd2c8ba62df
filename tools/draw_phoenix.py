"""Draws docs/telemetry.md's picture of a recall in Phoenix; fails if a span is missing.

    .ci/check-phoenix .venv/bin/python docs/images/phoenix.png     # installs Phoenix, too

The spans include texts, because they belong to an example. The model is scripted.
"""

import asyncio
import os
import sys
from pathlib import Path
from shutil import which

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from playwright.sync_api import FloatRect, expect, sync_playwright

from secondhop.evals.scenario import load_scenario
from secondhop.evals.shipped import shipped_scenario
from secondhop.telemetry import CAPTURE
from secondhop.testing import ScriptedModel, temporary_recall

QUESTION = "Help me prepare for my Carefeed interview"
VOTES: dict[str, object] = {"votes": [{"id": "c1", "vote": "hot"}], "go_on": False}
SPANS = (
    *("begin", "dispatch", "retrieve", "retrieval words", "retrieval passages", "retrieval cues"),
    *("fuse", "diversify", "critique", "chat scripted", "pick", "resolve"),
)
TRACE: FloatRect = {"x": 402, "y": 158, "width": 1198, "height": 742}
"""The part of a window of 1600 by 900 that shows the steps and the memories returned."""


async def recall_once() -> None:
    """Recall once from the example scenario."""
    scenario = load_scenario(shipped_scenario("carefeed"))
    async with temporary_recall(
        scenario.memories,
        llm=ScriptedModel(lambda _: VOTES, model_id="scripted"),
        embedder="default",
        annotate=False,
    ) as recall:
        asked_at = scenario.questions[0].asked_at
        await recall.arecall(QUESTION, k=6, effort="low", at=asked_at)


def send(url: str) -> None:
    """Send the spans of one recall to Phoenix."""
    os.environ[CAPTURE] = "true"
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces")))
    trace.set_tracer_provider(provider)
    asyncio.run(recall_once())
    provider.shutdown()


def draw(url: str, picture: Path) -> None:
    """Open the recall in Phoenix, check for every span, and take the picture."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1600, "height": 900})
        page.set_default_timeout(60_000)
        page.goto(url)
        page.get_by_text("default", exact=True).first.click()
        page.get_by_text("recall", exact=True).first.click()
        for name in SPANS:
            expect(page.get_by_text(name, exact=True).first).to_be_attached(timeout=60_000)
        found = page.get_by_role("tabpanel", name="Info")
        expect(found).to_contain_text(QUESTION)
        expect(found).to_contain_text("score 0.")
        page.mouse.move(1000, 10)  # so that nothing is hovered over
        page.wait_for_timeout(1000)  # until animations end
        page.screenshot(path=picture, clip=TRACE)
        browser.close()


if __name__ == "__main__":
    send(sys.argv[1])
    draw(sys.argv[1], Path(sys.argv[2]))
