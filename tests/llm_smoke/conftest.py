"""One llama.cpp server for all tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.llm_smoke.llama_server import llama_server


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "llm: asks a real small model; `make test-llm` runs it")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Collect these tests only with `-m llm`: they need a server that takes minutes to compile."""
    asked_for = config.getoption("markexpr") == "llm"
    return None if asked_for or collection_path.is_dir() else True


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a llama.cpp server with a model of 135 million parameters."""
    with llama_server(tmp_path_factory.mktemp("llama") / "server.log") as base_url:
        yield base_url
