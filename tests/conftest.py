"""Set-up for all tests: no network, a cache of their own, the same hypothesis examples each time,
and a small world."""

import asyncio
import functools
import gc
import ipaddress
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from hypothesis import HealthCheck, settings
from tests.small_world import LIFE, OriginalWorld, SmallWorld, made_once, use_small_library

from secondhop.models.assets import default_assets_dir
from secondhop.recall import Recall
from secondhop.settings import variable_names

# benchmarks are not part of the package, so they are imported from the checkout
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

settings.register_profile(
    "secondhop",
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("secondhop")


MEMORY = Path("/dev/shm")
"""A folder in memory, if the machine has one. Tests open two thousand stores, and each one writes
through to its disk a hundred times."""

if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


# building the eighty commands takes 25 ms, so it is done once per process
setattr(typer.testing, "_get_command", functools.cache(typer.main.get_command))  # noqa: B010 - its name is private


def pytest_collection_finish() -> None:
    """Keep the garbage collector from walking the objects of thousands of tests each time."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the files in tests/golden"
    )


class NetworkUsedError(RuntimeError):
    """A test tried to leave this machine."""


def expect_local(address: object) -> None:
    """Raise NetworkUsedError unless the address is local; paths of Unix sockets are."""
    if not isinstance(address, tuple):
        return
    host = str(address[0])  # pyright: ignore[reportUnknownArgumentType] - any socket family
    if host in {"localhost", ""}:
        return
    try:
        local = ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        local = False
    if not local:
        raise NetworkUsedError(f"a test tried to reach {host}; tests have no network")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow connections to this machine only; names of other machines are not even looked up."""
    connect, connect_ex, look_up = (
        socket.socket.connect,
        socket.socket.connect_ex,
        socket.getaddrinfo,
    )

    def guarded_connect(self: socket.socket, address: Any) -> None:
        expect_local(address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        expect_local(address)
        return connect_ex(self, address)

    def guarded_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        expect_local((host.decode() if isinstance(host, bytes) else host or "",))
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)


@pytest.fixture
def steady_collector() -> None:
    """For tests that measure time: keep the collector from walking what earlier tests left."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def no_model_of_the_developer() -> Iterator[None]:
    """Remove the developer's own key, model and server; a test sets what it needs."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() & {"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"}:
            patch.delenv(name)
        yield


@pytest.fixture
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove all variables that commands read, except the one that says where pulled models are."""
    for name in variable_names():
        if name != "SECONDHOP_MODEL_DIR":
            monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session", autouse=True)
def cache_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache for this run and its child processes; the user's pulled models are linked in it."""
    models = default_assets_dir()
    home = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home))
        own = default_assets_dir()
        own.parent.mkdir()
        if models.is_dir():
            own.symlink_to(models)
        yield home


@pytest.fixture(scope="session")
def original_world(tmp_path_factory: pytest.TempPathFactory) -> OriginalWorld:
    return asyncio.run(OriginalWorld.made(tmp_path_factory.mktemp("world")))


@pytest.fixture
async def world(original_world: OriginalWorld, tmp_path: Path) -> AsyncIterator[SmallWorld]:
    """The small life, in a store for this test."""
    made = await original_world.copy(tmp_path / "world")
    yield made
    await made.store.aclose()


@pytest.fixture(scope="session")
def original_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    async def filled(folder: Path) -> None:
        async with await Recall.aopen(folder, entity="mara", embedder="hashing") as opened:
            await opened.aadd(LIFE)

    return made_once(tmp_path_factory.mktemp("life"), filled)


@pytest.fixture
async def recall(original_store: Path, tmp_path: Path) -> AsyncIterator[Recall]:
    """The same life behind a `Recall`."""
    shutil.copytree(original_store, tmp_path / "store")
    async with await Recall.aopen(tmp_path / "store", entity="mara", embedder="hashing") as opened:
        yield opened


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[Recall]:
    """A memory in which nothing is stored yet."""
    async with await Recall.aopen(tmp_path / "store", entity="mara", embedder="hashing") as opened:
        yield opened


@pytest.fixture
def library_of_tests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Make `Recall.open` plan with two intents and leave the user's cache alone."""
    use_small_library(monkeypatch, tmp_path / "cache")
