"""Folders and pyproject.toml agree: an unlisted package would be missing only in a wheel."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
CONFIG = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = CONFIG["tool"]["setuptools"]
DATA = {"secondhop.scenarios"}
"""Packages without code."""


def packages_on_disk() -> set[str]:
    found: set[str] = set()
    for name, folder in SETUPTOOLS["package-dir"].items():
        root = REPO / folder
        for init in root.rglob("__init__.py"):
            found.add(".".join([name, *init.parent.relative_to(root).parts]))
    return found


def modules_on_disk() -> list[str]:
    """The names of all modules in listed packages, except `__main__`."""
    found: list[str] = []
    for name, folder in SETUPTOOLS["package-dir"].items():
        for path in (REPO / folder).rglob("*.py"):
            inside = path.relative_to(REPO / folder).with_suffix("").parts
            found.append(".".join([name, *inside]).removesuffix(".__init__"))
    return sorted(name for name in found if not name.endswith(".__main__"))


def test_every_package_on_disk_is_listed_for_the_wheel() -> None:
    assert packages_on_disk() | DATA == set(SETUPTOOLS["packages"])


def test_typeroot_links_match_the_rooms() -> None:
    check = [sys.executable, str(REPO / "tools" / "link_rooms.py"), "--check"]
    assert subprocess.run(check, check=False).returncode == 0


def test_pyright_checks_every_room() -> None:
    code = SETUPTOOLS["package-dir"].keys() - DATA - {"secondhop"}
    rooms = {name.removeprefix("secondhop.") for name in code}
    assert {f"tools/typeroot/secondhop/{room}" for room in rooms} <= set(
        CONFIG["tool"]["pyright"]["include"]
    )


def test_rooms_are_imported_only_below_secondhop() -> None:
    importlib.import_module("secondhop")

    assert not {"graph", "nodes", "prompts", "stores"} & set(sys.modules)


def test_every_public_name_can_be_imported() -> None:
    package = importlib.import_module("secondhop")

    for name in package.__all__:
        assert getattr(package, name) is not None


@pytest.mark.slow
def test_every_module_is_installed_and_can_be_imported(tmp_path: Path) -> None:
    names = modules_on_disk()
    program = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"

    done = subprocess.run(
        [sys.executable, "-c", program, *names],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(names) > 300
    assert done.returncode == 0, done.stderr
