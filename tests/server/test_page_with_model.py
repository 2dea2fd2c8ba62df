"""The page over a server with a (scripted) model: efforts, prompts, and what a card says."""

import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.cli.model_server import ModelServer, expanded, facet, model_server
from tests.cli.prompt_lab import BETTER, variant_of
from tests.mcp.mcp_world import MARA
from tests.server.browser import TIMEOUT_MS, chromium, new_page
from tests.server.served_world import QUESTION, Running, new_store, serving

from secondhop.memories.records import Fact, Preference
from secondhop.recall import Recall

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of Mara's memories with a fact, a preference and a changed memory."""
    store = tmp_path_factory.mktemp("template") / "store"
    new_store(store)
    with Recall.open(store, entity=MARA, embedder="hashing") as recall:
        recall.memories.remember(Fact(subject="landlord", attribute="name", value="Mr Reyes"))
        recall.memories.remember(Preference(topic="length of answers", text="Short answers."))
        recall.memories.remember("The spare key is with Ines.", memory_id="key", title="Spare key")
        recall.memories.update("key", salience=0.9)
    return store


@pytest.fixture(scope="module")
def browser(template: Path) -> Iterator[Browser]:  # made after the store: it runs an event loop
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with model_server() as one:
        one.replies |= {"CritiqueReply": judged, "ExpandWithKept": expanded_beside_facts}
        yield one


def judged(_system: str, user: str) -> object:
    """A critic's reply: hot for Mara's own plan and résumé."""
    shown = re.findall(r"<memory (\w+)>(.*?)</memory", user, re.S)
    hot = [one for one, text in shown if "My plan" in text or "Résumé" in text]
    votes: list[dict[str, object]] = [{"id": one, "vote": "hot", "facets": []} for one in hot]
    return {"votes": votes, "new_queries": [], "go_on": False}


def expanded_beside_facts(system: str, user: str) -> object:
    """A planner's reply that asks for nothing by name."""
    return {**expanded(system, user), "facts": [], "preferences": []}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, model: ModelServer) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", model.server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def store(template: Path, tmp_path: Path) -> Path:
    """A copy of the store for one test."""
    return Path(shutil.copytree(template, tmp_path / "store"))


def opened(browser_page: Page, running: Running) -> Page:
    browser_page.goto(f"{running.url}/#entity={MARA}&token=")
    return browser_page


def begin(page: Page, *, effort: str) -> None:
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.get_by_label("Effort", exact=True).select_option(effort)
    page.get_by_role("button", name="Ask", exact=True).click()


def ask(page: Page, *, effort: str) -> None:
    begin(page, effort=effort)
    expect(page.locator(".drawing")).to_be_visible(timeout=TIMEOUT_MS)  # the first loads a client
    page.locator(".flow summary").first.click()


def test_an_effort_lights_its_steps_and_cards_say_what_brought_them(
    store: Path, browser: Browser, model: ModelServer
) -> None:
    with serving(store, llm=model.spec) as running, new_page(browser) as blank:
        page = opened(blank, running)
        ask(page, effort="high")

        for node in ("expand", "retrieve", "critique", "pick"):
            expect(page.locator(f'.node.lit[data-node="{node}"]')).to_be_visible()
        plan = page.locator('article[data-memory="plan"]')
        expect(plan.locator(".facts")).to_contain_text("date")
        expect(plan.locator(".facts")).to_contain_text("own plan (implied by the question)")
        expect(plan.locator("blockquote").first).to_contain_text("My plan for the first year")
        expect(plan).to_contain_text("The critic voted hot.")
        expect(page.locator(".flow")).to_contain_text("stopped: the critic is satisfied")
        page.get_by_role("link", name="Recalls").click()
        page.locator(".recalls .link").first.click()
        expect(page.get_by_text("asked for 6 memories · effort high")).to_be_visible()
        expect(plan).to_contain_text("The critic voted hot.")
        page.get_by_role("link", name="Ask").click()
        plan.locator(".vote.hot").click()
        page.get_by_role("button", name="Next round").click()
        expect(page.get_by_role("heading", name="Round 2")).to_be_visible()
        expect(plan.locator(".came")).to_have_text(
            ["You voted hot in round 1.", "The critic voted hot."]
        )
        page.get_by_role("link", name="Recalls").click()
        expect(page.locator(".recalls li").first).to_contain_text(
            "round 2 of a session, after 1 hot"
        )
        page.get_by_role("link", name="Ask").click()
        page.get_by_label("include memories that were not returned").check()
        box = page.locator(".box.memory").first
        box.hover()
        expect(page.locator(".box.dim").first).to_be_attached()
        box.click()
        expect(page.locator("article.chosen .story")).to_be_visible()
        page.get_by_label("Effort", exact=True).select_option("none")
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator('.node.lit[data-node="critique"]')).to_have_count(0)
        page.locator(".flow:not(:has(details[open])) summary").first.click()
        expect(page.locator('.node.lit[data-node="pick"]')).to_be_visible()


def test_nodes_light_up_while_the_recall_runs(
    store: Path, browser: Browser, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    voted = threading.Event()

    def judged_later(system: str, user: str) -> object:
        assert voted.wait(30)
        return judged(system, user)

    monkeypatch.setitem(model.replies, "CritiqueReply", judged_later)
    with serving(store, llm=model.spec) as running, new_page(browser) as blank:
        blank.set_viewport_size({"width": 390, "height": 844})
        page = opened(blank, running)
        page.get_by_text("More", exact=True).click()
        begin(page, effort="high")

        expect(page.locator('.node.lit[data-node="diversify"]')).to_be_in_viewport()
        reads = re.compile(r"^The model reads \d+ memories · \d+ s$")
        expect(page.locator(".waiting")).to_have_text(reads)
        expect(page.locator('.node.lit[data-node="critique"]')).to_have_count(0)
        expect(page.locator(".answer")).to_have_count(0)
        voted.set()
        expect(page.locator(".answer article").first).to_be_visible()
        expect(page.locator('.node.lit[data-node="critique"]')).to_have_count(1)
        expect(page.locator(".waiting")).to_have_count(0)


def test_compare_shows_what_is_ready_while_the_other_side_waits_for_the_model(
    store: Path, browser: Browser, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = threading.Event()

    def expanded_later(system: str, user: str) -> object:
        assert planned.wait(30)
        return expanded_beside_facts(system, user)

    monkeypatch.setitem(model.replies, "ExpandWithKept", expanded_later)
    with serving(store, llm=model.spec) as running, new_page(browser) as blank:
        page = opened(blank, running)
        page.get_by_role("link", name="Compare").click()
        expect(page.get_by_label("Effort of A")).to_have_value("none")
        expect(page.get_by_label("Effort of B")).to_have_value("")
        page.get_by_label("Question", exact=True).fill(QUESTION)
        page.get_by_role("button", name="Compare").click()

        expect(page.locator(".compared article").first).to_be_visible()
        expect(page.locator(".waiting")).to_contain_text("The model plans")
        planned.set()
        expect(page.get_by_role("region", name="Places")).to_be_visible()
        expect(page.locator(".waiting")).to_have_count(0)


def test_a_card_gives_the_reason_of_the_critic(
    store: Path, browser: Browser, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged_with_reason(system: str, user: str) -> object:
        reply = cast(dict[str, Any], judged(system, user))
        for vote in reply["votes"]:
            vote["reason"] = "The plan is what they ask about."
        return reply

    monkeypatch.setitem(model.replies, "CritiqueReply", judged_with_reason)
    with serving(store, llm=model.spec) as running, new_page(browser) as blank:
        page = opened(blank, running)
        ask(page, effort="high")
        expect(page.locator('article[data-memory="plan"] .came')).to_have_text(
            "The critic voted hot: The plan is what they ask about."
        )


def test_an_answer_and_a_kept_one_say_what_is_missing(
    store: Path, browser: Browser, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def expanded_too_far(system: str, user: str) -> object:
        sought = [
            facet("own plan", "my plan for the job: cut onboarding"),
            facet("allergies", "penicillin hazelnut pollen"),
        ]
        return {"intent": "get ready", "facets": sought, "facts": [], "preferences": []}

    monkeypatch.setitem(model.replies, "ExpandWithKept", expanded_too_far)
    with serving(store, llm=model.spec) as running, new_page(browser) as blank:
        page = opened(blank, running)
        ask(page, effort="high")

        missing = page.locator(".answer details", has_text="Searched for, but not found: 1")
        expect(missing.locator("li")).to_have_text(["allergies"])
        page.get_by_role("link", name="Recalls").click()
        page.locator(".recalls .link").first.click()
        expect(missing.locator("li")).to_have_text(["allergies"])


def test_prompts_and_efforts_stand_side_by_side(
    store: Path, browser: Browser, model: ModelServer, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    variant_of("expand", tmp_path / "other" / "expand.md")
    with serving(store, llm=model.spec) as running, new_page(browser) as blank:
        ask(opened(blank, running), effort="high")
    with (
        serving(store, llm=model.spec, prompts=tmp_path / "other") as running,
        new_page(browser) as blank,
    ):
        page = opened(blank, running)
        ask(page, effort="high")
        page.get_by_role("link", name="Compare").click()
        kept = page.get_by_label("Kept recall of A")
        with_a_plan = kept.locator("option", has_text="effort high")
        expect(with_a_plan).to_have_count(2)
        for name, place in (("A", 1), ("B", 0)):  # the newest comes first
            value = with_a_plan.nth(place).get_attribute("value")
            page.get_by_label(f"Kept recall of {name}").select_option(value=value)
        page.get_by_role("button", name="Compare").click()

        different = page.get_by_role("region", name="What was different")
        prompts = different.get_by_role("row", name="prompt expand")
        expect(prompts).to_contain_text("built in")
        expect(prompts).to_contain_text("yours (")
        lines = page.get_by_role("region", name="Prompt expand: lines that differ")
        expect(lines).to_contain_text(BETTER)
        searched = page.get_by_role("region", name="Searched for beside the question")
        expect(searched.get_by_role("row", name="résumé: years of product")).to_contain_text("yes")
        expect(page.get_by_role("region", name="Cost")).to_contain_text("model calls")
        page.get_by_label("Kept recall of A").select_option("")
        page.get_by_label("Kept recall of B").select_option("")
        page.get_by_label("Question", exact=True).fill(QUESTION)
        page.get_by_label("Effort of A").select_option("none")
        page.get_by_label("Effort of B").select_option("high")
        page.get_by_role("button", name="Compare").click()
        expect(different.get_by_role("row", name="effort")).to_contain_text("high")
        places = page.get_by_role("region", name="Places")
        expect(places).to_contain_text(re.compile("B: found for “[^”]+”, voted hot by the critic"))


def test_facts_preferences_history_and_the_briefing_are_browsed(
    store: Path, browser: Browser, model: ModelServer
) -> None:
    with serving(store, llm=model.spec) as running, new_page(browser) as blank:
        page = opened(blank, running)
        page.get_by_role("link", name="Facts").click()
        expect(page.get_by_role("row", name="landlord")).to_contain_text("Mr Reyes")
        page.get_by_role("link", name="Memories").click()
        page.get_by_label("Kind").select_option("preferential")
        expect(page.locator(".rows li")).to_have_count(1)
        page.get_by_label("Kind").select_option(index=0)
        page.get_by_label("Filter").fill("Spare key")
        page.locator(".rows button").first.click()
        expect(page.get_by_role("heading", name="History")).to_be_visible()
        expect(page.locator(".detail")).to_contain_text("changed salience 0.9")
        page.get_by_role("link", name="Briefing").click()
        expect(page.get_by_role("heading", name="What a chat starts with")).to_be_visible()
        wanted = page.locator("h3:text-is('Preferences') + ul")
        expect(wanted).to_contain_text(re.compile(r"Short answers\..*applies always"))
        expect(page.get_by_role("button", name="Spare key")).to_contain_text("with Ines")
