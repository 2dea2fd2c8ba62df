"""`secondhop export`, `import` and `copy`, and how `doctor` and `reindex` deal with damage."""

import errno
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import note
from tests.mcp.mcp_world import command
from tests.small_world import made_once
from typer.testing import CliRunner, Result

from secondhop.cli.app import app
from secondhop.memories.records import Fact
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")

TEA = "Mara drinks tea: “sencha” ☕ \\n, and no coffee"


async def filled(folder: Path) -> None:
    async with await Recall.aopen(folder, embedder="hashing") as recall:
        await recall.aadd([note("tea", TEA, day=2)])
        await recall.aadd([note("mat", "The key is under the mat", day=3)])
        await recall.aadd([note("hook", "The key is on the hook", day=4)])
        await recall.memories.asupersede("mat", "hook", reason="seen")
        for job in ("baker", "cook"):
            await recall.memories.aremember(Fact(subject="me", attribute="job", value=job))
        found = await recall.arecall("Where is the key?")
        await recall.memories.aaccept(found, found.ids()[:1])


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory.mktemp("whole"), filled)


@pytest.fixture
def store(original: Path, tmp_path: Path) -> Path:
    """A store with the history of a text, a corrected fact, counters and text hard to encode."""
    return shutil.copytree(original, tmp_path / "store")


def run(folder: Path, *words: str) -> Result:
    """Run a command in this process as a shell would."""
    return CliRunner().invoke(app, command(folder, *words)[3:])


def told(folder: Path, *words: str) -> Any:
    """The document that a command prints."""
    done = run(folder, *words, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_an_export_that_is_imported_is_exported_byte_for_byte(store: Path, tmp_path: Path) -> None:
    first, second, copy = tmp_path / "first.jsonl", tmp_path / "second.jsonl", tmp_path / "copy"

    assert told(store, "export", str(first)) == {"memories": 5, "file": str(first)}
    assert told(copy, "import", str(first))["stored"] == 5
    again = told(copy, "import", str(first))
    assert told(copy, "export", str(second))["memories"] == 5

    assert (again["read"], again["stored"], again["unchanged"]) == (5, 0, 5)
    assert again["conflicts"] == []
    assert second.read_bytes() == first.read_bytes()
    texts = [json.loads(line)["messages"][0]["content"] for line in lines_of(first)]
    assert TEA in texts
    printed = run(store, "export")
    assert printed.stdout_bytes == first.read_bytes()
    assert "exported 5 memories" in printed.stderr
    assert [one["value"] for one in told(copy, "facts", "me")["facts"]] == ["cook"]


def test_a_copy_has_everything_and_is_made_once(store: Path, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy")

    first, again = told(store, "copy", copy), told(store, "backup", copy, "--entity", "default")

    (made,), (found,) = first["entities"], again["entities"]
    assert (made["memories"], made["vectors"], made["was_there"]) == (5, 5, False)
    assert found["was_there"]
    assert told(Path(copy), "doctor")["sound"]
    assert run(Path(copy), "export").stdout == run(store, "export").stdout


def test_ingest_leaves_exports_to_import(store: Path, tmp_path: Path) -> None:
    folder, reason = tmp_path / "mine", "this is an export of secondhop; use `secondhop import`"
    folder.mkdir()
    run(store, "export", str(folder / "memories.jsonl"))
    shutil.copy(folder / "memories.jsonl", folder / "backup")
    (folder / "garden.md").write_text("The key of the garden is in the shed.")

    alone = run(tmp_path / "new", "ingest", str(folder / "backup"))
    ledger = told(tmp_path / "new", "ingest", str(folder))

    assert alone.exit_code == 1
    assert "this is an export of secondhop; use `secondhop import --" in alone.stderr
    assert ledger["stored"] == 1
    assert [one["reason"] for one in ledger["skipped"]] == [reason] * 2


def lines_of(export: Path) -> list[bytes]:
    """The lines of the memories: all but the first (the format) and the last (their number)."""
    return export.read_bytes().splitlines()[1:-1]


# --- files that cannot be read ---


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("import", "notes"), "cannot import {}/notes: Is a directory; give a file that"),
        (
            ("import", "broken.json"),
            "` reads files that are no export",
        ),
        (("import", "other.json"), "other.json: this is not an export of version 2"),
        (("import", "newer.json"), "newer.json: this is not an export of version 2"),
        (("import", "empty.yaml"), "empty.yaml: this is not an export of version 2"),
        (
            ("import", "lacks.json"),
            "lacks.json: line 2 of the export cannot be read: it has no ",
        ),
        (("import", "bytes.bin"), "bytes.bin: it is not UTF-8 text; give a file that"),
        (("export", "notes"), "cannot export to {}/notes: it is a folder; name a file in it"),
        (("export", "nowhere/x"), "{}/nowhere is not a folder; create it first"),
        (("stats", "--scale", "empty.yaml"), "empty.yaml is empty; it must have `embedder` and"),
        (
            ("stats", "--scale", "list.yaml"),
            "list.yaml is not a scale; it must have `embedder` and",
        ),
    ],
)
def test_a_file_that_cannot_be_is_named_with_what_to_do(
    store: Path, words: tuple[str, ...], told: str
) -> None:
    folder = store.parent
    (folder / "notes").mkdir()
    (folder / "broken.json").write_text("{broken", encoding="utf-8")
    (folder / "other.json").write_text("{}", encoding="utf-8")
    newer = '{"format": "secondhop.memories", "version": 3}'
    (folder / "newer.json").write_text(newer, encoding="utf-8")
    lines = (
        '{"format": "secondhop.memories", "version": 2}',
        '{"id": "a"}',
        '{"end": "secondhop.memories", "memories": 1}',
    )
    (folder / "lacks.json").write_text("\n".join(lines), encoding="utf-8")
    (folder / "bytes.bin").write_bytes(b"\xff\xfe")
    (folder / "empty.yaml").write_text("", encoding="utf-8")
    (folder / "list.yaml").write_text("- 1", encoding="utf-8")
    *first, last = words

    done = run(store, *first, str(folder / last))

    assert (done.exit_code, done.stdout) == (2, "")
    assert told.format(folder) in done.stderr
    assert "Errno" not in done.stderr
    assert "Error(" not in done.stderr


def test_a_memory_of_which_all_is_forgotten_has_an_empty_export(
    store: Path, tmp_path: Path
) -> None:
    ids = [json.loads(line).get("id") for line in run(store, "export").stdout.splitlines()]
    assert run(store, "forget", *filter(None, ids)).exit_code == 0

    assert told(store, "export", str(tmp_path / "none.jsonl"))["memories"] == 0
    assert told(tmp_path / "copy", "import", str(tmp_path / "none.jsonl"))["stored"] == 0


def test_an_export_that_was_cut_is_refused_whole(store: Path, tmp_path: Path) -> None:
    export, copy = tmp_path / "all.jsonl", tmp_path / "copy"
    assert run(store, "export", str(export)).exit_code == 0
    whole = export.read_text(encoding="ascii").splitlines(keepends=True)
    refusals: list[str] = []
    for lines in (whole[:-1], whole[:-3], [*whole[:-3], whole[-1]], whole[:1]):
        export.write_text("".join(lines), encoding="ascii")
        refused = run(copy, "import", str(export))
        assert (refused.exit_code, refused.stdout, copy.exists()) == (2, "", False)
        refusals.append(refused.stderr)
    export.write_text("".join(whole), encoding="ascii")
    taken = run(copy, "import", str(export), "--json")

    assert "holds 5 memories, and its last line does not say how many it holds" in refusals[0]
    assert "holds 3 memories, and its last line says 5" in refusals[2]
    assert all("nothing was imported" in refusal for refusal in refusals)
    assert json.loads(taken.stdout)["stored"] == 5
    assert run(copy, "export", str(export)).exit_code == 0
    assert export.read_text(encoding="ascii") == "".join(whole)


def test_an_export_without_space_leaves_no_file_and_keeps_the_last_one(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = store.parent / "mine.jsonl"
    assert run(store, "export", str(target)).exit_code == 0
    before = target.read_bytes()

    def full(source: Path, place: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(place))

    monkeypatch.setattr(Path, "replace", full)
    files = sorted(store.parent.iterdir())
    again = run(store, "export", str(target))
    other = run(store, "export", str(store.parent / "other.jsonl"))

    assert (again.exit_code, other.exit_code) == (1, 1)
    assert f"no space is left to export to {target}; free some" in again.stderr
    assert target.read_bytes() == before
    assert sorted(store.parent.iterdir()) == files


def test_copy_and_reindex_keep_to_the_entity_of_the_environment(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Recall.open(store, embedder="hashing", entity="other") as other:
        other.add([note("secret", "Nothing that Mara should see")])
    monkeypatch.setenv("SECONDHOP_ENTITY", "other")
    there = ("--store", str(store), "--embedder", "hashing", "--json")

    copied = CliRunner().invoke(app, ["copy", str(tmp_path / "copy"), *there])
    counted = CliRunner().invoke(app, ["reindex", "--dry-run", *there])

    assert [one["entity"] for one in json.loads(copied.stdout)["entities"]] == ["other"]
    assert [*json.loads(counted.stdout)["entities"]] == ["other"]
