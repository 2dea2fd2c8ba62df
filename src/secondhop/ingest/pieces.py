"""Pieces of a memory's text, and how a large piece is split into smaller ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal, TypeAlias

from secondhop.ingest.markdown_blocks import Block, Section, sections_of
from secondhop.ingest.split_text import grains, lines, sentences
from secondhop.models.tokens import TokenCounter

PieceKind: TypeAlias = Literal[
    "turn", "heading", "paragraph", "fence", "table", "sentence", "line", "grain"
]
_CHARS_A_TOKEN = 10
"""A text longer than this times the token limit is split without being counted."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Opening and closing lines around each part of a split fence or table; all parts share it."""

    opening: str
    closing: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text that stays in one passage if it fits into one."""

    kind: PieceKind
    text: str
    tokens: int
    """Tokens of `text` alone; limit + 1 if it is too long to be worth counting."""
    joiner: str = "\n\n"
    """Placed between it and the piece before it, within a turn."""
    turn: int = 0
    speaker: str = ""
    """Written before the turn; "" in notes."""
    speaker_tokens: int = 0
    path: tuple[str, ...] = ()
    """The headings above it, outermost first; a heading's own is included."""
    frame: Frame | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Pieces that belong together: a question with its answer, or a section."""

    pieces: tuple[Piece, ...]
    is_section: bool = False


class Cutter:
    """Makes pieces. Counts each text once per level of splitting, so it is linear in the text."""

    def __init__(self, count_tokens: TokenCounter, *, max_tokens: int) -> None:
        self.count_tokens = count_tokens
        self.max_tokens = max_tokens
        self._max_chars = max_tokens * _CHARS_A_TOKEN

    def measure(self, text: str) -> int:
        """Tokens of a text; limit + 1, without counting, if it is far too long."""
        return self.max_tokens + 1 if len(text) > self._max_chars else self.count_tokens(text)

    def turn(self, text: str, *, turn: int, speaker: str) -> Piece:
        """A whole turn; a speaker's name longer than a quarter of a passage is left out."""
        if self.measure(speaker) > self.max_tokens // 4:
            speaker = ""
        tokens = self.measure(text)
        whole_note = not speaker and tokens <= self.max_tokens
        return Piece(
            kind="turn",
            text=text,
            tokens=tokens,
            turn=turn,
            speaker=speaker,
            path=shared_path([s.path for s in sections_of(text)]) if whole_note else (),
            speaker_tokens=self.measure(f"{speaker}:") if speaker else 0,
        )

    def parts_of(self, piece: Piece) -> Iterator[Piece | Group]:
        """The next smaller parts; a piece of the last kind ("grain") has none."""
        if piece.kind == "turn":
            yield from (self._section(section, piece) for section in sections_of(piece.text))
        elif piece.kind in ("fence", "table"):
            yield from self._rows(piece)
        elif piece.kind in ("heading", "paragraph"):
            yield from self._cut(
                piece, "sentence", sentences(piece.text, at_least=self.max_tokens // 4)
            )
        elif piece.kind == "sentence":
            yield from self._cut(piece, "line", lines(piece.text))
        elif piece.kind == "line":
            fine = max(1, self.max_tokens // 10)
            cut = grains(piece.text, tokens=fine, count_tokens=self.count_tokens)
            yield from self._cut(piece, "grain", cut)

    def _section(self, section: Section, turn: Piece) -> Group:
        return Group(
            tuple(self._block(block, turn, section.path) for block in section.blocks),
            is_section=bool(section.path),
        )

    def _block(self, block: Block, turn: Piece, path: tuple[str, ...]) -> Piece:
        text, tokens = block.text, self.measure(block.text)
        return replace(turn, kind=block.kind, text=text, tokens=tokens, path=path, joiner="\n\n")

    def _cut(
        self, piece: Piece, kind: PieceKind, cut: Iterator[tuple[str, str]]
    ) -> Iterator[Piece]:
        joiner = piece.joiner
        for between, text in cut:
            yield replace(
                piece, kind=kind, text=text, tokens=self.measure(text), joiner=joiner or between
            )
            joiner = ""

    def _rows(self, piece: Piece) -> Iterator[Piece]:
        rows = piece.text.split("\n")
        frame, framed = _fence_frame(rows) if piece.kind == "fence" else _table_frame(rows)
        tokens = self.measure(f"{frame.opening}\n{frame.closing}") if frame else 0
        if frame and tokens <= self.max_tokens // 4:
            piece, rows = replace(piece, frame=replace(frame, tokens=tokens)), framed
        yield from self._cut(piece, "line", lines("\n".join(rows)))


def _fence_frame(rows: list[str]) -> tuple[Frame, list[str]]:
    """The fence's own lines, and the code between them; an unclosed fence gets a closing line."""
    mark = rows[0].strip()
    mark = mark[: len(mark) - len(mark.lstrip(mark[0]))]
    last = rows[-1].strip()
    if len(rows) > 1 and len(last) >= len(mark) and not last.strip(mark[0]):
        return Frame(rows[0].rstrip(), rows[-1].rstrip()), rows[1:-1]
    indent = rows[0][: len(rows[0]) - len(rows[0].lstrip())]
    return Frame(rows[0].rstrip(), indent + mark), rows[1:]


def _table_frame(rows: list[str]) -> tuple[Frame | None, list[str]]:
    """The header of a table and its other rows; (None, all rows) without a header."""
    if len(rows) > 2 and not rows[1].strip(" \t|:-"):
        return Frame(f"{rows[0].rstrip()}\n{rows[1].rstrip()}"), rows[2:]
    return None, rows


def shared_path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The longest common prefix of these heading paths."""
    levels = takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False))
    return tuple(level[0] for level in levels)
