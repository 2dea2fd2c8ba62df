"""Words of a session are on the disk while it is open, and no longer: through the front door."""

from pathlib import Path

import pytest
from tests.marked_memory import files_with_mark, marked_memory
from tests.small_world import LIFE, QUESTION

from secondhop.nodes.config import Config, SessionSettings
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")


async def opened(folder: Path, *, ttl_s: float = 300.0) -> Recall:
    config = Config(session=SessionSettings(k=3, ttl_s=ttl_s))
    recall = await Recall.aopen(folder, entity="mara", embedder="hashing", config=config)
    await recall.aadd(LIFE)
    return recall


async def test_no_file_holds_what_only_lay_in_memory_not_even_an_index_begun_meanwhile(
    tmp_path: Path,
) -> None:
    with marked_memory():
        async with await opened(tmp_path) as recall:
            first = await recall.sessions.astart(QUESTION)
            async with await Recall.aopen(tmp_path, entity="noor", embedder="hashing") as another:
                await another.aadd(LIFE)
                await another.arecall(QUESTION)
            await recall.sessions.avote(first.session_id, {first.ids()[0]: "hot"})

            assert files_with_mark(tmp_path) == []
