"""From the given paths to documents: files, folders and zip archives, each file once."""

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

from secondhop.errors import IngestError
from secondhop.ingest.cleaning import clean_text
from secondhop.ingest.detect import formats_known, is_expected_suffix
from secondhop.ingest.reading import Document, Skipped, UnreadableError

_BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
    NotImplementedError,
    ValueError,
)
MAX_FILE_BYTES = 1024 * 1_000_000
"""A larger file is skipped."""
_MOST_PACKED = 100
"""How many times smaller an archive may make a member of more than `_SMALL_BYTES`."""
_SMALL_BYTES = 10_000_000
_MAY_GROW = 65_536
"""Bytes that may be added to a file while it is read."""


@dataclass(frozen=True, slots=True)
class Source:
    """One input as given."""

    given: str
    path: Path
    """Resolved."""
    within: Path | None = None
    """The folder that it was read with before; what is in it keeps its names there."""

    @property
    def origin(self) -> str:
        return clean_text((self.within or self.path).as_posix())

    @property
    def below(self) -> str:
        """Its path within that folder; "" for an input that stands for itself."""
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
    """Walks inputs one after the other and gives every file once, whichever way it is reached."""

    def __init__(self, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._max_file_bytes = max_file_bytes
        self._seen: set[str] = set()

    def documents(self, source: Source) -> Iterator[Document | Skipped]:
        """The documents of one input in the order of their paths; what cannot be one is skipped."""
        pending = [(source.path, source.below)]
        while pending:
            path, below = pending.pop()
            inside = below.removeprefix(source.below).lstrip("/")
            item = clean_text(f"{source.given}/{inside}" if inside else source.given)
            real = os.path.realpath(path)
            if inside and path.is_symlink() and not _is_below(real, source.path):
                reason = "a link that leads out of the folder; give what it leads to, too"
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
                yield Document(
                    item=item,
                    path=clean_text(below or path.name),
                    origin=source.origin,
                    modified_at=datetime.fromtimestamp(info.st_mtime, UTC),
                    load=partial(self._load_file, path),
                    load_beside=partial(self._load_beside, path.parent),
                )

    def _load_file(self, path: Path) -> bytes:
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size + _MAY_GROW  # as much is set aside for it
                return self._within_limit(file.read(min(size, self._max_file_bytes + 1)))
        except OSError as error:
            raise UnreadableError(_reason(error)) from error

    def _load_beside(self, folder: Path, name: str) -> bytes | None:
        path = folder / name
        return self._load_file(path) if path.is_file() and not path.is_symlink() else None

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
        return Document(
            item=f"{item}/{name}",
            path=clean_text(f"{below}/{name}".lstrip("/")),
            origin=source.origin,
            modified_at=modified_at,
            load=partial(self._load_member, archive, member),
            load_beside=partial(self._load_member_beside, archive, member),
        )

    def _load_member_beside(
        self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str
    ) -> bytes | None:
        wanted = PurePosixPath(member.filename).with_name(name).as_posix()
        found = [other for other in archive.infolist() if other.filename == wanted]
        return self._load_member(archive, found[0]) if found else None

    def _load_member(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
        self._check_size(member)
        try:
            with archive.open(member) as file:
                return self._within_limit(file.read(self._max_file_bytes + 1))
        except (*_BROKEN_ZIP, OSError) as error:
            raise UnreadableError(f"broken or encrypted in its archive: {error}") from error

    def _check_size(self, member: zipfile.ZipInfo) -> None:
        """Raises UnreadableError for a member that is too large, by what the archive says of it.

        No more than that is ever unpacked.
        """
        if member.file_size > self._max_file_bytes:
            raise self._too_large()
        if member.file_size > max(_SMALL_BYTES, _MOST_PACKED * member.compress_size):
            raise UnreadableError(
                f"{member.file_size // 1_000_000} MB, packed more than {_MOST_PACKED} times "
                f"smaller, as an attack would be; unpack the archive yourself if it is none"
            )

    def _within_limit(self, raw: bytes) -> bytes:
        if len(raw) > self._max_file_bytes:
            raise self._too_large()
        return raw

    def _too_large(self) -> UnreadableError:
        megabytes = self._max_file_bytes // 1_000_000
        return UnreadableError(f"larger than {megabytes} MB; split it")


def _is_below(real: str, folder: Path) -> bool:
    return Path(real).is_relative_to(folder)


def _children(folder: Path) -> list[Path]:
    """In reverse: the walk takes from the end."""
    return sorted(folder.iterdir(), key=lambda child: child.name, reverse=True)


def _reason(error: OSError) -> str:
    return f"cannot be read: {(error.strerror or type(error).__name__).lower()}"
