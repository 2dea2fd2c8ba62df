"""Where the traces of an entity's recalls are kept."""

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from secondhop.errors import NotStoredError, UsageError
from secondhop.graph.trace import RecallTrace, load_trace
from secondhop.graph.trace_draft import TraceDraft
from secondhop.stores.store_directory import entity_slug

KEPT = 200
"""Traces kept an entity; the oldest go first."""

_TRACE_ID = re.compile(r"[0-9a-zA-Z_-]{1,64}")


def traces_of(entity: str, *, store: Path) -> "TraceFolder":
    """The traces of an entity's recalls, in the folder of its store."""
    return TraceFolder(store / "entities" / entity_slug(entity) / "traces", entity=entity)


class TraceFolder:
    """A folder of trace files, one a recall, named by trace id. Nothing else writes there."""

    def __init__(self, path: Path, *, entity: str = "default", kept: int = KEPT) -> None:
        self.path, self._entity, self._kept = path, entity, kept

    def save(self, trace: RecallTrace | TraceDraft) -> Path:
        """Write a trace and let the oldest beyond `kept` go.

        Raises:
            OSError: the folder cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        file = self._file(trace.trace_id)
        part = file.with_suffix(".part")
        part.write_bytes(
            trace.json() if isinstance(trace, TraceDraft) else trace.model_dump_json().encode()
        )
        part.replace(file)
        if sum(name.endswith(".json") for name in os.listdir(self.path)) > self._kept:
            for old in self._newest_first()[self._kept :]:
                old.unlink(missing_ok=True)
        return file

    def load(self, trace_id: str) -> RecallTrace:
        """Read the trace of a recall.

        Raises:
            UsageError: there is none of that id.
        """
        file = self._file(trace_id)
        if not file.exists():
            newest = [path.stem for path in self._newest_first()[:3]]
            known = f"those of the last recalls: {', '.join(newest)}" if newest else "none is"
            raise NotStoredError(
                f"no trace {trace_id!r} is kept for entity {self._entity!r} ({known}); a recall "
                f"tells the id of the trace it keeps, and the last {self._kept} are kept"
            )
        return load_trace(file)

    def newest(self, limit: int) -> list[RecallTrace]:
        """At most so many, the newest first; one that cannot be read is left out."""
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
        if isinstance(trace, Path) or path.suffix == ".json" or path.parent != Path("."):
            return load_trace(path)
        return self.load(str(trace))

    def naming(self, memory_ids: Sequence[str]) -> list[Path]:
        """Files of the traces that tell of any of these memories."""
        marks = [json.dumps(memory_id, ensure_ascii=False).encode() for memory_id in memory_ids]
        files = sorted(self.path.glob("*.json")) + sorted(self.path.glob("*.part"))
        return [file for file in files if any(mark in file.read_bytes() for mark in marks)]

    def _file(self, trace_id: str) -> Path:
        if not _TRACE_ID.fullmatch(trace_id):
            raise UsageError(f"{trace_id!r} is not a trace id; `secondhop recall` prints one")
        return self.path / f"{trace_id}.json"

    def _newest_first(self) -> list[Path]:
        files: list[tuple[int, str]] = []
        with suppress(FileNotFoundError), os.scandir(self.path) as entries:
            for entry in entries:
                if entry.name.endswith(".json"):
                    with suppress(FileNotFoundError):  # another recall has let it go meanwhile
                        files.append((entry.stat().st_mtime_ns, entry.name))
        return [self.path / name for _, name in sorted(files, reverse=True)]
