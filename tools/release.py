"""Builds a release and checks it: packages, bill of materials, licences, security advisories.

    make release        # into dist/: wheel, sdist, sbom.json, licences.md

Exit status 1: a step failed; its command is printed. Checked is everything that the wheel installs
with all its extras.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
DIST = REPO / "dist"
EXTRAS = "eval,mcp,postgres,redis,server,telemetry"
REFUSED = ";".join(
    [
        *("AGPL-3.0", "AGPL-3.0-only", "AGPL-3.0-or-later", "GNU Affero General Public License v3"),
        *("GPL-2.0-only", "GPL-2.0-or-later", "GNU General Public License v2 (GPLv2)"),
        *("GPL-3.0-only", "GPL-3.0-or-later", "GNU General Public License v3 (GPLv3)"),
    ]
)
"""Licences that would bind a program that imports secondhop. (psycopg is an extra, under LGPL.)"""


def run(*command: str | Path) -> None:
    """Print and run a command; a non-zero exit status ends the release."""
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, cwd=REPO)


def tool(name: str, *options: str | Path) -> None:
    """Run a tool of the release environment."""
    run(Path(sys.executable).parent / name, *options)


def build() -> Path:
    """Build wheel and sdist in dist/, and check that PyPI would accept them; returns the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST, REPO)
    packages = sorted(DIST.iterdir())
    tool("twine", "check", "--strict", *packages)
    return next(path for path in packages if path.suffix == ".whl")


def list_what_ships(python: Path) -> None:
    """Write the bill of materials and the licences of an environment into dist/."""
    sbom = ("--output-reproducible", "--output-format", "JSON", "-o", DIST / "sbom.json")
    tool("cyclonedx-py", "environment", *sbom, python)
    licences = ("--from", "mixed", "--with-urls", "--format", "markdown")
    written = ("--output-file", DIST / "licences.md")
    tool("pip-licenses", "--python", python, *licences, *written, "--fail-on", REFUSED)


def main() -> None:
    wheel = build()
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "venv", folder)
        python = Path(folder) / "bin" / "python"
        run(python, "-m", "pip", "install", "-qq", f"{wheel}[{EXTRAS}]")
        run(python, "-m", "pip", "uninstall", "-qq", "--yes", "pip", "setuptools")
        list_what_ships(python)
        installed = next(Path(folder).glob("lib/python*/site-packages"))
        shutil.rmtree(next(installed.glob("secondhop-*.dist-info")))  # PyPI does not know it yet
        tool("pip-audit", "--strict", "--path", installed)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"the release stops at: {' '.join(error.cmd)}")
