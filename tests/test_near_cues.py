"""The evidence of long memories that their cues brought, through the whole library."""

import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from sqlite3 import connect

import pytest
from tests.fakes import note
from tests.small_world import LIFE

from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.recall import Recall
from secondhop.stores.records import Memory

pytestmark = pytest.mark.usefixtures("library_of_tests")

QUESTION = "Help me get ready for Thursday"


def long_memory() -> Memory:
    walk = "The boots are ready for the hills; the club meets at the hut. " * 20
    bank = "The clerk wants both signatures, the deed and the old passbook. " * 20
    cue = "help me get ready for Thursday: which signatures, deed and passbook the clerk wants"
    return replace(note("long", f"{walk}\n\n{bank}", title="New Chat"), cues=(cue,))


def kept_on_disk(folder: Path) -> int:
    (file,) = folder.rglob("embeddings.db")
    with closing(connect(file)) as connection:
        (rows,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
    return int(rows)


async def test_a_session_read_again_later_shows_the_same_passages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd([*LIFE, long_memory()])
        session = await recall.sessions.astart(QUESTION, k=3)
        first = {one.id: one.evidence[0].text for one in session.memories}
        now = time.time
        monkeypatch.setattr(time, "time", lambda: now() + 120)  # the round's deadline has passed
        again = await recall.sessions.aget(session.session_id)

    assert "passbook" in first["long"]
    assert {one.id: one.evidence[0].text for one in again.memories} == first


async def test_looking_for_the_passage_near_a_cue_writes_nothing_to_disk(tmp_path: Path) -> None:
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd([*LIFE, long_memory()])
        embedder = recall.memories.writing.embedder
        assert isinstance(embedder, CachingEmbedder)
        await embedder.keep_passages(frozenset())  # as `forget` does before it deletes the memory
        result = await recall.arecall(QUESTION, k=3)

    assert "long" in result.ids()
    assert kept_on_disk(tmp_path) == 0
