"""Runs a server program for tests: on a free port, and ended by its process id."""

import socket
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager

SECONDS = 30
"""Most seconds that a server may take to open its port."""


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_server(command: Sequence[str], *, port: int) -> Generator[None, None, None]:
    """Start the program, wait until it listens, and end it afterwards."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(port, server)
            yield
        finally:
            server.kill()


def wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    """Wait until the server accepts connections."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"{server.args!r} did not open port {port}")
