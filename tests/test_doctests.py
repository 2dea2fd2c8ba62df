"""Docstring examples run under the installed names (`pytest --doctest-modules nodes` would not)."""

import doctest
import importlib
import tomllib
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
CONFIG = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))


def module_names() -> list[str]:
    """The installed names of all modules with an example."""
    return sorted(
        ".".join([package, *path.relative_to(REPO / folder).with_suffix("").parts])
        for package, folder in CONFIG["tool"]["setuptools"]["package-dir"].items()
        for path in (REPO / folder).rglob("*.py")
        if not path.name.startswith("__") and ">>> " in path.read_text(encoding="utf-8")
    )


@pytest.mark.parametrize("name", module_names())
def test_docstring_examples_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
