"""Turns files, folders and zip archives into documents, each file once."""

import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from secondhop.clean_text import clean_text
from secondhop.errors import IngestError
from secondhop.ingest.detect import formats_known, is_expected_suffix
from secondhop.ingest.reading import Document, Skipped, UnreadableError

_BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,  # zipfile raises it for a password or an unknown compression
    ValueError,
)
MAX_FILE_BYTES = 1024 * 1_000_000
"""A larger file is skipped."""
_MOST_PACKED = 100
"""Highest compression ratio allowed for an archive member larger than `_SMALL_BYTES`."""
_SMALL_BYTES = 10_000_000
_PART_BYTES = 1_000_000
"""Size of the parts that a file is read in."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file, folder or archive to ingest."""

    given: str
    """The path as the user wrote it."""
    path: Path
    """Absolute, with links resolved."""
    within: Path | None = None
    """The folder above that was ingested earlier, if any. Paths stay relative to it."""

    @property
    def origin(self) -> str:
        return clean_text((self.within or self.path).as_posix())

    @property
    def below(self) -> str:
        """Its path relative to `within`; "" without `within`."""
        return self.path.relative_to(self.within).as_posix() if self.within else ""


def source_of(path: str | os.PathLike[str]) -> Source:
    """The input at `path`. Raises IngestError when nothing is there."""
    resolved = Path(os.path.realpath(Path(path).expanduser()))
    if not os.path.lexists(resolved):
        raise IngestError(
            f"{os.fspath(path)} does not exist; give a file, a folder or a .zip that holds one of "
            f"these formats: {formats_known()}"
        )
    return Source(Path(path).as_posix(), resolved)


class Walker:
    """Walks inputs one after the other. Yields each file once, even if several paths lead to it."""

    def __init__(self, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._max_file_bytes = max_file_bytes
        self._seen: set[str] = set()

    def documents(self, source: Source) -> Iterator[Document | Skipped]:
        """The documents of one input in the order of their paths; Skipped for anything else."""
        pending = [(source.path, source.below)]
        while pending:
            path, below = pending.pop()
            inside = below.removeprefix(source.below).lstrip("/")
            item = clean_text(f"{source.given}/{inside}" if inside else source.given)
            real = os.path.realpath(path)
            if inside and path.is_symlink() and not Path(real).is_relative_to(source.path):
                reason = "a link to a place outside the folder; to read it, name that place as well"
                hides = path.is_dir() or is_expected_suffix(path.suffix.lower())
                yield Skipped(item, reason, may_hide_memories=hides)
                continue
            if real in self._seen:
                yield Skipped(item, "the same file or folder was read already")
                continue
            self._seen.add(real)
            if inside and path.name.startswith("."):
                yield Skipped(item, "hidden (its name begins with a dot)")
                continue
            try:
                info = path.stat()
                children = _children(path) if stat.S_ISDIR(info.st_mode) else []
            except OSError as error:
                yield Skipped(item, _reason(error), may_hide_memories=True)
                continue
            if stat.S_ISDIR(info.st_mode):
                if not children and not inside:
                    yield Skipped(item, "an empty folder")
                pending += [(child, f"{below}/{child.name}".lstrip("/")) for child in children]
            elif not stat.S_ISREG(info.st_mode):
                yield Skipped(item, "not a regular file")
            elif path.suffix.lower() == ".zip":
                yield from self._members(path, below, item, source)
            else:
                yield self._file(path, clean_text(below or path.name), item, source)

    def _file(self, path: Path, name: str, item: str, source: Source) -> Document:
        def beside(other: str) -> Document | None:
            found = path.with_name(other)
            if not found.is_file() or found.is_symlink():
                return None
            return self._file(found, _named(name, other), _named(item, other), source)

        info = path.stat()
        return Document(
            item=item,
            path=name,
            origin=source.origin,
            modified_at=datetime.fromtimestamp(info.st_mtime, UTC),
            size=info.st_size,
            read=partial(self._parts_of_file, path),
            beside=beside,
        )

    def _parts_of_file(self, path: Path) -> Iterator[bytes]:
        try:
            with path.open("rb") as file:
                yield from self._parts(file)
        except OSError as error:
            raise UnreadableError(_reason(error)) from error

    def _parts(self, file: IO[bytes]) -> Iterator[bytes]:
        """The bytes, part by part. Raises UnreadableError beyond the size limit."""
        size = 0
        while part := file.read(_PART_BYTES):
            size += len(part)
            if size > self._max_file_bytes:
                raise self._too_large()
            yield part

    def _members(
        self, path: Path, below: str, item: str, source: Source
    ) -> Iterator[Document | Skipped]:
        try:
            with zipfile.ZipFile(path) as archive:
                for member in sorted(archive.infolist(), key=lambda info: info.filename):
                    if not member.is_dir():
                        yield self._member(archive, member, below, item, source)
        except _BROKEN_ZIP as error:
            yield Skipped(item, f"a broken zip archive: {error}", may_hide_memories=True)
        except OSError as error:
            yield Skipped(item, _reason(error), may_hide_memories=True)

    def _member(
        self,
        archive: zipfile.ZipFile,
        member: zipfile.ZipInfo,
        below: str,
        item: str,
        source: Source,
    ) -> Document | Skipped:
        name = clean_text(member.filename)
        if any(part.startswith(".") or part == "__MACOSX" for part in name.split("/")):
            return Skipped(f"{item}/{name}", "a hidden file")
        try:
            modified_at = datetime(*member.date_time, tzinfo=UTC)
        except ValueError:
            modified_at = datetime.fromtimestamp(os.stat(archive.filename or "").st_mtime, UTC)

        def beside(other: str) -> Document | None:
            wanted = _named(member.filename, other)
            found = [one for one in archive.infolist() if one.filename == wanted]
            read = self._member(archive, found[0], below, item, source) if found else None
            return read if isinstance(read, Document) else None

        return Document(
            item=f"{item}/{name}",
            path=clean_text(f"{below}/{name}".lstrip("/")),
            origin=source.origin,
            modified_at=modified_at,
            size=member.file_size,
            read=partial(self._parts_of_member, archive, member),
            beside=beside,
        )

    def _parts_of_member(
        self, archive: zipfile.ZipFile, member: zipfile.ZipInfo
    ) -> Iterator[bytes]:
        self._check_size(member)
        try:
            with archive.open(member) as file:
                yield from self._parts(file)
        except (*_BROKEN_ZIP, OSError) as error:
            raise UnreadableError(f"broken or encrypted in its archive: {error}") from error

    def _check_size(self, member: zipfile.ZipInfo) -> None:
        """Raises UnreadableError if the size that the archive declares is too large.

        Never more than the declared size is unpacked.
        """
        if member.file_size > self._max_file_bytes:
            raise self._too_large()
        if member.file_size > max(_SMALL_BYTES, _MOST_PACKED * member.compress_size):
            raise UnreadableError(
                f"{member.file_size // 1_000_000} MB, compressed more than {_MOST_PACKED} times, "
                f"as a zip bomb would be; if you trust the archive, unpack it yourself"
            )

    def _too_large(self) -> UnreadableError:
        megabytes = self._max_file_bytes // 1_000_000
        return UnreadableError(f"larger than {megabytes} MB; split it")


def _named(path: str, other: str) -> str:
    """The path of the file named `other` in the same folder."""
    return PurePosixPath(path).with_name(other).as_posix()


def _children(folder: Path) -> list[Path]:
    """Sorted by name in reverse, because the walk pops from the end."""
    return sorted(folder.iterdir(), key=lambda child: child.name, reverse=True)


def _reason(error: OSError) -> str:
    return f"cannot be read: {(error.strerror or type(error).__name__).lower()}"
