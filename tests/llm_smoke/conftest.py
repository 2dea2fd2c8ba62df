"""One server for all tests, a tap on the wire, and a report at the end of the run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.llm_smoke.llama_server import llama_server
from tests.llm_smoke.tally import mode_table, recall_lines
from tests.llm_smoke.wire import Sent, Wire, tapped
from tests.small_world import Answer

REPORT = pytest.StashKey[list[str]]()
SENT = pytest.StashKey[list[Sent]]()
RECALLED = pytest.StashKey[list[Answer]]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "llm: asks a real small model; `make test-llm` runs it")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Nothing but `-m llm` sees these tests: they need a server that takes minutes to compile."""
    asked_for = config.getoption("markexpr") == "llm"
    return None if asked_for or collection_path.is_dir() else True


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a llama.cpp server with a model of 135 million parameters."""
    with llama_server(tmp_path_factory.mktemp("llama") / "server.log") as base_url:
        yield base_url


@pytest.fixture
def wire(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    """Every request of the test."""
    tap = tapped(monkeypatch)
    yield tap
    request.config.stash.setdefault(SENT, []).extend(tap.sent)


@pytest.fixture
def report(request: pytest.FixtureRequest) -> list[str]:
    """Lines that are shown at the end of the run."""
    return request.config.stash.setdefault(REPORT, [])


@pytest.fixture
def recalled(request: pytest.FixtureRequest) -> list[Answer]:
    """All recalls of the run; they are told of together at its end."""
    return request.config.stash.setdefault(RECALLED, [])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for line in config.stash.setdefault(REPORT, []):
        terminalreporter.write_line(line)
    if sent := config.stash.setdefault(SENT, []):
        terminalreporter.section("all requests of the run")
        for line in mode_table(sent):
            terminalreporter.write_line(line)
    if recalled := config.stash.setdefault(RECALLED, []):
        terminalreporter.section("all recalls of the run")
        for line in recall_lines(recalled):
            terminalreporter.write_line(line)
