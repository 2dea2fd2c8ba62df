"""The page in a real browser: asking, seeing why, voting, comparing, and hostile text as text."""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.fakes import note
from tests.mcp.mcp_world import MARA, NOOR, command, environment
from tests.server.browser import chromium, new_page
from tests.server.served_world import QUESTION, Running, new_store, serving
from tests.small_world import LIFE

from secondhop.memories.records import Fact
from secondhop.recall import Recall
from secondhop.stores.cues import MOST_CUES

pytestmark = pytest.mark.slow

MARKUP = '</script><script>window.broken = 1</script><img src=x onerror="window.broken = 1">'

BACKWARDS = "\u202edetaeper"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    store = tmp_path_factory.mktemp("seen") / "store"
    tokens = new_store(store)
    hostile = note(
        "hostile", f"Carefeed interview: {MARKUP}", title=f"Carefeed {MARKUP} {BACKWARDS}"
    )
    with Recall.open(store, entity=MARA, embedder="hashing") as recall:
        recall.add([hostile])
    with serving(store, tokens) as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def page(running: Running, browser: Browser) -> Iterator[Page]:
    """The page as `secondhop ui` opens it."""
    with new_page(browser) as one:
        one.goto(f"{running.url}/#token={running.tokens['admin']}&entity={MARA}")
        yield one


def ask(page: Page, question: str = QUESTION) -> None:
    before = page.url
    page.get_by_label("Question", exact=True).fill(question)
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(before)  # which the answer changes; another may be shown already
    expect(page.locator(".drawing")).to_be_visible()


def memories_in(page: Page, selector: str) -> list[str | None]:
    """The ids of the memories that these elements show, in order."""
    return [one.get_attribute("data-memory") for one in page.locator(selector).all()]


def test_a_question_lights_the_graph_and_is_answered(page: Page) -> None:
    ask(page)

    expect(page.locator("main")).not_to_contain_text("the question itself")
    expect(page.locator(".node").first).to_be_hidden()  # folded once the answer is there
    page.locator(".flow summary").first.click()
    expect(page.locator('.node.lit[data-node="retrieve"]')).to_be_visible()
    expect(page.locator(".answer article")).to_have_count(6)
    expect(page.locator(".answer article .why").first).not_to_be_empty()
    expect(page.locator(".near li").first).to_contain_text("Why not?")
    assert "token" not in page.url


def test_an_answer_is_there_after_a_reload(page: Page) -> None:
    page.get_by_label("How many memories").fill("7")
    ask(page)
    expect(page.locator(".answer article")).to_have_count(7)
    shown = memories_in(page, ".answer article"), page.locator(".near li").all_inner_texts()
    said = page.locator(".answer article blockquote").all_text_contents()
    cost = page.locator(".flow summary").first.inner_text()
    page.wait_for_timeout(500)  # traces are written after the answer

    page.reload()

    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    expect(page.get_by_label("Question", exact=True)).to_have_value(QUESTION)
    expect(page.get_by_label("How many memories")).to_have_value("7")
    expect(page.locator(".answer article")).to_have_count(7)
    near = page.locator(".near li").all_inner_texts()
    assert (memories_in(page, ".answer article"), near) == shown
    assert shown[1]
    assert said
    assert page.locator(".answer article blockquote").all_text_contents() == said
    assert page.locator(".flow summary").first.inner_text() == cost
    expect(page).to_have_title(f"{QUESTION} · secondhop")
    page.keyboard.type("another question")
    expect(page.get_by_label("Question", exact=True)).to_have_value("another question")


def test_a_session_that_was_left_is_voted_on_at_its_address_until_it_has_ended(
    running: Running, page: Page, browser: Browser
) -> None:
    ask(page)
    page.locator(".answer article .vote.hot").first.click()
    page.get_by_role("button", name="Next round").click()
    expect(page.get_by_role("heading", name="Round 2")).to_be_visible()
    page.wait_for_timeout(500)  # traces are written after the answer
    address = page.url
    with new_page(browser) as other:
        other.goto(f"{running.url}/#token={running.tokens['admin']}&entity={MARA}")
        ask(other, "When is the dentist?")
        other.goto(address)
        expect(other.locator(".answer article").first).to_contain_text("another vote replaces it")
        other.get_by_role("link", name="Ask").click()
        expect(other.get_by_label("Question", exact=True)).to_have_value("When is the dentist?")
        other.goto(address)
        expect(other.locator(".answer article").first).to_contain_text("another vote replaces it")
        other.locator(".answer article .vote.cold").nth(1).click()
        other.get_by_role("button", name="Next round").click()
        expect(other.get_by_role("heading", name="Round 3")).to_be_visible()
        expect(other).not_to_have_url(address)
        other.get_by_role("link", name="round 2").click()
        expect(other.get_by_text("This is an earlier round; votes go to the last")).to_be_visible()
        other.get_by_role("link", name="round 3").click()
        expect(other.locator(".answer .vote").first).to_be_visible()
        last = other.url
        with running.client() as http:
            for session in http.get(f"/v1/entities/{MARA}/sessions").json():
                assert http.delete(f"/v1/entities/{MARA}/sessions/{session}").is_success
        with new_page(browser) as third:
            third.goto(f"{running.url}/#token={running.tokens['admin']}&entity={MARA}")
            third.goto(last)
            expect(third.get_by_text("Its session has ended, so it takes no")).to_be_visible()
            expect(third.locator(".vote")).to_have_count(0)


def take_all_back(page: Page) -> None:
    """Undo what a resolved session has taught, so that later tests find the store as it was."""
    page.get_by_role("link", name="What was learned").click()
    taught = page.get_by_role("button", name="Take it back")
    expect(taught.first).to_be_visible()
    for left in reversed(range(taught.count())):
        taught.first.click()
        expect(taught).to_have_count(left)


def test_votes_are_there_after_a_reload_until_they_are_resolved(page: Page) -> None:
    ask(page)
    pressed = page.locator(".answer .vote[aria-pressed=true]")
    warm = page.locator(".answer article").nth(2).get_attribute("data-memory")
    page.locator(".answer article .vote.hot").first.click()
    page.locator(f'article[data-memory="{warm}"] .vote.warm').click()
    page.wait_for_timeout(500)  # traces are written after the answer

    page.reload()

    expect(pressed).to_have_text(["hot", "warm"])
    expect(page.locator(".session-bar")).to_contain_text("2 votes")
    page.locator(f'article[data-memory="{warm}"] .vote.warm').click()
    page.get_by_role("button", name="Next round").click()
    expect(page.get_by_role("heading", name="Round 2")).to_be_visible()
    page.locator(".answer article .vote.cold").nth(1).click()
    page.wait_for_timeout(500)

    page.reload()

    expect(page.get_by_role("heading", name="Round 2")).to_be_visible()
    expect(page.locator(".answer article").first).to_contain_text("You voted hot")
    expect(pressed).to_have_text(["hot", "cold"])
    expect(page.locator(".session-bar")).to_contain_text("1 new vote")
    page.get_by_role("button", name="Resolve").click()
    expect(page.locator(".resolved")).to_contain_text("Accepted:")
    expect(page.locator(".resolved")).to_contain_text("Counts a little less for such questions:")

    page.reload()

    expect(page.locator(".answer article").first).to_be_visible()
    expect(page.locator(".vote")).to_have_count(0)
    expect(page.locator(".resolved")).to_contain_text("Accepted:")
    expect(page.locator(".resolved")).to_contain_text("Counts a little less for such questions:")
    take_all_back(page)
    page.get_by_role("link", name="Ask").click()
    expect(page.locator(".resolved")).to_contain_text("What was learned from it was taken back.")
    ask(page, "winter tyres")
    expect(page.locator(".resolved")).to_have_count(0)


def test_every_memory_tells_why_or_why_not(running: Running, page: Page) -> None:
    page.get_by_label("How many memories").fill("1")
    ask(page)

    page.locator(".answer article .why-button").first.click()
    told = page.locator(".answer article").first
    expect(told.locator(".story")).to_contain_text("Why it came back")
    score = float(told.locator(".score").inner_text().removeprefix("score "))
    expect(told.locator(".story > ul")).to_contain_text("it has ")
    said = re.search(r"it has (\d\.\d+)", told.locator(".story > ul").inner_text())
    assert said is not None
    assert float(said[1]) == pytest.approx(score, abs=0.006)  # with more digits if others are near
    page.locator(".near .why-button").first.click()
    expect(page.locator(".near .story").first).to_contain_text("What would admit it")
    expect(page.locator(".near .story li").first).to_have_text(re.compile("^Round 1: came in"))
    page.get_by_label("Memory id").fill("bread")
    page.keyboard.press("Enter")
    expect(page.locator(".why-not .story").first).to_contain_text("Why it did not come back")
    expect(page.locator(".why-not strong").first).to_be_in_viewport()
    expect(page.locator(".told")).to_be_focused()
    expect(page.locator(".why-not")).not_to_contain_text("secondhop cues")
    why_not = page.locator(".why-not")
    expect(why_not.locator("p", has_text="What would admit it")).to_contain_text("ask for")
    why_not.get_by_role("button", name="Add this question as a cue").click()
    expect(why_not).to_contain_text("Added.")
    expect(why_not.get_by_role("button", name="Add this")).to_have_count(0)
    why_not.get_by_role("button", name="Undo").click()
    why_not.get_by_role("button", name="Add this").click()
    expect(why_not).to_contain_text("Added.")
    why_not.get_by_role("button", name="Explain").click()
    expect(why_not).to_contain_text("It has this question as a cue by now.")
    expect(why_not.get_by_role("button", name="Add this")).to_have_count(0)
    with running.client() as http:
        (cue,) = http.get(f"/v1/entities/{MARA}/cues/bread").json()["cues"]
        assert http.delete(f"/v1/entities/{MARA}/cues/{cue['cue_id']}").is_success
    page.get_by_label("Memory id").fill("sourdough")
    page.keyboard.press("Enter")
    expect(page.locator(".why-not .story").first).to_contain_text("Why it did not come back")
    page.get_by_label("Memory id").fill("bake starter")
    page.keyboard.press("Enter")
    expect(page.locator(".why-not blockquote")).to_contain_text("ourdough", timeout=20_000)
    page.get_by_label("Memory id").fill("A year")  # in a row, only one memory has these words
    page.keyboard.press("Enter")
    expect(page.locator(".why-not blockquote")).to_contain_text("thousand a year", timeout=20_000)
    page.get_by_label("Memory id").fill("no such words")
    page.keyboard.press("Enter")
    expect(page.locator(".why-not")).to_contain_text("No stored memory has this")
    expect(page.get_by_text("No stored memory has this")).to_be_in_viewport()


def test_a_superseded_memory_is_listed_and_made_to_hold_again(
    tmp_path: Path, browser: Browser
) -> None:
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.add([note("volvo", "We drive a green Volvo."), note("bike", "The bike is blue.")])
        recall.add([note("saab", "We bought a Saab.")])
        recall.memories.supersede("volvo", "saab")
    with serving(tmp_path / "store") as served, new_page(browser) as page:
        page.goto(f"{served.url}/#token=&entity={MARA}")
        ask(page, "Do we drive a green Volvo?")
        page.get_by_text("Found, but no longer valid: 1").click()
        row = page.locator('.near [data-memory="volvo"]')
        expect(row).to_contain_text("superseded by")
        row.get_by_role("button", name="Why not?").click()
        expect(row).to_contain_text("“Let it hold again” makes it valid again")
        row.get_by_role("button", name="Let it hold again").click()
        row.get_by_role("button", name="Ask again").click()
        expect(page.locator('.answer article[data-memory="volvo"]')).to_be_visible()
        expect(page.get_by_text("no longer valid")).to_have_count(0)


def test_a_question_becomes_a_cue_until_a_memory_has_the_most(
    tmp_path: Path, browser: Browser
) -> None:
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.add([note("car", "The car needs tyres."), note("ana", "Ana eats no nuts.")])
        recall.add([note("milk", "The milk is fresh.")])
        recall.memories.cues.add("ana", "Ana eats nuts")
        for number in range(MOST_CUES["specific"] - 1):
            recall.memories.cues.add("car", f"is wheel {number} good")
    with serving(tmp_path / "store") as served, new_page(browser) as page:
        page.goto(f"{served.url}/#token=&entity={MARA}")
        page.get_by_label("How many memories").fill("1")
        statuses: list[int] = []
        page.on("response", lambda answered: statuses.append(answered.status))
        for question, found, told in (
            ("Ana eats nuts", "ana", "Added. Ask again Undo"),
            (
                "How fresh is the milk",
                "milk",
                f"It has {MOST_CUES['specific']} cues that people gave it, the most it may have; "
                f"remove one first. Its cues",
            ),
        ):
            ask(page, question)
            expect(page.locator(f'.answer article[data-memory="{found}"]')).to_be_visible()
            page.get_by_label("Memory id").fill("car")
            page.keyboard.press("Enter")
            if found == "ana":
                page.locator(".why-not").get_by_role("button", name="Add this question").click()
            expect(page.locator(".why-not .story .tools")).to_contain_text(told)
            expect(page.locator("#status.error")).to_have_count(0)
            if found == "ana":
                page.locator(".why-not").get_by_role("button", name="Ask again").click()
                expect(page.locator(".why-not .story")).to_have_count(0)
                expect(page.locator(f'.answer article[data-memory="{found}"]')).to_be_visible()
        page.locator(".why-not").get_by_role("button", name="Its cues").click()
        page.get_by_label("New cue").fill("one more")
        page.keyboard.press("Enter")
        expect(page.locator(".detail form + .failed")).to_contain_text("the most it may have")
        assert 422 not in statuses  # no request that the server must refuse
        page.get_by_role("link", name="Ask").click()
        ask(page, "Ana eats nuts")
        expect(page.locator('.answer article[data-memory="ana"]')).to_be_visible()
        page.get_by_label("Memory id").fill("car")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Add this question")).to_have_count(0)
        expect(page.locator(".why-not")).to_contain_text("this question is a cue of it already")
        page.locator(".why-not").get_by_role("button", name="Ask for 2").click()
        expect(page.locator('.answer article[data-memory="car"]')).to_be_visible()
        expect(page.get_by_label("How many memories")).to_have_value("2")
        expect(page.get_by_label("Effort", exact=True)).to_have_value("none")
        page.get_by_label("Question", exact=True).fill("Something else")
        expect(page.get_by_label("How many memories")).to_have_value("1")  # an offer is for once
        page.wait_for_timeout(500)  # traces are written after the answer
        page.reload()
        expect(page.get_by_label("How many memories")).to_have_value("2")
        expect(page.locator(".answer article")).to_have_count(2)
        ask(page, "How fresh is the milk")
        expect(page.locator(".answer article")).to_have_count(2)
        with served.client("") as http:
            cues = http.get(f"/v1/entities/{MARA}/cues/car").json()["cues"]
        assert ("Ana eats nuts", "specific") in [(one["text"], one["breadth"]) for one in cues]


@pytest.fixture
def baking(tmp_path: Path, browser: Browser) -> Iterator[Page]:
    """The page over two memories, bread and ana."""
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.add([note("bread", "Bake bread."), note("ana", "Ana bakes, and may not eat nuts.")])
    with serving(tmp_path / "store") as served, new_page(browser) as page:
        page.goto(f"{served.url}/#token=&entity={MARA}")
        yield page


def test_what_was_voted_down_is_told_as_that_and_taken_back_once(baking: Page) -> None:
    page = baking
    ask(page, "What may I bake for Ana?")
    page.locator('article[data-memory="ana"] .vote.wrong').click()
    page.get_by_role("button", name="Resolve").click()
    expect(page.locator(".resolved")).to_contain_text("Is left out for such questions:")
    ask(page, "What may I bake for Ana?")
    page.get_by_role("link", name="Memories").click()
    page.locator(".rows button", has_text="ana").click()
    down = page.locator(".detail h3:text-is('Voted down for') + ul")
    expect(down).to_contain_text("What may I bake for Ana?")
    expect(page.locator(".detail h3:text-is('Stored for') + ul li")).to_have_count(0)
    past = page.locator(".detail h3:text-is('History') + ol")
    voted = "voted down in sessions, for “What may I bake for Ana?”"
    expect(past.locator("li").last).to_contain_text(voted)
    page.locator(".detail .why-button").click()
    expect(page.locator(".detail .story")).to_contain_text("Kept out")
    page.locator(".detail .story").get_by_role("button", name="Take it back").click()
    expect(page.locator(".detail .story")).to_contain_text("Taken back. Ask again")
    expect(page.locator(".detail").get_by_role("button", name="Take it back")).to_have_count(0)
    expect(down.locator("li")).to_have_count(0)
    expect(past).not_to_contain_text("voted down")
    page.locator(".detail .why-button").click()
    page.locator(".detail .why-button").click()
    expect(page.locator(".detail .story")).to_contain_text(
        "What would admit it: ask again: what sessions taught of it was taken back since."
    )
    expect(page.locator(".detail .story").get_by_role("button")).to_have_text(["Ask again"])
    page.get_by_role("link", name="Compare").click()
    for name, place in (("A", 3), ("B", 1)):  # before the session, and after it
        page.get_by_label(f"Kept recall of {name}").select_option(index=place)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".answer")).to_contain_text(
        "By what sessions taught, counts less in B than in A: “About ana”."
    )


def test_the_title_of_a_card_opens_its_memory(page: Page) -> None:
    ask(page)

    title = page.locator(".answer article h3 button").first
    name = title.inner_text()
    title.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".detail h2")).to_have_text(name)
    expect(page.locator(".detail article")).to_be_focused()
    expect(page.locator(".rows [aria-current]")).to_contain_text(name)
    expect(page).to_have_url(re.compile(f"#/memory/{MARA}/."))

    page.reload()

    expect(page.locator(".detail h2")).to_have_text(name)
    expect(page.locator(".rows [aria-current]")).to_be_in_viewport()
    page.evaluate(f"location.hash = '#/memory/{MARA}/gone'")
    expect(page.locator(".detail")).to_contain_text("No memory with this id is stored.")


def test_what_is_not_there_is_said(page: Page) -> None:
    page.get_by_label("Question", exact=True).fill("x" * 30_000)
    page.keyboard.press("Enter")
    expect(page.locator(".ask + .failed")).to_contain_text("the question has 30,000 characters")
    expect(page.get_by_text("Asking")).to_have_count(0)
    ask(page, "What is the flux of neutrinos in Antarctica?")
    expect(page.get_by_text("nothing stored is near enough to the question (")).to_have_count(1)
    expect(page.locator(".near li").nth(1)).not_to_contain_text("score")
    page.get_by_label("Memory id").fill("bread")
    page.keyboard.press("Enter")
    expect(page.locator(".why-not blockquote")).to_be_visible()
    expect(page.locator(".why-not .score")).to_be_empty()
    page.locator(".near .why-button").first.click()
    expect(page.locator(".near .story details li").first).to_contain_text(
        "cannot be compared with ranking.min_score"
    )
    page.get_by_role("link", name="Memories").click()
    page.get_by_label("Filter").fill("no such words")
    expect(page.locator(".rows")).to_contain_text("Try fewer words")


def test_a_tab_that_is_left_keeps_its_answer_and_efforts_without_a_model_are_off(
    page: Page,
) -> None:
    expect(page.get_by_label("Effort").locator("option", has_text="usual (none)")).to_be_attached()
    expect(page.get_by_label("Effort").locator("option[value=high]")).to_be_disabled()
    ask(page)
    page.get_by_role("link", name="Memories").click()
    expect(page.locator(".rows li").first).to_be_visible()
    page.get_by_role("link", name="Ask").click()
    expect(page.get_by_label("Question", exact=True)).to_have_value(QUESTION)
    expect(page.locator(".answer article")).to_have_count(6)


def test_an_empty_memory_is_filled_and_what_a_session_taught_is_taken_back(
    tmp_path: Path, browser: Browser
) -> None:
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.add([note("gone", "Soon forgotten.")])
        recall.memories.forget("gone")
    with serving(tmp_path / "store") as empty, new_page(browser) as page:
        page.goto(f"{empty.url}/#token=&entity={MARA}")
        page.get_by_role("link", name="Memories").click()
        expect(page.locator(".browse")).to_contain_text("No memory is stored yet")
        for text in ("Ana is allergic to nuts.", "Bake bread on Sunday.", "The car needs tyres."):
            page.get_by_label("Text of the new memory").fill(text)
            page.get_by_role("button", name="Store").click()
            expect(page.locator(".rows")).to_contain_text(text)
            page.get_by_label("Filter").fill("words that the next one lacks")
        page.get_by_role("link", name="Ask").click()
        ask(page, "What may I bake for Ana?")
        page.locator(".answer article .vote.wrong").first.click()
        page.get_by_role("button", name="Resolve").click()
        expect(page.locator(".resolved")).to_contain_text("Is left out for such questions:")
        page.get_by_role("link", name="Memories").click()
        page.get_by_text("Learned from sessions: 1").click()
        page.get_by_role("button", name="Take it back").click()
        expect(page.get_by_text("Learned from sessions")).to_have_count(0)


def test_the_path_is_followed_by_keyboard(page: Page) -> None:
    ask(page)

    page.locator(".box[tabindex='0']").focus()  # where the Tab key leads
    expect(page.locator(".box.memory:focus")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".box:not(.memory):focus")).to_be_visible()
    page.keyboard.press("ArrowRight")
    focused = page.locator(".box.memory:focus")
    expect(focused).to_be_visible()
    expect(page.locator(".box.dim").first).to_be_attached()
    page.keyboard.press("Enter")
    expect(page.locator("article.chosen .story")).to_be_focused()


def test_votes_make_a_next_round_and_are_resolved(page: Page) -> None:
    ask(page)
    cold = page.locator(".answer article").nth(1).get_attribute("data-memory")

    page.locator(".answer article .vote.hot").first.click()
    page.locator(".answer article .vote.cold").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".session-bar")).to_contain_text("Key n: next round.")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="Round 2")).to_be_visible()
    expect(page.locator(".answer article").first).to_contain_text("You voted hot")
    expect(page.locator(".answer .vote[aria-pressed=true]")).to_have_text(["hot"])
    expect(page.locator(".session-bar")).to_contain_text("0 new votes")
    expect(page.get_by_role("button", name="Clear votes")).to_be_disabled()
    lit = page.locator(".answer .vote[aria-pressed=true]")
    expect(lit).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".answer article").first).to_contain_text("another vote replaces it")
    expect(page.locator(".answer")).not_to_contain_text("No newer memory was found")
    expect(page.locator(".answer")).not_to_contain_text("Next in line")
    expect(page.locator(".answer")).to_contain_text("You asked for 6.")
    expect(page.locator(".flow")).to_contain_text(re.compile(r"2 rounds .* ms for this round"))
    expect(page.locator(f'article[data-memory="{cold}"]')).to_have_count(0)
    page.locator(".answer article .why-button").first.click()
    expect(page.locator(".answer article .story").first).to_contain_text("what you vote hot stays")
    expect(page.locator(".drawing")).to_be_visible()
    expect(page.locator(".near li").first).to_contain_text("came in at place")
    said = page.locator(".answer article blockquote").all_text_contents()
    left = page.locator(".answer ul li", has_text="Voted cold by you.")
    expect(left).not_to_contain_text(f"{cold}:")
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_role("heading", name="Resolved")).to_be_visible()
    expect(page.locator(".flow")).to_contain_text("you resolved the session")
    expect(page.locator(".resolved")).to_contain_text("Accepted:")
    expect(page.locator(".resolved")).to_contain_text("Counts a little less for such questions:")
    expect(page.locator(".answer article").first).to_be_visible()
    page.get_by_role("link", name="Recalls").click()
    last = page.locator(".recalls li")
    expect(last.first).to_contain_text("round 2 of a resolved session, after 1 hot, 1 cold · ")
    last.nth(1).locator(".link").click()
    expect(page.locator(".resolved")).to_contain_text("This session is resolved. Counts more for")
    take_all_back(page)
    page.get_by_role("link", name="Recalls").click()
    expect(last.first).to_contain_text("begun 20")
    expect(last.first).to_contain_text("round 2 of a session, after 1 hot, 1 cold · ")
    expect(last.nth(1)).to_contain_text("round 1 of a session · ")
    expect(last.nth(1)).to_have_class("earlier")
    last.first.locator(".link").click()
    expect(page.locator(".flow")).to_contain_text("2 rounds")
    expect(page.locator(".flow")).not_to_contain_text("awaited")
    expect(page.locator("main .resolved")).to_contain_text("was learned from it was taken back")
    expect(page.get_by_role("heading", name="Round 2: ")).to_be_visible()
    expect(page.locator(".answer article").first).to_contain_text("You voted hot in round 1.")
    assert page.locator(".answer article blockquote").all_text_contents() == said
    page.get_by_role("button", name="All recalls").click()
    for place in (0, 1):
        page.get_by_role("link", name="Recalls").click()
        last.nth(place).get_by_role("button", name="Compare").click()
        expect(page.locator(".picked:visible").first).to_contain_text("round")
    for side, picked in (("A", "round 1"), ("B", "round 2")):  # the older one is A
        chosen = page.get_by_label(f"Kept recall of {side}").locator("option:checked")
        expect(chosen).to_contain_text(picked)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("row", name="your votes")).to_contain_text("1 hot, 1 cold")


def test_the_rounds_of_a_session_are_told_like_the_live_ones_and_lead_to_each_other(
    tmp_path: Path, browser: Browser
) -> None:
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.add(LIFE)
    low = serving(tmp_path / "store", settings=["ranking.min_score=0.01"])
    with low as running, new_page(browser) as page:
        page.goto(f"{running.url}/#token=&entity={MARA}")
        page.get_by_label("How many memories").fill("4")
        ask(page)
        plain = page.url
        page.locator(".answer article .vote.hot").first.click()
        page.locator(".answer article .vote.spark").nth(1).click()
        page.get_by_role("button", name="Next round").click()
        heading = page.get_by_role("heading", name="Round 2: 5 memories, and 3 that a spark led to")
        expect(heading).to_be_visible()
        branch = page.locator("h2:has-text('Sparked by Coach') ~ article")
        expect(branch).to_have_count(3)
        expect(branch.first.locator(".facts")).not_to_contain_text("implied by the question")
        told = [page.locator("h2").all_inner_texts(), memories_in(page, "article")]
        with running.client("") as http:
            words = {"role": "user", "content": "Carefeed interview: prepare the demo."}
            new = {"memory_id": "x7", "title": "What to show", "created_at": "2026-01-09T12:00:00Z"}
            body = {"memories": [{**new, "messages": [words]}]}
            assert http.post(f"/v1/entities/{MARA}/memories", json=body).is_success
        page.locator(".answer article .vote.warm").nth(1).click()
        page.get_by_role("button", name="Next round").click()
        page.locator('article[data-memory="x7"] .vote.hot').click()
        rounds = page.locator(".rounds-of")
        expect(rounds).to_contain_text("round 2, after 1 hot, 1 spark · round 3")
        page.get_by_role("button", name="Resolve").click()
        expect(page.locator(".resolved")).to_contain_text("“What to show”")

        page.get_by_role("link", name="round 2").click()
        expect(heading).to_be_visible()
        expect(branch).to_have_count(3)
        assert memories_in(page, "article") == told[1]
        assert page.locator("h2").all_inner_texts()[1:] == told[0]
        expect(rounds).to_contain_text("New in this round: “")
        expect(rounds).to_contain_text("Votes on this answer: warm “")
        # a memory that this round's trace lacks has its name, too
        expect(page.locator(".resolved")).to_contain_text("“What to show”")
        expect(page.get_by_text("You voted hot in round 1.")).to_have_count(1)
        page.get_by_role("link", name="Recalls").click()
        listed = page.locator(".recalls li").nth(1)
        expect(listed).to_contain_text("5 memories, and 3 that a spark led to")
        page.goto(plain)
        expect(rounds).to_contain_text("A resolved session on this question followed: round 1 · ")
        expect(rounds).to_contain_text("Votes in round 1: hot “More research” · spark “Coach")
        page.get_by_role("link", name="round 1").click()
        expect(page.get_by_role("heading", name="Round 1: 4 memories")).to_be_visible()
        expect(rounds).to_contain_text("Votes on this answer: hot “More research” · spark “Coach")


def test_a_session_is_asked_like_the_answer_that_is_voted_on(page: Page) -> None:
    page.get_by_label("What was believed on").fill("2026-06-30")
    page.get_by_label("include memories that no longer hold").check()
    ask(page)
    second = page.locator(".answer article").nth(1).get_attribute("data-memory")
    page.locator(".answer article .vote.spark").first.click()
    page.locator(".answer article .vote.wrong").nth(1).click()
    with page.expect_request("**/sessions") as begun:
        page.get_by_role("button", name="Next round").click()

    body = json.loads(begun.value.post_data or "")
    assert body["include_stale"] is True
    assert (body["as_of"], body["effort"]) == ("2026-06-30T23:59:59Z", "none")
    expect(page.get_by_role("heading", name="Round 2")).to_be_visible()
    expect(page.locator(f'article[data-memory="{second}"]')).to_have_count(0)
    expect(page.get_by_role("heading", name="Sparked by")).to_be_visible()


def test_markup_in_a_memory_is_text(page: Page) -> None:
    ask(page, "Carefeed interview onerror script")

    shown = page.locator('article[data-memory="hostile"]')
    expect(shown.locator("h3")).to_contain_text("<img src=x onerror=")
    expect(shown.locator("h3")).not_to_contain_text("\u202e")
    expect(shown.locator("blockquote").first).to_contain_text("</script>")
    expect(page.locator(".drawing")).to_contain_text("</script>")
    assert page.locator("main img, main script").count() == 0
    assert page.evaluate("window.broken") is None


def test_two_recalls_stand_side_by_side(page: Page) -> None:
    page.get_by_role("link", name="Compare").click()
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.get_by_label("Memories of B").fill("2")
    page.get_by_role("button", name="Compare").click()

    expect(page.get_by_role("heading", name="2 memories in both")).to_be_visible()
    expect(page.get_by_role("row", name="memories 6 2", exact=True)).to_be_visible()
    expect(page.locator(".answer")).to_contain_text("A brought 4 that B did not.")
    only_a = page.locator(".answer .near li")
    expect(only_a).to_have_count(4)
    only_a.first.get_by_role("button", name="Why not in B?").click()
    heads = only_a.first.locator(".story > strong")
    expect(heads).to_have_count(1)
    only_a.first.get_by_role("button", name="Why in A?").click()
    expect(heads).to_have_text([re.compile("did not come back in B$"), re.compile(" in A$")])
    only_a.first.get_by_role("button", name="Why in A?").click()
    expect(heads).to_have_count(1)
    expect(page.locator(".answer")).to_contain_text("B brought nothing that A did not")
    page.locator(".compared .vote.hot").first.click()
    expect(page.locator(".compared .vote.hot[aria-pressed=true]")).to_have_count(2)
    page.locator(".compared .vote.warm").nth(5).click()
    expect(page.locator(".answer")).to_contain_text(
        "A: 1 hot, 1 warm · B: 1 hot. By them, A is better"
    )
    page.locator(".compared .vote.cold").nth(5).click()  # only in A
    expect(page.locator(".answer")).to_contain_text("1 cold · B: 1 hot. By them, B is better")
    expect(page).to_have_title(f"A and B: {QUESTION} · secondhop")

    page.reload()

    expect(page.get_by_role("heading", name="2 memories in both")).to_be_visible()
    expect(page.locator(".answer")).to_contain_text("1 cold · B: 1 hot. By them, B is better")
    for name, count in (("A", "6 memories"), ("B", "2 memories")):
        chosen = page.get_by_label(f"Kept recall of {name}").locator("option:checked")
        expect(chosen).to_contain_text(count)
    page.evaluate(f"location.hash = '#/compare/{MARA}/gone/gone'")
    expect(page.locator("main")).to_contain_text("A recall of this comparison is no longer kept.")


def test_kept_recalls_are_shown_and_compared(page: Page) -> None:
    ask(page)
    ask(page, "winter tyres")
    page.get_by_role("link", name="Recalls").click()
    page.locator(".recalls .link", has_text=QUESTION).first.click()
    expect(page.locator(".answer article")).to_have_count(6)
    expect(page.locator(".answer article blockquote").first).not_to_be_empty()
    expect(page.locator(".drawing")).to_be_visible()
    page.get_by_role("link", name="Compare").click()
    for name, question in (("A", QUESTION), ("B", "winter tyres")):
        kept = page.get_by_label(f"Kept recall of {name}")
        wanted = kept.locator("option", has_text=question).first
        kept.select_option(value=wanted.get_attribute("value"))
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("region", name="Places")).to_contain_text("only A")
    expect(page.locator(".answer")).to_contain_text("A and B answer different questions")
    expect(page.get_by_label("Memories of A")).to_be_hidden()  # a kept recall has its own
    expect(page.get_by_label("Question", exact=True)).to_be_hidden()


def test_a_recall_has_an_address_and_is_asked_again(
    running: Running, page: Page, browser: Browser
) -> None:
    page.get_by_label("How many memories").fill("3")
    page.get_by_label("What was believed on").fill("2026-06-30")
    ask(page)
    expect(page).to_have_url(re.compile(f"#/recall/{MARA}/."))
    first = page.url
    expect(page.get_by_role("heading", name="3 memories, as of 2026-06-30")).to_be_visible()
    page.get_by_label("How many memories").fill("1")
    page.get_by_role("button", name="Remove: as of 2026-06-30").click()
    expect(page.get_by_label("What was believed on")).to_have_value("")
    expect(page.get_by_role("button", name="Remove: as of")).to_have_count(0)
    expect(page.get_by_role("heading", name="1 memory", exact=True)).to_be_visible()
    ask(page, "winter tyres")
    expect(page.locator(".answer article")).to_have_count(1)

    page.go_back()
    page.go_back()
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    expect(page.locator(".answer article")).to_have_count(3)
    assert page.url == first
    expect(page).to_have_title(f"{QUESTION} · secondhop")
    page.get_by_role("link", name="Briefing").click()
    expect(page).to_have_title("Briefing · secondhop")
    page.get_by_role("link", name="Recalls").click()
    expect(page.locator(".recalls li").first).to_be_visible()
    expect(page).to_have_title("Recalls · secondhop")
    page.get_by_role("link", name="Ask").click()
    expect(page.get_by_label("Question", exact=True)).to_have_value("winter tyres")
    with new_page(browser) as other:
        other.goto(first)
        other.get_by_label("Token").fill(running.tokens["admin"])
        other.keyboard.press("Enter")
        expect(other.get_by_role("heading", name=QUESTION)).to_be_visible()
        expect(other.get_by_label("Memories of", exact=True)).to_have_value(MARA)
        expect(other.get_by_text("asked for 3 memories · as of 2026-06-30")).to_be_visible()
        other.get_by_role("button", name="All recalls").click()
        told = other.locator(".recalls li").filter(has_text=QUESTION).nth(1)
        expect(told).to_contain_text("as of 2026-06-30")
        other.go_back()
        expect(other.locator(".answer article")).to_have_count(3)

        other.get_by_role("button", name="Ask again").focus()
        other.keyboard.press("Enter")
        expect(other.get_by_label("Question", exact=True)).to_have_value(QUESTION)
        expect(other.get_by_label("What was believed on")).to_have_value("2026-06-30")
        expect(other.locator(".answer article")).to_have_count(3)
        expect(other.locator(".answer .vote").first).to_be_visible()
        expect(other).to_have_url(re.compile(f"#/recall/{MARA}/."))
        assert other.url != first


def test_a_recall_that_loads_late_does_not_replace_the_next(page: Page) -> None:
    ask(page)
    wanted = page.url
    ask(page, "winter tyres")
    late = page.url
    ask(page, "bread")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(f"**/traces/{late.rsplit('/', 1)[-1]}", hold)

    page.go_back()
    page.wait_for_function("document.title.startsWith('Recalls')")  # it waits for the trace
    page.go_back()
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    with page.expect_response("**/graph"):  # which is the last that it asks for
        held[0].continue_()
    page.wait_for_timeout(300)

    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    assert page.url == wanted


def test_an_address_without_a_recall_says_so(page: Page) -> None:
    expect(page.get_by_label("Question", exact=True)).to_be_visible()
    for wrong in ("no-such-trace", "%3Cimg%20src=x%3E"):
        page.evaluate(f"location.hash = '#/recall/{MARA}/{wrong}'")
        expect(page.locator("main")).to_contain_text("This recall is no longer kept.")
        expect(page.locator("#status")).to_be_empty()
        page.get_by_role("button", name="All recalls").click()
        expect(page.locator(".recalls")).to_be_visible()
    page.evaluate("location.hash = '#/recall/%E0%A4%A/x'")
    expect(page.get_by_label("Question", exact=True)).to_be_visible()


def test_two_settings_and_what_was_stored_between_them_stand_side_by_side(
    tmp_path: Path, browser: Browser
) -> None:
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.add([note(f"tide-{n}", f"Tide table {n}: high at noon.") for n in range(4)])
    with serving(tmp_path / "store") as running, new_page(browser) as page:
        page.goto(f"{running.url}/#token=&entity={MARA}")
        ask(page, "tide table: when is it high?")
        page.get_by_role("link", name="Memories").click()
        page.get_by_text("Add a memory").click()
        page.get_by_label("Text of the new memory").fill(
            "Tide table of the new harbour: high at ten."
        )
        page.get_by_role("button", name="Store").click()
        expect(page.locator(".rows")).to_contain_text("new harbour")
        with running.client("") as http:
            assert http.delete(f"/v1/entities/{MARA}/memories/tide-3").is_success
            stored = http.get(f"/v1/entities/{MARA}/memories").json()["memories"]
            new_id = next(one["memory_id"] for one in stored if "harbour" in one["text"])
            cue = {"text": "when may I sail?"}
            assert http.post(f"/v1/entities/{MARA}/cues/{new_id}", json=cue).is_success
    changed = serving(tmp_path / "store", settings=["ranking.recency_days=30"])
    with changed as running, new_page(browser) as page:
        page.goto(f"{running.url}/#token=&entity={MARA}")
        ask(page, "tide table: when is it high?")
        page.get_by_role("link", name="Recalls").click()
        listed = page.locator(".recalls li")
        expect(listed.first).to_contain_text("effort none · 4 of 6")
        expect(listed.nth(1)).to_contain_text("effort none · ranking.recency_days = 730 · 4 of 6")
        page.get_by_role("link", name="Compare").click()
        for name, place in (("A", 2), ("B", 1)):  # the newest comes first, below "ask now"
            page.get_by_label(f"Kept recall of {name}").select_option(index=place)
        page.get_by_role("button", name="Compare", exact=True).click()

        different = page.get_by_role("region", name="What was different")
        row = different.get_by_role("row", name="ranking.recency_days")
        expect(row).to_have_text("ranking.recency_days73030")
        told = page.locator(".answer > ul > li")
        new = told.nth(1).locator(".near li", has_text="Tide table of the new")
        expect(new).to_contain_text(
            "(written in between; cue added in between: “when may I sail?”)"
        )
        expect(page.locator(".answer")).to_contain_text("moves the scores of others, too")
        expect(told.nth(0)).to_contain_text("1 memory was forgotten since.")
        page.get_by_label("Kept recall of A").select_option(index=0)
        expect(told).to_have_count(0)


def test_every_kept_recall_is_found_and_compared(running: Running, page: Page) -> None:
    with running.client() as http:
        for number in range(25):
            body = {"question": f"Prepare my Carefeed interview, number {number:02}?", "k": 2}
            assert http.post(f"/v1/entities/{MARA}/recall", json=body).is_success
    page.get_by_role("link", name="Recalls").click()
    page.get_by_label("Filter").fill("number 00?")
    expect(page.locator(".recalls li")).to_have_count(1)
    page.locator(".recalls .link").click()
    page.get_by_role("button", name="Compare with…").click()
    expect(page.get_by_label("Question", exact=True)).to_have_value(
        "Prepare my Carefeed interview, number 00?"
    )
    kept = page.get_by_label("Kept recall of A").locator("option:checked")
    expect(kept).to_contain_text("Prepare my Carefeed interview, number 00?")
    page.get_by_label("Filter kept recalls").fill("number 01?")
    second = page.get_by_label("Kept recall of B").locator("option", has_text="number 01?")
    expect(second).to_have_count(1)
    expect(page.get_by_label("Memories of B")).to_have_value("2")  # asked as A was
    page.get_by_role("checkbox", name="include memories that no longer hold").check()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("region", name="Places")).to_be_visible()
    expect(page.get_by_role("region", name="What was different")).to_contain_text("no longer hold")
    page.get_by_label("Filter kept recalls").fill("")
    for side, wanted in (("A", "number 09?"), ("B", "number 03?")):
        kept = page.get_by_label(f"Kept recall of {side}")
        value = kept.locator("option", has_text=wanted).get_attribute("value")
        kept.select_option(value=value)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".compared")).to_be_visible()
    newer = page.get_by_label("Kept recall of A").locator("option:checked")
    expect(newer).to_contain_text("number 09?")  # as it was picked


def test_what_is_stored_is_browsed(page: Page) -> None:
    page.get_by_role("link", name="Memories").click()
    page.get_by_label("Filter").fill("sourdough")
    expect(page.locator(".rows li")).to_have_count(1)
    page.locator(".rows button").click()

    expect(page.locator(".detail blockquote")).to_contain_text("Sourdough")
    page.get_by_label("New cue").fill("what goes with the soup?")
    page.keyboard.press("Enter")
    expect(page.locator(".detail")).to_contain_text("what goes with the soup? 20")
    past = page.locator(".detail h3:text-is('History') + ol")
    cue = "cue added: “what goes with the soup?”"
    added = past.locator("li", has_text=cue)
    expect(added).to_have_count(1)
    page.get_by_role("button", name="Remove what goes with the soup?").click()
    expect(added).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(added).to_have_count(1)
    page.get_by_role("button", name="Remove what goes with the soup?").click()
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    page.get_by_role("link", name="Briefing").click()
    page.get_by_role("button", name="Sourdough").click()
    expect(page.locator(".detail blockquote")).to_contain_text("Sourdough")


def test_a_memory_is_replaced_where_it_is_browsed(tmp_path: Path, browser: Browser) -> None:
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.memories.remember("The spare key is with Ines.", title="Spare key", memory_id="key")
        recall.memories.remember(
            Fact(subject="landlord", attribute="name", value="Mr Reyes"), memory_id="landlord"
        )
    with serving(tmp_path / "store") as served, new_page(browser) as page:
        page.goto(f"{served.url}/#/memory/{MARA}/key")
        again, text = page.get_by_role("button", name="Replace"), page.get_by_label("Replace with")
        text.fill(f"It is with Noor. {MARKUP}")
        page.keyboard.press("Tab")
        expect(page.get_by_label("Replaced by")).to_be_focused()
        page.keyboard.press("Tab")
        expect(again).to_be_focused()
        page.keyboard.press("Enter")

        expect(page.locator(".detail h2")).to_have_text("Spare key")
        expect(page.locator(".detail blockquote")).to_have_text(f"It is with Noor. {MARKUP}")
        expect(page.locator(".detail article")).to_be_focused()
        expect(page.locator(".rows [aria-current]")).to_have_text(re.compile("Spare key$"))
        old = page.locator('.rows [data-memory="key"]')
        expect(old).to_contain_text("(superseded by ")
        versions = page.locator(".detail h3:text-is('Versions') + ol li")
        expect(versions.first).to_contain_text("The spare key is with Ines. (superseded by ")
        assert page.evaluate("window.broken") is None
        old.click()
        expect(page.locator(".detail")).to_contain_text("superseded by")
        expect(text).to_have_count(0)
        page.locator('.rows [data-memory="landlord"]').click()
        text.fill("Ms Lund")
        again.click()
        expect(page.locator(".detail blockquote")).to_contain_text("is Ms Lund.")
        text.fill("Mr Ode")
        new = page.locator(".rows [aria-current]").get_attribute("data-memory")
        with served.client("") as http:  # somebody else is faster
            body = {"text": "Mrs Falk", "supersedes": [new]}
            assert http.post(f"/v1/entities/{MARA}/remember", json=body).is_success
        again.click()
        expect(page.locator(".detail form .failed")).to_contain_text("was superseded by")


def test_a_memory_is_replaced_by_a_stored_one_of_the_last_answer(
    tmp_path: Path, browser: Browser
) -> None:
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.add([note("old", "The spare key is with Ines."), note("new", "Noor has the key.")])
    with serving(tmp_path / "store") as served, new_page(browser) as page:
        page.goto(f"{served.url}/#token=&entity={MARA}")
        ask(page, "Help me find the spare key")
        page.locator('article[data-memory="old"] h3').get_by_role("button").click()
        by, submit = page.get_by_label("Replaced by"), page.get_by_role("button", name="Replace")
        expect(page.locator("#replacements option[value=new]")).to_have_text("About new")
        by.fill("nowhere")
        submit.click()
        expect(page.locator(".detail form .failed")).to_contain_text("nowhere")
        by.fill("new")
        submit.click()

        expect(page.locator(".detail h2")).to_have_text("About new")
        expect(page.locator('.rows [data-memory="old"]')).to_contain_text("(superseded by new")
        expect(page.locator(".detail")).to_contain_text("old superseded by new")
        page.get_by_role("link", name="Ask").click()
        ask(page, "Help me find the key")
        expect(page.get_by_text("Found, but no longer valid: 1")).to_be_visible()
        page.get_by_label("include memories that no longer hold").check()
        ask(page, "Help me find the key")
        ended = page.locator('article[data-memory="old"] .warning', has_text="superseded by")
        expect(ended).to_be_visible()
        page.get_by_role("link", name="Recalls").click()
        page.locator(".recalls li .link").first.click()
        expect(ended).to_be_visible()


def test_a_memory_is_ended_restored_and_forgotten_where_it_is_browsed(
    tmp_path: Path, browser: Browser
) -> None:
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.memories.remember("The spare key is with Ines.", title="Spare key", memory_id="key")
    with serving(tmp_path / "store") as served, new_page(browser) as page:
        page.goto(f"{served.url}/#/memory/{MARA}/key")
        page.get_by_role("button", name="It no longer holds").click()
        expect(page.locator(".rows")).to_contain_text("(deprecated")
        expect(page.get_by_role("button", name="Replace")).to_have_count(0)
        page.get_by_role("button", name="Let it hold again").click()
        expect(page.locator(".rows")).not_to_contain_text("(deprecated")
        page.get_by_role("button", name="Forget …").click()
        expect(page.locator(".detail")).to_contain_text("Spare key")  # one press deletes nothing
        page.get_by_role("button", name="Forget it").click()
        expect(page.locator(".detail")).to_contain_text("It is forgotten")
        expect(page.locator(".rows")).not_to_contain_text("Spare key")
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        assert not recall.memories.find("spare")


@pytest.fixture(scope="module")
def cued(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of memories with vague titles and a cue each."""
    store = tmp_path_factory.mktemp("cued") / "store"
    rows = [
        ("boiler", "The boiler was serviced in May by a man from town.", "read the gas meter"),
        ("rosa", "Rosa comes on Tuesdays, after nine.", "whom do I call about the boiler"),
        ("gate", "The gate code is four one nine.", "let the delivery in"),
        ("fence", "The fence leans. Oil the squeaking hinge.", "mend the fence"),
        ("oak", "The oak lost a branch.", "tidy the garden"),
        ("hens", "Six hens, and one of them is broody.", "feed the hens"),
    ]
    memories = [
        replace(
            note(name, text, title=f"Memo {number}", day=9 - number),
            cues=(cue,),
        )
        for number, (name, text, cue) in enumerate(rows)
    ]
    with Recall.open(store, entity=MARA, embedder="hashing") as recall:
        recall.add(memories)
    with serving(store) as one:
        yield one


def test_a_card_and_the_drawing_say_that_only_a_cue_found_a_memory(
    cued: Running, browser: Browser
) -> None:
    with new_page(browser) as page:
        page.goto(f"{cued.url}/#token=&entity={MARA}")
        page.get_by_label("How many memories").fill("2")
        ask(page, "whom do I call about the boiler?")
        rosa = page.locator('article[data-memory="rosa"]')
        boiler = page.locator('article[data-memory="boiler"]')
        expect(rosa.locator(".facts")).to_contain_text("a cue (by its text alone: ")
        expect(boiler.locator(".facts")).to_contain_text("its text")
        expect(rosa.locator(".why")).to_contain_text("whom do I call about the boiler")
        expect(page.locator(".box.cue")).to_contain_text(["whom do I call about the boiler"])
        page.locator(".box.memory", has_text="Rosa").hover()
        expect(page.locator(".box.query.dim")).to_have_count(1)  # no line leads from words to it


def test_the_parts_of_a_score_name_the_cue(cued: Running, browser: Browser) -> None:
    with new_page(browser) as page:
        page.goto(f"{cued.url}/#token=&entity={MARA}")
        ask(page, "whom do I call about the boiler?")
        rosa = page.locator('article[data-memory="rosa"]')
        rosa.get_by_role("button", name="Why?").click()
        expect(rosa.get_by_role("row")).to_have_count(0)
        rosa.get_by_text("How its score was computed").click()
        expect(rosa.locator(".story")).to_contain_text("By its text alone, searches found it")
        row = rosa.get_by_role("row", name=re.compile("^cues "))
        expect(row).to_contain_text("its nearest cue: “whom do I call about the boiler”")
        other = page.locator('article[data-memory="boiler"]')
        other.get_by_role("button", name="Why?").click()
        other.get_by_text("How its score was computed").click()
        expect(other.get_by_role("row").first).to_be_visible()
        expect(other).not_to_contain_text("its nearest cue: “whom")


def test_what_memories_are_stored_for_can_be_asked_at_once(
    cued: Running, page: Page, browser: Browser
) -> None:
    with new_page(browser) as other:
        other.goto(f"{cued.url}/#token=&entity={MARA}")
        tries = other.locator(".row", has_text="Try:").get_by_role("button")
        expect(tries).to_have_count(3)
        expect(other.get_by_text("secondhop finds the memories")).to_be_visible()
        words = tries.first.inner_text()
        tries.first.click()
        expect(other.locator(".answer .why").first).to_contain_text(words)
        expect(tries).to_have_count(0)
        expect(other.get_by_text("secondhop finds the memories")).to_have_count(0)
    expect(page.locator("#stats")).not_to_be_empty()
    expect(page.get_by_text("Try:")).to_have_count(0)  # none of these memories has a cue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_mend(
    running: Running, browser: Browser, scheme: Literal["light", "dark"]
) -> None:
    axe = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    with new_page(browser, bypass_csp=True) as page:

        def faults() -> list[str]:
            page.evaluate(axe)
            found = page.evaluate("axe.run(document)")
            return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found["violations"]]

        # without animations, whose colours in between are nobody's contrast
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.goto(f"{running.url}/#token={running.tokens['admin']}&entity={MARA}")
        ask(page)
        page.locator(".flow summary").first.click()
        page.get_by_text("Every step").click()
        page.locator(".answer article .why-button").first.click()
        page.locator(".near .why-button").first.click()
        expect(page.locator(".story")).to_have_count(2)
        page.locator(".answer article .vote.hot").first.click()
        assert faults() == []
        for view in ("Compare", "Memories", "Recalls", "Facts", "Briefing"):
            page.get_by_role("link", name=view).click()
            shown = page.locator("main :is(textarea, .rows li, .recalls li, p, table):visible")
            expect(shown.first).to_be_visible()
            assert faults() == []
        page.get_by_role("link", name="Memories").click()
        page.locator(".rows button").first.click()
        expect(page.locator(".detail article")).to_be_visible()
        assert faults() == []
        page.get_by_role("link", name="Recalls").click()
        page.locator(".recalls .link").first.click()
        expect(page.get_by_role("button", name="Ask again")).to_be_visible()
        assert faults() == []
        page.get_by_role("link", name="Compare").click()
        page.get_by_label("Question", exact=True).fill(QUESTION)
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(page.get_by_role("region", name="Places")).to_be_visible()
        assert faults() == []
        page.get_by_role("link", name="Ask").click()
        page.get_by_role("button", name="Resolve").click()
        expect(page.get_by_role("link", name="What was learned")).to_be_visible()
        assert faults() == []


def test_a_narrow_screen_does_not_scroll_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.reload()
    expect(page.get_by_label("Effort", exact=True)).to_be_hidden()
    page.get_by_text("More", exact=True).click()
    expect(page.get_by_label("Effort", exact=True)).to_be_visible()
    page.get_by_text("More", exact=True).click()
    ask(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("link", name="Compare").click()
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("table").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_five_thousand_memories_are_asked_and_browsed(tmp_path: Path, browser: Browser) -> None:
    store = tmp_path / "store"
    notes = [note(f"n-{n}", f"Day {n}: the tide came in late.", title=f"T{n}") for n in range(5000)]
    with Recall.open(store, entity=MARA, embedder="hashing") as recall:
        recall.add(notes)
    with serving(store) as large, new_page(browser) as page:
        page.goto(f"{large.url}/#token=&entity={MARA}")
        expect(page.locator("#stats")).to_have_text("5000 memories")
        ask(page, "When did the tide come in?")
        expect(page.locator(".answer article")).to_have_count(6)
        page.get_by_label("Memory id").fill("n-1234")
        page.keyboard.press("Enter")
        expect(page.locator(".why-not .story").first).to_contain_text(
            "a question that names what the memory is about"
        )
        expect(page.locator(".why-not")).not_to_contain_text(re.compile("--set|depth_factor"))
        page.get_by_role("link", name="Memories").click()
        expect(page.locator(".rows li")).to_have_count(500)
        page.get_by_label("Filter").fill("day 4321:")
        expect(page.locator(".rows li")).to_have_count(1)


def test_whose_memories_they_are_is_picked_from_those_that_are_stored(page: Page) -> None:
    whose = page.get_by_label("Memories of", exact=True)
    expect(whose.locator("option")).to_have_text([MARA, NOOR])
    whose.select_option(NOOR)
    expect(page.locator("#stats")).to_have_text("1 memory")
    page.evaluate("location.hash = '#/memory/bem/plan'")
    expect(whose).to_have_value("bem")
    expect(page.locator("#stats")).to_have_text("nothing is stored here")


def test_a_page_without_a_token_asks_for_one(running: Running, browser: Browser) -> None:
    with new_page(browser) as page:
        page.goto(running.url)
        page.get_by_label("Token").fill(running.tokens["reader"])
        page.keyboard.press("Enter")
        expect(page.get_by_label("Question", exact=True)).to_be_visible()


def test_a_file_of_one_recall_needs_no_server(tmp_path: Path, browser: Browser) -> None:
    with Recall.open(tmp_path / "store", entity=MARA, embedder="hashing") as recall:
        recall.add([note("hostile", f"Carefeed: {MARKUP}", title=MARKUP)])
    file = tmp_path / "recall.html"
    line = command(tmp_path / "store", "recall", "Carefeed", "--entity", MARA, "--html", str(file))
    subprocess.run(line, check=True, capture_output=True, env=environment())

    with new_page(browser) as page:
        page.goto(file.as_uri())
        expect(page).to_have_title("Carefeed")
        expect(page.locator(".drawing")).to_be_visible()
        expect(page.locator('article[data-memory="hostile"] h3')).to_contain_text("<img src=x")
        page.locator("article .why-button").first.click()
        expect(page.locator(".story").first).to_be_visible()
        assert page.evaluate("window.broken") is None
