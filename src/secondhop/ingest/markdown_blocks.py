"""Cuts Markdown into sections at its headings, and sections into blocks, in linear time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

BlockKind: TypeAlias = Literal["heading", "paragraph", "fence", "table"]

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_MAX_MARK_LINE = 300
"""A longer line is text, even if it begins like a heading or a fence."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together; `text` is as in the source."""

    kind: BlockKind
    text: str
    level: int = 0
    """1..6 for a heading; 0 for other blocks."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the blocks up to the next heading."""

    path: tuple[str, ...]
    """The headings above it, outermost first, then its own; () before the first heading."""
    blocks: tuple[Block, ...]


def sections_of(text: str) -> Iterator[Section]:
    """The sections in order; text before the first heading is a section without a path."""
    above: list[tuple[int, str]] = []
    blocks: list[Block] = []
    for block in blocks_of(text):
        if block.kind == "heading":
            if blocks:
                yield Section(tuple(title for _, title in above), tuple(blocks))
            above = [(level, title) for level, title in above if level < block.level]
            above.append((block.level, title_of(block.text)))
            blocks = []
        blocks.append(block)
    if blocks:
        yield Section(tuple(title for _, title in above), tuple(blocks))


def blocks_of(text: str) -> Iterator[Block]:
    """Headings, code fences, tables and paragraphs, without the blank lines between them."""
    lines = text.split("\n")
    start = 0
    while start < len(lines):
        if not lines[start].strip():
            start += 1
            continue
        block, start = _block_at(lines, start)
        yield block


def _block_at(lines: list[str], start: int) -> tuple[Block, int]:
    """The block that begins at `start`, and where the next one may begin."""
    line = lines[start]
    if level := _heading_level(line):
        return Block("heading", line.rstrip(), level), start + 1
    if _opens_fence(line):
        end = _end_of_fence(lines, start)
        return Block("fence", "\n".join(lines[start:end])), end
    if _is_row(line):
        end = start + 1
        while end < len(lines) and _is_row(lines[end]):
            end += 1
        return Block("table", "\n".join(lines[start:end])), end
    end = start + 1
    while end < len(lines) and _goes_on(lines[end]):
        end += 1
    if end == start + 1 and end < len(lines) and _is_underlined(line, lines[end]):
        level = 1 if "=" in lines[end] else 2
        return Block("heading", f"{line}\n{lines[end]}", level), end + 1
    return Block("paragraph", "\n".join(lines[start:end])), end


def _goes_on(line: str) -> bool:
    """Whether this line continues a paragraph."""
    starts_another = _heading_level(line) or _opens_fence(line) or _is_row(line)
    return bool(line.strip()) and not starts_another and not _is_underline(line)


def _is_underlined(line: str, below: str) -> bool:
    return len(line) <= _MAX_MARK_LINE and not _is_underline(line) and _is_underline(below)


def _is_underline(line: str) -> bool:
    return len(line) <= _MAX_MARK_LINE and _UNDERLINE.match(line) is not None


def _heading_level(line: str) -> int:
    match = _HEADING.match(line) if len(line) <= _MAX_MARK_LINE else None
    return len(match[1]) if match and line.strip("# \t") else 0


def _opens_fence(line: str) -> bool:
    match = _FENCE.match(line) if len(line) <= _MAX_MARK_LINE else None
    return match is not None and "`" not in line[match.end() :]


def _end_of_fence(lines: list[str], start: int) -> int:
    """One past the closing line; the end of the text if the fence is never closed."""
    mark = lines[start].strip()
    mark = mark[: len(mark) - len(mark.lstrip(mark[0]))]
    for number in range(start + 1, len(lines)):
        line = lines[number].strip() if len(lines[number]) <= _MAX_MARK_LINE else ""
        if len(line) >= len(mark) and not line.strip(mark[0]):
            return number + 1
    return len(lines)


def _is_row(line: str) -> bool:
    return line[:4].lstrip(" ").startswith("|")


def title_of(heading: str) -> str:
    """A heading without its marks."""
    first, _, underline = heading.partition("\n")
    return first.strip() if underline else first.strip().lstrip("#").rstrip("#").strip()
