"""Packs pieces into passages. Related pieces stay together if they fit."""

from collections.abc import Sequence
from dataclasses import dataclass

from secondhop.ingest.pieces import Cutter, Group, Piece, shared_path


@dataclass(frozen=True, slots=True)
class Packed:
    """The text of one passage."""

    text: str
    tokens: int
    path: tuple[str, ...]
    """The headings that all of its pieces share."""


class Packer:
    """Takes pieces in order and packs them into passages, each within the token limit.

    A piece goes into the open passage if it fits, or else into a new one. A piece too large for a
    passage is split first. A new passage begins by repeating the last small pieces of the previous
    one, so that references back are understood; a new section repeats nothing.
    """

    def __init__(self, cutter: Cutter, *, overlap_tokens: int) -> None:
        self.packed: list[Packed] = []
        self._cutter = cutter
        self._max = cutter.max_tokens
        self._small = cutter.max_tokens // 4
        self._overlap_tokens = overlap_tokens
        self._repeated: list[Piece] = []
        self._fresh: list[Piece] = []
        self._tokens = 0

    def add(self, part: Piece | Group) -> None:
        """Pack the next piece or group."""
        if isinstance(part, Group):
            self._add_group(part)
        elif not self._fits_alone(part):
            for smaller in self._cutter.parts_of(part):
                self.add(smaller)
        else:
            self._add_whole(part)

    def finish(self) -> None:
        """Emit the pieces that are left."""
        self._close(repeat=False, carry_headings=False)

    def _add_group(self, group: Group) -> None:
        """Add a group, in a new passage if the group then stays whole or the open one is full
        enough."""
        total = sum(self._cost(piece, after=None) for piece in group.pieces)
        filled = self._tokens >= self._small
        overflows = self._tokens + total > self._max
        if (group.is_section and filled) or (overflows and (filled or total <= self._max)):
            self._close(repeat=not group.is_section)
            self._make_room(total if total <= self._max else self._max // 2)
        for piece in group.pieces:
            self.add(piece)

    def _add_whole(self, piece: Piece) -> None:
        if self._tokens + self._cost(piece, after=self._last()) > self._max:
            self._close(repeat=True)
            self._make_room(self._cost(piece, after=None))
            if self._tokens + self._cost(piece, after=self._last()) > self._max:
                self._close(repeat=False, carry_headings=False)
        self._append(piece)

    def _append(self, piece: Piece) -> None:
        self._tokens += self._cost(piece, after=self._last())
        self._fresh.append(piece)

    def _close(self, *, repeat: bool, carry_headings: bool = True) -> None:
        """Emit the open passage. Headings at its end move on to the next one, to precede their
        text."""
        carried: list[Piece] = []
        if carry_headings and not self._only_headings():
            while self._fresh and self._fresh[-1].kind == "heading":
                carried.insert(0, self._fresh.pop())
        if self._fresh:
            text = render([*self._repeated, *self._fresh])
            path = shared_path([one.path for one in self._fresh])
            self.packed.append(Packed(text, self._cutter.count_tokens(text), path))
        repeated = _tail(self._fresh, self._overlap_tokens) if repeat and not carried else []
        self._repeated, self._fresh, self._tokens = repeated, [], 0
        for number, piece in enumerate(repeated):
            self._tokens += self._cost(piece, after=repeated[number - 1] if number else None)
        for piece in carried:
            self._append(piece)

    def _make_room(self, tokens: int) -> None:
        """Repeat nothing if this many tokens would not fit."""
        if self._repeated and self._tokens + tokens > self._max:
            self._repeated, self._tokens = [], 0

    def _fits_alone(self, piece: Piece) -> bool:
        if piece.kind == "grain":
            return True
        return self._cost(piece, after=None) <= self._max

    @staticmethod
    def _cost(piece: Piece, *, after: Piece | None) -> int:
        """Roughly the tokens that it adds: its own, a joiner, and any speaker label and frame."""
        cost = piece.tokens + 1
        if piece.speaker and (after is None or after.turn != piece.turn):
            cost += piece.speaker_tokens + 1
        if piece.frame and (after is None or after.frame is not piece.frame):
            cost += piece.frame.tokens + 1
        return cost

    def _last(self) -> Piece | None:
        if self._fresh:
            return self._fresh[-1]
        return self._repeated[-1] if self._repeated else None

    def _only_headings(self) -> bool:
        return bool(self._fresh) and all(piece.kind == "heading" for piece in self._fresh)


def render(pieces: Sequence[Piece]) -> str:
    """The text of a passage. Speakers precede their turns; each part of a split fence or table gets
    its own opening and closing lines."""
    parts: list[str] = []
    before: Piece | None = None
    for piece in pieces:
        same_turn = before is not None and before.turn == piece.turn
        same_frame = before is not None and before.frame is piece.frame
        if before is not None:
            if before.frame and before.frame.closing and not same_frame:
                parts.append(f"\n{before.frame.closing}")
            parts.append(piece.joiner if same_turn else "\n\n")
        if piece.speaker and not same_turn:
            parts.append(f"{piece.speaker}:{_gap(piece)}")
        if piece.frame and not same_frame:
            parts.append(f"{piece.frame.opening}\n")
        parts.append(piece.text)
        before = piece
    if before is not None and before.frame and before.frame.closing:
        parts.append(f"\n{before.frame.closing}")
    return "".join(parts).strip("\n").rstrip()


def _gap(piece: Piece) -> str:
    """What follows the speaker's colon: a fence, table, list or heading starts on its own line."""
    return "\n" if piece.frame or piece.text.lstrip()[:1] in tuple("#`~|>-*") else " "


def _tail(pieces: Sequence[Piece], tokens: int) -> list[Piece]:
    """The last pieces that take at most this many tokens together; never all of them."""
    tail: list[Piece] = []
    for piece in reversed(pieces[1:]):
        tokens -= piece.tokens + 1
        if tokens < 0 or piece.kind == "heading":
            break
        tail.insert(0, piece)
    return tail
