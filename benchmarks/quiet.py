"""Keeps other libraries in this process quiet: no telemetry, no network, no log messages."""

import ipaddress
import logging
import os
import sys
import warnings
from pathlib import Path

SILENT = {
    "ANONYMIZED_TELEMETRY": "False",  # chromadb
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "MEM0_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",
}
"""Environment variables that those libraries read when they are imported."""


def silence(folder: Path) -> None:
    """Call it before any of the libraries is imported. mem0 keeps its files in `folder`."""
    os.environ |= SILENT | {"MEM0_DIR": str(folder / "mem0")}
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", category=UserWarning)
    for name in ("mem0", "langchain_classic", "langchain_community", "qdrant_client"):
        logging.getLogger(name).setLevel(logging.ERROR)


def stay_on_this_machine() -> None:
    """Refuse all connections to other machines from now on; this cannot be undone."""
    sys.addaudithook(_refuse)


def _refuse(event: str, args: tuple[object, ...]) -> None:
    if event != "socket.connect" or not isinstance(args[1], tuple):
        return
    host = str(args[1][0])  # pyright: ignore[reportUnknownArgumentType] - any socket family
    try:
        local = ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        local = host == "localhost"
    if not local:
        raise ConnectionRefusedError(f"a benchmark tried to reach {host}; it has no network")
