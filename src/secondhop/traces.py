"""Where the traces of an entity's recalls are kept: one compressed file each, oldest out first."""

import gzip
import json
import logging
import os
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from secondhop.errors import NotStoredError, UsageError
from secondhop.graph.trace import SCHEMA_VERSION, RecallTrace
from secondhop.graph.trace_build import TraceDraft
from secondhop.graph.trace_mask import masked
from secondhop.nodes.config import TraceSettings
from secondhop.stores.entity_names import entity_slug

logger = logging.getLogger(__name__)

WAITING = 16
"""Traces that may wait to be written; each holds what its recall ended with."""

COMPRESSION = 6
SUFFIX, OLD_SUFFIX, PART_SUFFIX = ".json.gz", ".json", ".part"
"""Of a trace; of one that version 0.1 wrote; of one that is being written."""

_guard = threading.Lock()
_writers: dict[int, ThreadPoolExecutor] = {}
"""The thread that writes traces, by process: a forked one inherits the object, but not its thread.
One a process, since there is one disk."""

_TRACE_ID = re.compile(r"[0-9a-zA-Z_-]{1,64}")
_DAY_S = 86_400.0


def traces_of(entity: str, *, store: Path, settings: TraceSettings | None = None) -> "TraceFolder":
    """The traces of an entity's recalls, in the folder of its store."""
    folder = store / "entities" / entity_slug(entity) / "traces"
    return TraceFolder(folder, entity=entity, settings=settings)


class TraceFolder:
    """A folder of trace files, one a recall, named by trace id. Nothing else writes there.

    Traces are written in the background, one after the other; whoever reads one through this
    object waits for it. `finish` waits for all.
    """

    def __init__(
        self, path: Path, *, entity: str = "default", settings: TraceSettings | None = None
    ) -> None:
        self.path, self._entity, self._settings = path, entity, settings or TraceSettings()
        self._waiting: dict[str, Future[None]] = {}

    def keep(self, draft: TraceDraft) -> Future[None] | None:
        """Write a trace in the background, unless none are kept.

        Returns:
            The trace to wait for, if too many are not written yet.
        """
        if not self._settings.max_count:
            return None
        trace_id = draft.state["trace_id"]
        future = self._waiting[trace_id] = in_background(lambda: self._write_or_warn(draft))
        future.add_done_callback(lambda _: self._waiting.pop(trace_id, None))
        waiting = [*self._waiting.values()]  # a copy: the writer takes out what it has written
        return waiting[0] if len(waiting) > WAITING else None

    def finish(self) -> None:
        """Wait until everything is written."""
        for future in [*self._waiting.values()]:
            future.result()

    def save(self, trace: RecallTrace | TraceDraft) -> Path:
        """Write a trace now, and let go of those that are too many, too old or too big.

        Raises:
            OSError: the folder cannot be written.
        """
        if isinstance(trace, TraceDraft):
            trace_id, text = trace.state["trace_id"], trace.json
        else:
            trace_id, text = trace.trace_id, trace.model_dump_json(exclude_unset=True).encode()
        self.path.mkdir(parents=True, exist_ok=True)
        file = self._file(trace_id)
        part = file.with_suffix(PART_SUFFIX)
        part.write_bytes(gzip.compress(text, COMPRESSION, mtime=0))
        now = time.time_ns()
        os.utime(part, ns=(now, now))  # the file system's own clock gives two in a row one time
        part.replace(file)
        self._let_go()
        return file

    def load(self, trace_id: str) -> RecallTrace:
        """Read the trace of a recall.

        Raises:
            NotStoredError: there is none of that id.
            UsageError: it cannot be read, or written by a newer secondhop.
        """
        file = self._file(trace_id)
        if (waiting := self._waiting.get(trace_id)) is not None:
            waiting.result()
        for found in (file, file.with_suffix("")):  # version 0.1 did not compress
            if found.exists():
                return read_trace(found)
        newest = [path.name.partition(".")[0] for path in self._newest_first()[:3]]
        known = f"those of the last recalls: {', '.join(newest)}" if newest else "none is"
        raise NotStoredError(
            f"no trace {trace_id!r} is kept for entity {self._entity!r} ({known}); a recall tells "
            f"the id of the trace it keeps, and the settings `traces.*` say how many are kept"
        )

    def newest(self, limit: int) -> list[RecallTrace]:
        """At most so many, the newest first; one that cannot be read is left out."""
        self.finish()
        found: list[RecallTrace] = []
        for path in self._newest_first()[:limit]:
            with suppress(UsageError):  # another recall has let it go, or a newer version wrote it
                found.append(self.load(path.name.partition(".")[0]))
        return found

    def find(self, trace: str | Path | RecallTrace) -> RecallTrace:
        """A trace that is given, named by its file, or kept here under its id.

        Raises:
            UsageError: there is no such trace.
        """
        if isinstance(trace, RecallTrace):
            return trace
        path = Path(trace)
        is_file = path.name.endswith((SUFFIX, OLD_SUFFIX)) or path.parent != Path(".")
        if isinstance(trace, Path) or is_file:
            return read_trace(path)
        return self.load(str(trace))

    def naming(self, memory_ids: Sequence[str]) -> list[Path]:
        """Files of the traces that tell of any of these memories."""
        self.finish()
        return [
            file
            for file in self._files(SUFFIX, OLD_SUFFIX, PART_SUFFIX)
            if (text := _text_of(file)) is None or _named(memory_ids, text)
        ]

    def mask(self, file: Path, memory_ids: Sequence[str], *, texts: Sequence[str]) -> None:
        """Take the words of forgotten memories out of a trace; one that cannot be read goes.

        Args:
            texts: of these memories.

        Raises:
            OSError: the folder cannot be written.
        """
        text = _text_of(file)
        try:
            trace, written = read_trace(file), file.stat()
        except (UsageError, FileNotFoundError):
            file.unlink(missing_ok=True)
            return
        if text is None:
            file.unlink(missing_ok=True)
            return
        saved = self.save(masked(trace, _named(memory_ids, text), texts=texts))
        os.utime(saved, ns=(written.st_atime_ns, written.st_mtime_ns))  # it is as old as before
        if saved != file:
            file.unlink(missing_ok=True)

    def _write_or_warn(self, draft: TraceDraft) -> None:
        """A recall answers also where its trace cannot be written."""
        try:
            self.save(draft)
        except OSError as error:
            logger.warning("the trace of a recall could not be kept: %s", error)

    def _file(self, trace_id: str) -> Path:
        if not _TRACE_ID.fullmatch(trace_id):
            raise UsageError(f"{trace_id!r} is not a trace id; `secondhop recall` prints one")
        return self.path / f"{trace_id}{SUFFIX}"

    def _files(self, *suffixes: str) -> list[Path]:
        with suppress(FileNotFoundError):
            names = sorted(os.listdir(self.path))
            return [self.path / name for name in names if name.endswith(suffixes)]
        return []

    def _newest_first(self) -> list[Path]:
        return [file for _, _, file in self._by_age()]

    def _by_age(self) -> list[tuple[float, int, Path]]:
        """(When it was written, bytes, file), the newest first."""
        known: list[tuple[float, int, Path]] = []
        for file in self._files(SUFFIX, OLD_SUFFIX):
            with suppress(FileNotFoundError):  # another recall has let it go meanwhile
                found = file.stat()
                known.append((found.st_mtime, found.st_size, file))
        return sorted(known, reverse=True)

    def _let_go(self) -> None:
        oldest, room = time.time() - self._settings.max_days * _DAY_S, self._settings.max_mb * 1e6
        for place, (written_at, size, file) in enumerate(self._by_age()):
            room -= size
            too_many = place >= self._settings.max_count
            if place and (too_many or written_at < oldest or room < 0):
                file.unlink(missing_ok=True)


def in_background(work: Callable[[], None]) -> "Future[None]":
    """Run it after everything that was given before. Python waits for it before it exits."""
    with _guard:
        writer = _writers.get(os.getpid())
        if writer is None:
            writer = ThreadPoolExecutor(1, thread_name_prefix="secondhop-traces")
            _writers[os.getpid()] = writer
        return writer.submit(work)


def read_trace(path: Path) -> RecallTrace:
    """Read a trace file, compressed or not.

    Raises:
        UsageError: no such file, not a trace, or written by a newer secondhop.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the trace {path}: {error.strerror}") from error
    try:
        return RecallTrace.model_validate_json(_decompressed(text))
    except (ValidationError, ValueError) as error:
        raise UsageError(
            f"{path} is not a secondhop trace of schema version {SCHEMA_VERSION} or older; "
            f"`secondhop recall` keeps one of every recall and prints its id"
        ) from error


def _named(memory_ids: Iterable[str], text: bytes) -> list[str]:
    """Those of the ids that the text of a trace has."""
    quoted = {one: json.dumps(one, ensure_ascii=False).encode() for one in memory_ids}
    return [memory_id for memory_id, mark in quoted.items() if mark in text]


def _text_of(file: Path) -> bytes | None:
    """None: it cannot be decompressed, so it may tell of anything."""
    try:
        return _decompressed(file.read_bytes())
    except ValueError:
        return None


def _decompressed(text: bytes) -> bytes:
    """Raises ValueError for what is cut off or damaged."""
    if not text.startswith(b"\x1f\x8b"):
        return text
    try:
        return gzip.decompress(text)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
