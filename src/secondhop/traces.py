"""Stores the traces of an entity's recalls, and deletes the oldest ones."""

import gzip
import json
import logging
import os
import re
import threading
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from secondhop.errors import NotStoredError, StoreError, UsageError
from secondhop.graph.trace import SCHEMA_VERSION, RecallTrace
from secondhop.graph.trace_build import TraceDraft
from secondhop.graph.trace_mask import masked
from secondhop.nodes.config import TraceSettings
from secondhop.stores.catalog.quotes import quoting
from secondhop.stores.trace_files import PART_SUFFIX, TraceFile, TraceFiles, TraceFilesInFolder

logger = logging.getLogger(__name__)

WAITING = 16
"""How many traces may wait to be written; each holds the final state of its recall."""

PAUSE_S = 0.005
"""How long a trace waits before it is written, so that a server can send the answer first."""

LOOKED_THROUGH = 16
"""How often old traces are looked for while `TraceSettings.max_count` new ones are written."""

COMPRESSION = 4
"""Gzip level; level 6 takes twice the time and saves 8 % of the space."""
SUFFIX, OLD_SUFFIX = ".json.gz", ".json"
"""File endings of a trace: now, and in version 0.1."""

_guard = threading.Lock()
_writers: dict[int, ThreadPoolExecutor] = {}
"""{process id: its thread that writes traces}. A forked process inherits the executor but not its
thread, so it makes its own. One thread is enough, since there is one disk."""

_TRACE_ID = re.compile(r"[0-9a-zA-Z_-]{1,64}")
_ASKED_NO_MODEL = re.compile(rb'"planner":\s*"playbooks",\s*"critic":\s*"none"')
_HOLDS_OTHER_WORDS = re.compile(
    rb'"(?:proved|refused)_for"|"by":\s*"critic"|"origin":\s*"(?!(?:question|playbook)")'
)
"""A question of a session, a model's vote, or a query that a model may have written."""
_QUESTION = re.compile(rb'"question":\s*("(?:[^"\\]|\\.)*")')
"""The question in the text of a trace; no other key of this name comes before it."""
_DAY_S = 86_400.0


class TraceFolder:
    """The traces of an entity, one per recall, named by trace id.

    Traces are written in the background, one after the other. Reading a trace through this object
    waits until it is written; `finish` waits for all.
    """

    def __init__(
        self,
        files: Path | TraceFiles,
        *,
        entity: str = "default",
        settings: TraceSettings | None = None,
        stored: Callable[[Sequence[str]], Collection[str]] | None = None,
    ) -> None:
        """Reads and writes nothing yet.

        Args:
            files: a folder that holds only traces, or another place for them.
            stored: returns those of some memory ids that are still stored; None: all are.
        """
        self._files = TraceFilesInFolder(files) if isinstance(files, Path) else files
        self._stored = stored
        self._entity, self._settings = entity, settings or TraceSettings()
        self._waiting: dict[str, Future[None]] = {}
        self._saved = 0

    def keep(self, draft: TraceDraft) -> Future[None] | None:
        """Write a trace in the background, unless the settings keep none.

        Returns:
            The oldest unwritten trace, to wait for, if more than WAITING are unwritten; else None.
        """
        if not self._settings.max_count:
            return None
        trace_id = draft.state["trace_id"]
        write = partial(self._write_or_warn, draft, not_before=time.monotonic() + PAUSE_S)
        future = self._waiting[trace_id] = in_background(write)
        future.add_done_callback(lambda _: self._waiting.pop(trace_id, None))
        waiting = [*self._waiting.values()]  # a copy, because the writer removes entries
        return waiting[0] if len(waiting) > WAITING else None

    def finish(self) -> None:
        """Wait until all traces are written."""
        wait([*self._waiting.values()])

    def save(self, trace: RecallTrace | TraceDraft, *, at_ns: int | None = None) -> str:
        """Write a trace now and return its file name.

        From time to time, this also deletes the oldest traces beyond the limits of `TraceSettings`
        (count, days, megabytes).

        Args:
            at_ns: the time of writing to record; None: now.

        Raises:
            OSError, StoreError: it cannot be written.
        """
        if isinstance(trace, TraceDraft):
            trace_id, text = trace.state["trace_id"], trace.json
        else:
            trace_id, text = trace.trace_id, trace.model_dump_json(exclude_unset=True).encode()
        name, packed = name_of(trace_id), gzip.compress(text, COMPRESSION, mtime=0)
        # the file system's own clock can give two consecutive traces the same time
        self._files.write(name, packed, at_ns=at_ns or time.time_ns())
        if self._saved % max(1, self._settings.max_count // LOOKED_THROUGH) == 0:
            self._let_go()
        self._saved += 1
        return name

    def load(self, trace_id: str) -> RecallTrace:
        """Read the trace of a recall.

        Raises:
            NotStoredError: no trace has that id.
            UsageError: the trace cannot be read, or was written by a newer secondhop.
        """
        name = name_of(trace_id)
        if (waiting := self._waiting.get(trace_id)) is not None:
            wait([waiting])
        for found in (name, name.removesuffix(".gz")):  # version 0.1 did not compress
            if (content := self._files.read(found)) is not None:
                return trace_in(content, name=found)
        newest = [one.name.partition(".")[0] for one in self._newest_first()[:3]]
        known = f"those of the last recalls: {', '.join(newest)}" if newest else "it has none"
        raise NotStoredError(
            f"no trace {trace_id!r} is kept for entity {self._entity!r} ({known})",
            cure="a recall tells the id of the trace it keeps, and the settings `traces.*` say how "
            "many are kept",
        )

    def newest(self, limit: int) -> list[RecallTrace]:
        """The newest `limit` traces, newest first, without those that cannot be read."""
        self.finish()
        found: list[RecallTrace] = []
        for one in self._newest_first()[:limit]:
            with suppress(UsageError):  # another recall deleted it, or a newer version wrote it
                found.append(self.load(one.name.partition(".")[0]))
        return found

    def naming(
        self, memory_ids: Sequence[str], *, said: Sequence[str] = (), since_ns: int = 0
    ) -> list[str]:
        """File names of the traces that may hold words of these memories, or cannot be read.

        Args:
            said: what these memories say. A trace whose question repeats it is named, too: a
                chatbot recalls for a message, and remembers it afterwards.
            since_ns: only traces written then or later.
        """
        self.finish()
        written = [one.name for one in self._files.listed() if one.at_ns >= since_ns]
        naming: list[str] = []
        questions: dict[str, str] = {}
        for name in written:
            if not name.endswith((SUFFIX, OLD_SUFFIX, PART_SUFFIX)):
                continue
            content = self._files.read(name)
            if content is None:
                continue
            text = _text_of(content)
            question = None if text is None else _question_of(text)
            if text is None or question is None or _named(memory_ids, text):
                naming.append(name)
            else:
                questions[name] = question
        repeating = quoting([*questions.values()], said)
        return [*naming, *(name for name in questions if questions[name] in repeating)]

    def mask(
        self, names: Sequence[str], memory_ids: Sequence[str], *, texts: Sequence[str]
    ) -> None:
        """Remove forgotten memories from these traces; those that cannot be read are deleted.

        Args:
            texts: the texts of these memories.

        Raises:
            OSError, StoreError: one cannot be written.
        """
        written = {one.name: one.at_ns for one in self._files.listed()}
        for name in names:
            self._mask(name, memory_ids, texts=texts, at_ns=written.get(name))

    def _mask(
        self, name: str, memory_ids: Sequence[str], *, texts: Sequence[str], at_ns: int | None
    ) -> None:
        content = self._files.read(name)
        if content is None:
            return
        text = _text_of(content)
        trace = None
        with suppress(UsageError):  # a newer version wrote it
            trace = trace_in(content, name=name)
        if text is None or trace is None:
            self._files.remove(name)
            return
        without = masked(trace, _named(memory_ids, text), texts=texts)
        saved = self.save(without, at_ns=at_ns)  # keep its age
        if saved != name:
            self._files.remove(name)

    def _write_or_warn(self, draft: TraceDraft, *, not_before: float) -> None:
        """Write a trace; if that fails, only log a warning, because the recall has its answer.

        A trace that mentions a memory forgotten meanwhile is deleted again.
        """
        time.sleep(max(0.0, not_before - time.monotonic()))
        try:
            name = self.save(draft)
            told = draft.memory_ids
            if self._stored is not None and len(self._stored([*told])) < len(told):
                self._files.remove(name)
        except (OSError, StoreError) as error:
            logger.warning("the trace of a recall could not be kept: %s", error)
        except Exception:  # nobody else reads it: nothing waits for the result
            logger.exception("the trace of a recall could not be built")

    def _newest_first(self) -> list[TraceFile]:
        traces = [one for one in self._files.listed() if one.name.endswith((SUFFIX, OLD_SUFFIX))]
        return sorted(traces, reverse=True)

    def _let_go(self) -> None:
        oldest, room = time.time() - self._settings.max_days * _DAY_S, self._settings.max_mb * 1e6
        for place, one in enumerate(self._newest_first()):
            room -= one.size
            too_many = place >= self._settings.max_count
            if place and (too_many or one.at_ns / 1e9 < oldest or room < 0):
                self._files.remove(one.name)


def name_of(trace_id: str) -> str:
    """The name of a trace's file. Raises UsageError if `trace_id` cannot be an id."""
    if not _TRACE_ID.fullmatch(trace_id):
        raise UsageError(f"{trace_id!r} is not a trace id; `secondhop recall` prints one")
    return f"{trace_id}{SUFFIX}"


def in_background(work: Callable[[], None]) -> "Future[None]":
    """Run `work` after all work queued before it. Python waits for it before it exits."""
    with _guard:
        writer = _writers.get(os.getpid())
        if writer is None:
            writer = ThreadPoolExecutor(1, thread_name_prefix="secondhop-traces")
            _writers[os.getpid()] = writer
        return writer.submit(work)


def read_trace(path: Path) -> RecallTrace:
    """Read a trace file, compressed or not. Raises UsageError if the file does not exist, is not a
    trace, or is from a newer secondhop."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the trace {path}: {error.strerror}") from error
    return trace_in(content, name=str(path))


def trace_in(content: bytes, *, name: str) -> RecallTrace:
    """The trace in these bytes; `name` is for the error message. Raises UsageError if they are not
    a trace, or a newer secondhop wrote them."""
    try:
        return RecallTrace.model_validate_json(_decompressed(content))
    except (ValidationError, ValueError) as error:
        raise UsageError(
            f"{name} is not a secondhop trace of schema version {SCHEMA_VERSION} or older; "
            f"`secondhop recall` keeps one of every recall and prints its id"
        ) from error


def _named(memory_ids: Iterable[str], text: bytes) -> list[str]:
    """The ids of memories whose words the text of a trace may hold.

    A trace lists hundreds of memories with nothing but their scores (`"id":0.5`), or as the rival
    of another (`"against":"id"`). If a model wrote a part of it, or it repeats the question of a
    session, it may hold the words of any of them.
    """
    is_plain = _ASKED_NO_MODEL.search(text) and not _HOLDS_OTHER_WORDS.search(text)
    named: list[str] = []
    for memory_id in memory_ids:
        mark = json.dumps(memory_id, ensure_ascii=False).encode()
        count = text.count(mark)
        if count and is_plain:
            count -= text.count(b'"against":' + mark)
            count -= len(re.findall(re.escape(mark) + rb":-?\d", text))
        if count:
            named.append(memory_id)
    return named


def _question_of(text: bytes) -> str | None:
    """The question in the text of a trace; "" if there is none, None if it is damaged."""
    found = _QUESTION.search(text)
    try:
        return str(json.loads(found[1])) if found else ""
    except ValueError:
        return None


def _text_of(content: bytes) -> bytes | None:
    """The decompressed text; None if that fails, so that the trace may mention any memory."""
    try:
        return _decompressed(content)
    except ValueError:
        return None


def _decompressed(text: bytes) -> bytes:
    """The decompressed text; raises ValueError if it is cut off or damaged."""
    if not text.startswith(b"\x1f\x8b"):
        return text
    try:
        return gzip.decompress(text)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
