"""Imports the libraries of the dependency group `bench`, or says why it cannot."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from benchmarks.contest import NotRunError

PACKAGES = (
    "chromadb",
    "langchain-chroma",
    "langchain-classic",
    "langchain-community",
    "langchain-core",
    "langgraph",
    "langmem",
    "mem0ai",
    "qdrant-client",
    "rank-bm25",
)


def library(name: str) -> Any:
    """A module of one of these libraries, untyped, since it may not be installed.

    Raises:
        NotRunError: it is not installed, or cannot be imported.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise NotRunError(
            f"{error}; `make bench-quality` installs what it compares with"
        ) from error


def versions() -> dict[str, str]:
    """{package: version} for those that are installed."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
