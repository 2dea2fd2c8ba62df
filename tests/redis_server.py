"""A real Redis server for tests, started on a free port and ended by its process id."""

import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.local_server import free_port, running_server


@contextmanager
def running_redis(folder: Path) -> Generator[str, None, None]:
    """The address of an empty server that keeps nothing on disk."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.fail("redis-server is not installed; `apt-get install redis-server` brings it")
    port = free_port()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    command += ["--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"]
    with running_server(command, port=port):
        yield f"redis://127.0.0.1:{port}/0"


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one server for all tests; each test uses its own prefix."""
    with running_redis(tmp_path_factory.mktemp("redis")) as url:
        yield url
