"""A store that has lost its vectors, with the real Chroma: reported, examined and repaired."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command_line import document, over
from tests.fakes import note
from typer.testing import Result

from secondhop.errors import CorruptStoreError
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")


def emptied(chroma: Path) -> None:
    """Empty the folder but keep it."""
    for inside in chroma.iterdir():
        shutil.rmtree(inside) if inside.is_dir() else inside.unlink()


LOSSES: dict[str, Callable[[Path], object]] = {"deleted": shutil.rmtree, "emptied": emptied}


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    async with await Recall.aopen(tmp_path / "store", entity="mara", embedder="hashing") as recall:
        await recall.aadd([note(f"n{n}", f"Thoughts about topic {n}") for n in range(70)])
        await recall.aadd([note("key", "The key is under the mat")])
    return tmp_path / "store"


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES)
async def test_a_store_without_its_vectors_is_mended_from_its_catalog(
    store: Path, lose: Callable[[Path], object]
) -> None:
    lose(store / "chroma")

    with pytest.raises(CorruptStoreError, match="71 of 71 passage vectors") as refused:
        await Recall.aopen(store, entity="mara", embedder="hashing")
    assert f"`secondhop doctor --fix --store {store} --entity mara`" in str(refused.value)
    assert f"`secondhop reindex --store {store} --entity mara`" in str(refused.value)
    async with await opened_for_mending(store) as recall:
        found = await recall.admin.adoctor()
        unmended = (await recall.memories.acounts()).vectors
        mended = await recall.admin.adoctor(fix=True)
        after = await recall.admin.adoctor()

    (lost,) = found.findings
    assert (lost.check, lost.count, lost.fixable) == ("vectors", 71, True)
    assert not found.sound
    assert unmended == 0
    assert [(one.check, one.fixed) for one in mended.findings] == [("vectors", True)]
    assert (after.findings, after.passages) == ([], 71)
    async with await Recall.aopen(store, entity="mara", embedder="hashing") as recall:
        assert (await recall.memories.acounts()).vectors == 71
        assert (await recall.arecall("Where is the key?")).ids()[0] == "key"


async def opened_for_mending(store: Path) -> Recall:
    return await Recall.aopen(store, entity="mara", embedder="hashing", mending=True)


async def test_a_recall_over_lost_vectors_goes_on_by_words_and_says_why(store: Path) -> None:
    shutil.rmtree(store / "chroma")
    async with await opened_for_mending(store) as recall:
        answer = await recall.arecall("Where is the key?")

    assert answer.ids()[0] == "key"  # found by its words
    assert any("`secondhop doctor --fix" in reason for reason in answer.degraded)


def test_the_doctor_opens_tells_and_mends_what_no_other_command_opens(store: Path) -> None:
    plain = over(store)

    def command(*words: str) -> Result:
        return plain(*words, "--entity", "mara")

    shutil.rmtree(store / "chroma")

    refused = command("recall", "Where is the key?")
    told = command("doctor", "--json")
    shown = command("doctor")
    would = command("doctor", "--fix", "--dry-run")
    still = command("doctor", "--json")
    done = command("doctor", "--fix")
    asked = document(command("recall", "Where is the key?", "--json"))

    assert (refused.exit_code, "secondhop doctor --fix" in refused.stderr) == (1, True)
    assert (told.exit_code, would.exit_code, still.exit_code, done.exit_code) == (1, 1, 1, 0)
    assert json.loads(told.stdout) == json.loads(still.stdout)
    assert json.loads(told.stdout)["findings"][0]["count"] == 71
    assert "damage remains; each finding says how to repair it" in shown.stderr
    assert "--fix embeds them" in shown.stdout
    assert "would be fixed: vectors: 71" in would.stdout
    assert "fixed: vectors" in done.stdout
    assert asked["memories"][0]["id"] == "key"
    assert command("doctor").stdout.splitlines()[-1] == "No problem was found."


@pytest.mark.parametrize("fix", [(), ("--fix",)])
def test_a_lost_catalog_is_damage_and_its_last_trace_is_kept(
    store: Path, fix: tuple[str, ...]
) -> None:
    (catalog,) = store.glob("entities/*/catalog.db")
    catalog.write_bytes(b"")

    for _ in range(2):
        done = over(store)("doctor", *fix, "--json", "--entity", "mara")

        assert done.exit_code == 1
        (lost,) = json.loads(done.stdout)["findings"]
        assert (lost["check"], lost["weight"], lost["count"]) == ("catalog", "damage", 71)
        assert not lost["fixable"]
        assert "the catalog, which holds all texts, was lost" in lost["what"]
        assert "`secondhop import`" in lost["cure"]
