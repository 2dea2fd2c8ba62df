"""The command line's contract: keys, exit statuses, and nothing but JSON on standard output."""

import json
from collections.abc import Sequence
from pathlib import Path
from shlex import split

import pytest
from tests.command_line import Cli, document, over, ran
from tests.evals.scenario_files import memory_row, write_rows

HOSTILE_ID = "hostile\x1b[2J\x1b]0;owned\x07\u202e"
STEERING = frozenset("\x1b\x07\u202e")

NOTES = {
    "plan": ("note", "My plan for the Carefeed job: cut onboarding from nine weeks to four."),
    "research": ("conversation", "Carefeed sells communication software to nursing homes."),
    "résumé": ("note", "Résumé: eight years of product, led teams of twelve, two launches."),
    HOSTILE_ID: ("note", "Carefeed \x1b[31mred\x1b[0m [bold]not markup[/bold] :boom:"),
    "garden": ("note", "The tomatoes need water twice a week; the basil is in the shade."),
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scenario file of five memories, one of them hostile."""
    rows = [
        memory_row(name, text, title=f"{name} [red]title[/red]\x1b[2J", source=source)
        for name, (source, text) in NOTES.items()
    ]
    folder = write_rows(tmp_path_factory.mktemp("notes"), conversations=rows)
    return folder / "conversations.jsonl"


@pytest.fixture(scope="module")
def store(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of these notes."""
    folder = tmp_path_factory.mktemp("store")
    done = ran("ingest", notes, "--store", folder, "--embedder", "hashing")
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def cli(cli: Cli, store: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command on that store."""
    monkeypatch.setenv("SECONDHOP_STORE", str(store))
    return cli


QUESTION = "my plan for the Carefeed job, my résumé of product launches, software for nursing homes"


def test_recall_heeds_a_filter_and_its_trace_shows_it(cli: Cli) -> None:
    told = document(cli("recall", QUESTION, "--source", "conversation", "--json"))
    shown = cli("recall", QUESTION, "--source", "conversation", "--trace")

    assert [one["id"] for one in told["memories"]] == ["research"]
    assert "only sources: conversation" in shown.stdout


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("--tag", "old"), {"old-talk", "old-note"}),
        (("--kind", "factual"), {"fact"}),
        (("--after", "2025-10-31"), {"new-talk", "fact"}),
        (("--before", "2025-10-31"), {"old-talk", "old-note"}),
        (("--source", "conversation"), {"old-talk", "new-talk"}),
    ],
)
def test_recall_brings_back_only_what_a_filter_admits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str], found: set[str]
) -> None:
    monkeypatch.setenv("SECONDHOP_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("SECONDHOP_EMBEDDER", "hashing")
    for name, tag, when in (
        ("old-talk", "old", "2024-05-01T10:00:00Z"),
        ("new-talk", "new", "2025-11-01T10:00:00Z"),
        ("old-note", "old", "2024-06-01T10:00:00Z"),
    ):
        source = "conversation" if name.endswith("talk") else "note"
        row = memory_row(name, f"{QUESTION} {name}", source=source) | {"created_at": when}
        file = write_rows(tmp_path / name, notes=[row]) / "notes.jsonl"
        assert ran("ingest", file, "--tag", tag).exit_code == 0
    of_plan = ("--subject", "Carefeed job", "--attribute", "plan", "--at", "2025-12-01T10:00Z")
    assert ran("remember", QUESTION, *of_plan, "--id", "fact").exit_code == 0

    answer = document(ran("recall", QUESTION, *words, "--json"))

    assert {one["id"] for one in answer["memories"]} == found


def test_recall_answers_with_the_contracts_keys(cli: Cli) -> None:
    answer = document(cli("recall", QUESTION, "--k", "3", "--json", "--at", "2025-11-17T13:00Z"))

    assert {
        "memories", "maybe", "degraded", "stop_reason", "rounds", "spent", "trace_id"
    } <= set(answer)  # fmt: skip
    assert 1 <= len(answer["memories"]) <= 3
    for memory in answer["memories"]:
        assert {
            "id", "title", "created_at", "score", "facets", "hop", "round", "why", "evidence"
        } <= set(memory)  # fmt: skip
        assert memory["evidence"][0]["text"]
    assert answer["asked_at"].startswith("2025-11-17T13:00")


def test_a_follow_up_is_searched_with_what_was_asked_earlier(cli: Cli) -> None:
    earlier = ("--earlier", "How often do the tomatoes need water?", "--earlier", "Thanks!")
    alone = document(cli("recall", "And how much of it?", "--json"))
    follow_up = document(cli("recall", "And how much of it?", *earlier, "--json"))

    assert [one["id"] for one in alone["memories"]][:1] != ["garden"]
    assert [one["id"] for one in follow_up["memories"]][:1] == ["garden"]


def test_a_recall_can_be_explained_by_id_and_by_file(cli: Cli, store: Path) -> None:
    answer = document(cli("recall", QUESTION, "--json", "--trace"))
    returned = answer["memories"][0]["id"]
    file = next(store.rglob(f"*{answer['trace_id']}*"))

    assert answer["trace"]["trace_id"] == answer["trace_id"]
    for name in (answer["trace_id"], str(file)):
        story = document(cli("explain", name, returned, "--json"))
        assert {"memory_id", "returned", "story", "cut_by", "nearest_change"} <= set(story)
        assert story["returned"] is True
    for memory_id in NOTES:
        assert cli("explain", answer["trace_id"], memory_id).exit_code == 0


def test_recall_for_people_shows_memory_text_as_text(cli: Cli) -> None:
    shown = cli("recall", "Carefeed [bold]not markup[/bold]", "--trace")

    assert shown.exit_code == 0, shown.stderr
    assert "[red]title[/red]" in shown.stdout
    assert not STEERING & set(shown.stdout)
    assert "[hostile]" in " ".join(shown.stdout.split())
    assert "secondhop explain" in shown.stdout


def test_stats_counts_what_is_stored(cli: Cli) -> None:
    assert 5 in document(cli("stats", "--json")).values()
    shown = cli("stats")
    assert shown.exit_code == 0
    assert "schema" not in shown.stdout  # the schema's number means nothing to a person


WRONG_USAGE = {
    "k of nothing": ("recall", "q", "--k", "0"),
    "k and tokens": ("recall", "q", "--k", "3", "--tokens", "100"),
    "an empty question": ("recall", ""),
    "an unknown command": ("memorise", "q"),
    "a time that UTC has not": ("recall", "q", "--at", "0001-01-01T00:00+14:00"),
    "no deadline": ("recall", "q", "--deadline", "inf"),
    "a setting that cannot be": ("recall", "q", "--set", "limits.k=1000000000"),
    "a setting that there is not": ("recall", "q", "--set", "limits.kk=3"),
    "an unknown kind of model": ("recall", "q", "--llm", "nonsense"),
    "an unknown embedder": ("recall", "q", "--embedder", "magic"),
    "an empty path": ("ingest", ""),
    "a sign for standard output as a folder": ("stats", "--store", "-"),
    "a sign for standard input as settings": ("stats", "--settings", "-"),
    "an empty entity": ("recall", "q", "--entity", ""),
    "a server with an impossible port": ("stats", "--chroma", "http://127.0.0.1:99999"),
    "an unknown format": ("ingest", ".", "--format", "pdf"),
    "an unknown trace": ("explain", "no-such-trace", "plan"),
    "a scenario that is none": ("eval", "scenarios", "."),
    "a missing scenario": ("demo", "--scenario", "nowhere"),
}


@pytest.mark.parametrize("case", WRONG_USAGE)
def test_wrong_usage_leaves_with_2_and_says_what_is_wrong(case: str, cli: Cli) -> None:
    refused = cli(*WRONG_USAGE[case])

    assert refused.exit_code == 2, refused.output
    assert refused.stdout == ""
    assert refused.stderr
    assert "Traceback" not in refused.stderr


def failing_work(folder: Path) -> dict[str, tuple[str, ...]]:
    """Commands that are used correctly but cannot do their work."""
    (folder / "broken.json").write_text("{", encoding="utf-8")
    (folder / "empty").mkdir()
    (folder / "file").write_text("", encoding="utf-8")
    return {
        "an empty store": ("recall", "q", "--store", "none"),
        "an unknown entity": ("recall", "q", "--entity", "nobody"),
        "a broken file": ("ingest", "broken.json"),
        "an empty folder": ("ingest", "empty"),
        "a store that is a file": ("ingest", "broken.json", "--store", "file"),
        "a store below a file": ("recall", "q", "--store", "file/store"),
        "stats of an empty store": ("stats", "--store", "none"),
        "stats of nobody": ("stats", "--entity", "nobody"),
        "a reindex of nothing": ("reindex", "--store", "none"),
        "a reindex of nobody": ("reindex", "--entity", "nobody"),
    }


def test_failed_work_leaves_with_1_and_says_what_to_do(cli: Cli, tmp_path: Path) -> None:
    for case, arguments in failing_work(tmp_path).items():
        failed = cli(*arguments, "--json")

        assert failed.exit_code == 1, (case, failed.output)
        assert failed.stderr.startswith("secondhop: "), case
        assert "Traceback" not in failed.output, case
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("words", [("  ",), ("q", "--k", "3", "--tokens", "50")])
def test_what_cannot_be_asked_is_refused_before_the_store_is_opened(
    words: Sequence[str], tmp_path: Path
) -> None:
    (tmp_path / "store.json").write_text("damaged")
    assert over(tmp_path)("recall", "q").exit_code == 1
    assert over(tmp_path)("recall", *words).exit_code == 2


def test_an_unknown_entity_is_answered_with_those_that_there_are(cli: Cli, store: Path) -> None:
    reading = ("stats", "list", "facts", "briefing", "cues", "export", "doctor", "reindex")
    for command in (("recall", "q"), *((name,) for name in reading)):
        refused = cli(*command, "--store", str(store), "--entity", "nobody")
        assert refused.exit_code == 1, command
        assert "(it has 'default')" in refused.stderr, command


def test_an_ingest_that_stored_nothing_still_gives_its_whole_ledger(
    cli: Cli, tmp_path: Path
) -> None:
    for number in range(9):
        (tmp_path / f"{number}.txt").touch()

    failed = cli("ingest", ".", "--json")

    assert failed.exit_code == 1
    assert [entry["reason"] for entry in json.loads(failed.stdout)["skipped"]] == [
        "an empty file"
    ] * 9


def test_what_to_type_next_finds_the_same_memory_again(cli: Cli, store: Path) -> None:
    asked = cli("recall", QUESTION, "--store", str(store), "--entity", "default")

    (line,) = [line for line in asked.stdout.splitlines() if "explain" in line]
    command = " ".join(asked.stdout.partition("why, or why not: ")[2].split())
    assert f"--store {store} --entity default" in command, line
    arguments = split(command)[1:]
    assert cli(*arguments).exit_code == 0


def test_another_embedder_than_the_stores_is_refused_with_the_way_out(cli: Cli) -> None:
    refused = cli("recall", "q", "--embedder", "default")

    assert refused.exit_code == 1, refused.output
    assert "reindex" in refused.stderr


def test_memories_of_another_library_are_ingested_and_exported(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mem0.json"
    rows = [
        {"id": "8a1f", "memory": "Grows tomatoes"},
        {"id": "9b2e", "memory": "Allergic to nuts"},
    ]
    file.write_text(json.dumps({"results": rows}))
    place = ("--store", str(tmp_path / "store"), "--embedder", "hashing", "--entity", "ana")
    assert document(cli("ingest", str(file), *place, "--json"))["stored"] == 2

    items = document(cli("export", "--format", "langmem", *place))
    assert cli("export", str(tmp_path / "back.json"), "--format", "mem0", *place).exit_code == 0
    assert cli("export", "--format", "zep", *place).exit_code == 2

    back = json.loads((tmp_path / "back.json").read_text())
    assert {one["id"] for one in back["results"]} == {"8a1f", "9b2e"}
    assert len(items) == 2
