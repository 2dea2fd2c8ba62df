"""`secondhop mcp` before it serves."""

from importlib.machinery import ModuleSpec

import pytest
from typer.testing import CliRunner

from secondhop.cli import mcp_command
from secondhop.cli.app import app
from secondhop.cli.mcp_command import Address


def nothing_is_installed(name: str) -> ModuleSpec | None:
    """Stands in for `find_spec` when `name` is not installed."""


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_command, "find_spec", nothing_is_installed)

    refused = CliRunner().invoke(app, ["mcp"])

    assert refused.exit_code == 1
    assert "pip install '/path/to/the/checkout[mcp]'" in refused.stderr


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("me", False)],
)
def test_loopback_is_this_machine_alone(host: str, local: bool) -> None:
    assert Address(host, 1).is_loopback is local


@pytest.mark.parametrize("text", ["localhost", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000"])
def test_what_is_no_address_is_wrong_usage(text: str) -> None:
    refused = CliRunner().invoke(app, ["mcp", "--http", text])

    assert refused.exit_code == 2
    assert "HOST:PORT" in refused.stderr
