"""What people see of an answer and of a trace: complete, readable at 60 columns, and inert."""

import io

import pytest
from rich.console import Console, RenderableType

from secondhop.cli.answer_view import show_answer
from secondhop.cli.ledger_view import show_entries
from secondhop.cli.trace_tree import trace_tree
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.ingest.reading import Skipped


def console(width: int) -> Console:
    return Console(file=io.StringIO(), width=width, markup=False, highlight=False, emoji=False)


def printed(on: Console) -> str:
    assert isinstance(on.file, io.StringIO)
    return on.file.getvalue()


def rendered(what: RenderableType, *, width: int) -> str:
    on = console(width)
    on.print(what)
    return printed(on)


@pytest.fixture(params=[60, 100])
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def test_an_answer_shows_memories_near_misses_and_what_to_type_next(result: RecallResult) -> None:
    on = console(200)
    show_answer(result, on)
    text = printed(on)

    assert "1. [red]Goals[/red] for the first year" in text
    assert "2025-11-01  m-0  personal story, it holds the plan you wrote: “I cut the" in text
    assert "2025-11-01  m-4  not returned: is close in wording or meaning to m-1" in text
    assert "degraded: the planner timed out" in text
    assert "effort low: 1 model call, 3,412 tokens, about $0.004, 12 queries, 2.1 s" in text
    assert "secondhop explain t-1 m-4" in text


def test_on_a_screen_a_memory_takes_one_line(result: RecallResult, width: int) -> None:
    calm = result.model_copy(update={"degraded": [], "preferences": []})
    on = console(width)
    show_answer(calm, on)

    lines = printed(on).splitlines()
    of_memories = lines[: lines.index("")]
    assert [line[:2] for line in of_memories] == [
        f"{slot}." for slot in range(1, len(calm.memories) + 1)
    ]
    assert all("2025-11-01" in line and "story" in line for line in of_memories)


def test_a_memory_without_a_title_is_called_by_its_first_words(result: RecallResult) -> None:
    nameless = result.memories[0].model_copy(update={"title": "New chat", "role": ""})
    on = console(200)
    show_answer(result.model_copy(update={"memories": [nameless]}), on)

    assert "1. “I cut the turnaround from 9 days to 2. [bold]Nurses[/bold]…”  2025" in printed(on)
    assert "m-0  it holds the plan you wrote" in printed(on)
    assert "you wrote:" not in printed(on)


def test_a_quote_begins_with_the_sentence_that_the_question_asks_about(
    result: RecallResult,
) -> None:
    evidence = (
        result.memories[0]
        .evidence[0]
        .model_copy(
            update={"text": "The guest network is open. The passport runs out in May. It is blue."}
        )
    )
    memory = result.memories[0].model_copy(update={"evidence": [evidence]})
    on = console(200)
    asked = {"question": "When does my passport run out?", "memories": [memory]}
    show_answer(result.model_copy(update=asked), on)

    assert "you wrote: “The passport runs out in May." in printed(on)


def test_an_answer_fits_its_terminal_and_carries_no_control_character(
    result: RecallResult, trace: RecallTrace, width: int
) -> None:
    on = console(width)
    show_answer(result, on)
    text = printed(on) + rendered(trace_tree(trace), width=width)

    assert max(map(len, text.splitlines())) <= width
    assert not {"\x1b", "\x07"} & set(text)


def test_ids_are_shown_where_a_title_is_missing_and_steer_no_terminal(
    result: RecallResult, trace: RecallTrace
) -> None:
    hostile = "m-\x1b[2J\x1b]0;owned\x07\u202e9"
    bare = {"id": hostile, "title": ""}
    answer = result.model_copy(
        update={
            "memories": [one.model_copy(update=bare) for one in result.memories],
            "maybe": [
                one.model_copy(update={**bare, "cut_by": f"pick: repeats {hostile}"})
                for one in result.maybe
            ],
        }
    )
    story = trace.model_copy(
        update={
            "candidates": [
                one.model_copy(update={"memory_id": hostile, "title": ""})
                for one in trace.candidates
            ]
        }
    )
    on = console(100)
    show_answer(answer, on)
    text = printed(on) + rendered(trace_tree(story), width=100)

    assert "1. “I cut the" in text
    assert "m-9  not returned: repeats m-9" in text
    assert "+ #1 m-9 [m-9] 0.60" in text
    assert "- m-9 [m-9] 0.60" in text
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


def test_the_tree_tells_the_whole_story_once(trace: RecallTrace) -> None:
    text = " ".join(rendered(trace_tree(trace), width=200).split())

    assert "the question itself (hop 1, weight 1): It helps." in text
    assert "(round 1, by expand; meaning: #1 at 3)" in text
    assert "failed: no answer" in text
    assert "+ #1 [red]Goals[/red] for the first year [m-0] 0.60 (cosine 0.70, words 0.20)" in text
    assert "hot by offline" in text
    assert "[d-0] 0.60: pick: repeats m-0" in text
    assert text.count("repeats m-0") == 3
    assert "and 4 more were dropped" in text
    assert "stopped: converged (every facet is covered)" in text
    assert "longest runs: retrieve 30 ms (2 runs), fuse 20 ms" in text
    assert "? is a query: who wrote it" in text
    assert text.count("[m-1]") == 1


def test_what_was_skipped_for_one_reason_takes_one_line() -> None:
    on = console(80)
    pictures = [Skipped(item=f"{one}.png", reason="not text") for one in range(300)]
    show_entries("skipped ", [Skipped(item="a.zip", reason="damaged"), *pictures], on)
    assert printed(on).splitlines() == [
        "skipped a.zip: damaged",
        "skipped 0.png, 1.png, 2.png and 297 more: not text",
    ]
