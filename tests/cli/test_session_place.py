"""Where `mcp` keeps open sessions, and how options, variables and a file choose it."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.local_server import free_port
from tests.mcp.mcp_world import (
    MARA,
    command,
    options,
    store_two,
)
from tests.mcp.mcp_world import store as store
from tests.redis_server import redis_url as redis_url
from tests.small_world import QUESTION
from typer.testing import CliRunner

from secondhop.cli.app import app
from secondhop.cli.opening import opened
from secondhop.errors import StoreError

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")


def sessions_files(store: Path) -> list[Path]:
    return list(store.rglob("sessions.db"))


@pytest.mark.parametrize(
    "place",
    ["redsi://:hush@here/0", "redis://here:port", "redis:///0?sokcet=1"],
)
def test_a_place_that_cannot_be_is_refused_with_what_to_write(store: Path, place: str) -> None:
    line = command(store, "mcp", "--entity", MARA)[3:]

    refused = CliRunner().invoke(app, [*line, "--sessions", place])

    assert refused.exit_code == 2
    assert "redis://HOST:PORT/DATABASE" in refused.stderr
    assert "hush" not in refused.stderr


async def test_sessions_are_kept_where_option_or_environment_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store_two(tmp_path)
    monkeypatch.setenv("SECONDHOP_SESSIONS", f"redis://127.0.0.1:{free_port()}/0")

    async with opened(replace(options(tmp_path), sessions="sqlite"), entity=MARA) as recall:
        await recall.sessions.astart(QUESTION)
    assert len(sessions_files(tmp_path)) == 1

    async with opened(options(tmp_path), entity=MARA) as recall:
        with pytest.raises(StoreError, match="Redis server"):
            await recall.sessions.astart(QUESTION)


async def test_a_settings_file_says_how_sessions_are(tmp_path: Path) -> None:
    await store_two(tmp_path / "store")
    file = tmp_path / "settings.yaml"
    file.write_text("session: {ttl_s: 60, k: 2, max_rounds: 3}\nlimits.k: 4\n", encoding="utf-8")
    common = replace(options(tmp_path / "store"), settings=[str(file)])

    async with opened(common, entity=MARA) as recall:
        answer = await recall.sessions.astart(QUESTION)
        left_s = (answer.expires_at - recall.admin.services.clock()).total_seconds()
        found = await recall.arecall(QUESTION)

    assert (len(answer.ids()), answer.rounds_left) == (2, 2)
    assert 50 < left_s <= 60
    assert len(found.ids()) == 4
