"""Files that a command writes: checked before the work, written after it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from secondhop.cli.terminal import notices
from secondhop.errors import UsageError


def expect_writable(paths: Iterable[Path | None]) -> None:
    """Complain now about what would fail after all the work.

    Raises:
        UsageError: a file's folder does not exist, or the file is a folder.
    """
    for path in paths:
        if path is None:
            continue
        if not path.absolute().parent.is_dir():
            raise UsageError(f"cannot write {path}: there is no folder {path.parent}")
        if path.is_dir():
            raise UsageError(f"cannot write {path}: it is a folder")


def write_text(path: Path, text: str) -> None:
    """Write a file, and say so on standard error.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    notices().print(f"wrote {path}", soft_wrap=True)


def write_yaml(path: Path, document: dict[str, Any], *, note: str) -> None:
    """Write a document below a comment.

    Raises:
        UsageError: the file cannot be written.
    """
    import yaml

    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    write_text(path, f"# {note}\n{text}")
