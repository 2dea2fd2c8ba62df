"""A scenario is read as a whole, or refused with the file and line of the error."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from secondhop.errors import UsageError
from secondhop.evals.scenario import load_scenario
from secondhop.evals.shipped import shipped_scenarios

MEMORY: dict[str, Any] = {
    "id": "m1",
    "title": "Plan",
    "source": "note",
    "created_at": "2025-01-01T10:00:00Z",
    "messages": [{"role": "user", "content": "My plan."}],
}
QUESTION: dict[str, Any] = {
    "id": "q1",
    "query": "What now?",
    "asked_at": "2025-02-01T10:00:00Z",
    "k": 2,
    "facets": [{"name": "plan", "why": "w", "hop": 2, "relevant": {"m1": 3}}],
    "redundant": [],
    "stale": {},
}

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a scenario folder of these lines."""

    def folder(memories: list[Any], questions: list[Any]) -> Path:
        for name, lines in (("conversations", memories), ("queries", questions)):
            text = "".join(
                (line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines
            )
            (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
        return tmp_path

    return folder


def test_the_four_shipped_scenarios_are_sound() -> None:
    scenarios = [load_scenario(folder) for folder in shipped_scenarios()]

    assert {one.name: (len(one.memories), len(one.questions)) for one in scenarios} == {
        "carefeed": (92, 5),
        "episodes": (110, 12),
        "house": (86, 5),
        "ops-notes": (90, 14),
    }
    assert sum(len(one.no_answer) for one in scenarios) == 6


def test_a_scenario_becomes_memories_and_questions(write: Write) -> None:
    scenario = load_scenario(write([MEMORY], [QUESTION]))

    assert scenario.memories[0].memory_id == "m1"
    assert scenario.memories[0].created_at.isoformat() == "2025-01-01T10:00:00+00:00"
    assert scenario.questions[0].facets[0].served_by("m1")


BROKEN: dict[str, tuple[list[Any], list[Any], str]] = {
    "broken JSON": ([MEMORY, "{"], [QUESTION], "conversations.jsonl:2: Invalid JSON"),
    "missing field": ([{"id": "m1"}], [QUESTION], "conversations.jsonl:1: title"),
    "extra field": ([MEMORY | {"x": 1}], [QUESTION], "conversations.jsonl:1: x"),
    "unknown source": ([MEMORY | {"source": "mail"}], [QUESTION], "conversations.jsonl:1: source"),
    "no messages": ([MEMORY | {"messages": []}], [QUESTION], "conversations.jsonl:1: messages"),
    "twice the same id": ([MEMORY, MEMORY], [QUESTION], "'m1' appears twice"),
    "no memory": ([], [QUESTION], "conversations.jsonl is empty"),
    "no question": ([MEMORY], [], "queries.jsonl is empty"),
    "k of nothing": ([MEMORY], ["", QUESTION | {"k": 0}], "queries.jsonl:2: k"),
    "unknown memory": ([MEMORY], [QUESTION | {"stale": {"m1": "m9"}}], "unknown memory 'm9'"),
    "a memory outdated by itself": (
        [MEMORY],
        ["", QUESTION | {"stale": {"m1": "m1"}}],
        "queries.jsonl:2: question 'q1': 'm1' is outdated by itself",
    ),
    "memories that outdate one another": (
        [MEMORY, MEMORY | {"id": "m2"}],
        [QUESTION | {"stale": {"m1": "m2", "m2": "m1"}}],
        "queries.jsonl:1: question 'q1': 'm1', 'm2' outdate one another",
    ),
    "a memory that says the same as itself": (
        [MEMORY],
        [QUESTION | {"redundant": [["m1", "m1"]]}],
        "queries.jsonl:1: question 'q1': a group of memories that say the same lists a memory "
        "twice",
    ),
    "a blank query": (
        [MEMORY],
        [QUESTION | {"query": " "}],
        "queries.jsonl:1: question 'q1': the question is empty",
    ),
    "a query that is too long": (
        [MEMORY],
        [QUESTION | {"query": "x" * 20_001}],
        "queries.jsonl:1: question 'q1': the question has 20,001 characters",
    ),
    "a huge k": ([MEMORY], [QUESTION | {"k": 10**7}], "queries.jsonl:1: k: Input should be less"),
    "facet that cannot be served": (
        [MEMORY],
        [QUESTION | {"facets": [QUESTION["facets"][0] | {"relevant": {"m1": 1}}]}],
        "has no memory of grade 2 or 3",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_scenario_names_the_place(case: str, write: Write) -> None:
    memories, questions, message = BROKEN[case]

    with pytest.raises(UsageError) as caught:
        load_scenario(write(memories, questions))

    assert message in str(caught.value)


def test_a_missing_folder_or_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        load_scenario(tmp_path / "none")
    with pytest.raises(UsageError, match=r"has no conversations\.jsonl; a folder with conv"):
        load_scenario(tmp_path)
    with pytest.raises(UsageError, match=r"has no queries\.jsonl; a folder with queries\.jsonl is"):
        load_scenario(tmp_path, stored=True)
    (tmp_path / "queries.jsonl").write_text(json.dumps(QUESTION), encoding="utf-8")
    with pytest.raises(UsageError, match=r"has no conversations\.jsonl; .* --stored` asks its"):
        load_scenario(tmp_path)


def test_cues_beside_a_scenario_are_the_hosts_unless_they_are_left_out(write: Write) -> None:
    folder = write([MEMORY], [QUESTION])
    line = {"id": "m1", "cues": ["one"], "broad": ["two"], "role": "own plan", "replaces": ["m0"]}
    (folder / "cues.jsonl").write_text(json.dumps(line))

    (memory,) = load_scenario(folder).memories
    (without,) = load_scenario(folder, cues=False).memories

    assert (memory.cues, memory.broad_cues) == (("one",), ("two",))
    assert (memory.role, memory.replaces) == ("own plan", ("m0",))
    assert (without.cues, without.broad_cues, without.role, without.replaces) == ((), (), "", ())
    assert memory.content_hash == without.content_hash


@pytest.mark.parametrize(
    ("line", "said"),
    [({"id": "m9"}, "unknown memory 'm9'"), ({"id": "m1", "cue": []}, r"cues\.jsonl:1: cue")],
)
def test_cues_of_no_memory_or_of_no_form_are_refused(
    write: Write, line: dict[str, Any], said: str
) -> None:
    folder = write([MEMORY], [QUESTION])
    (folder / "cues.jsonl").write_text(json.dumps(line))
    with pytest.raises(UsageError, match=said):
        load_scenario(folder)


def test_questions_without_an_answer_are_checked_too(write: Write) -> None:
    folder = write([MEMORY], [QUESTION])
    unanswerable = {"id": "n1", "query": " ", "asked_at": "2026-12-31T10:00:00Z"}
    (folder / "no_answer.jsonl").write_text(json.dumps(unanswerable), encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"no_answer\.jsonl:1: question 'n1': the question is empty"
    ):
        load_scenario(folder)
