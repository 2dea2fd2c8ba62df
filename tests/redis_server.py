"""A real Redis server for tests: started on a free port, ended by its id."""

import shutil
import socket
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def running_redis(folder: Path) -> Generator[str, None, None]:
    """Address of a server with an empty memory; it keeps nothing on disk."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.fail("redis-server is not installed; `apt-get install redis-server` brings it")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    command += ["--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(port, server)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.kill()


def wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    """Until the server answers, at most 20 seconds."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"the Redis server did not open port {port}")


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all tests; each uses a prefix of its own."""
    with running_redis(tmp_path_factory.mktemp("redis")) as url:
        yield url
