"""Output files of commands: checked before the work, written after it."""

from pathlib import Path

from secondhop.cli.terminal import notices
from secondhop.errors import UsageError


def expect_writable(path: Path | None) -> None:
    """Check before the work that the file can be written; None: there is no file."""
    if path is None:
        return
    if not path.absolute().parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a folder")


def write_text(path: Path, text: str) -> None:
    """Write a file, and report it on standard error."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    notices().print(f"wrote {path}", soft_wrap=True)
