"""Make tools/typeroot/secondhop mirror [tool.setuptools.package-dir], for mypy, pyright and IDEs.

Run with --check to fail (exit 1) instead of writing. Nothing at run time uses these links.
"""

import os
import sys
import tomllib
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
TYPEROOT = REPO / "tools" / "typeroot" / "secondhop"


def wanted_links() -> dict[Path, str]:
    """{link: its relative target}."""
    config = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
    package_dir: dict[str, str] = config["tool"]["setuptools"]["package-dir"]
    targets = {
        TYPEROOT / name.removeprefix("secondhop."): REPO / folder
        for name, folder in package_dir.items()
        if name != "secondhop"
    }
    root_files = (REPO / package_dir["secondhop"]).iterdir()
    targets |= {TYPEROOT / p.name: p for p in root_files if p.name != "__pycache__"}
    return {link: os.path.relpath(target, TYPEROOT) for link, target in targets.items()}


def pointed_at(path: Path) -> str:
    """The target of a link; "" if it is not a link (copying can turn links into files)."""
    return os.readlink(path) if path.is_symlink() else ""


def main() -> int:
    wanted = wanted_links()
    there = TYPEROOT.iterdir() if TYPEROOT.is_dir() else ()
    found = {p: pointed_at(p) for p in there if p.name != "__pycache__"}
    if found == wanted:
        return 0
    if "--check" in sys.argv[1:]:
        print("tools/typeroot is out of date; run: python tools/link_rooms.py", file=sys.stderr)
        return 1
    TYPEROOT.mkdir(parents=True, exist_ok=True)
    for link in found:
        link.unlink()
    for link, target in wanted.items():
        link.symlink_to(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
