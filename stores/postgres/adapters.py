"""Converts what PostgreSQL cannot take directly: some text, and vectors.

U+0000 and half of an emoji (a lone surrogate) are written as U+FDD0 and four hex digits. So is
U+FDD0 itself, which no text should contain.
"""

import re
from typing import Any

import psycopg
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format
from psycopg.types.string import StrDumperUnknown, TextBinaryLoader, TextLoader

from secondhop.stores.catalog.rows import HalfText

_ODD = re.compile("[\x00\ufdd0\ud800-\udfff]")
_WRITTEN = re.compile("\ufdd0([0-9a-f]{4})")


def written(text: str) -> str:
    r"""The text in a form that PostgreSQL accepts.

    >>> read(written("nul \0, half \ud83d")) == "nul \0, half \ud83d"
    True
    """
    return _ODD.sub(lambda found: f"\ufdd0{ord(found[0]):04x}", text)


def read(text: str) -> str:
    """The text that `written` converted."""
    if "\ufdd0" not in text:
        return text
    return _WRITTEN.sub(lambda found: chr(int(found[1], 16)), text)


class VectorBytes(bytes):
    """A vector in pgvector's own form."""


class _TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        try:
            is_odd = (not obj.isascii() and "\ufdd0" in obj) or "\0" in obj
            return super().dump(written(obj) if is_odd else obj)
        except UnicodeEncodeError:
            return super().dump(written(obj))


class _HalfTextDumper(StrDumperUnknown):
    def dump(self, obj: Any) -> Buffer | None:
        return super().dump(written(bytes(obj).decode("utf-8", "surrogatepass")))


class _VectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Any) -> Buffer | None:
        return bytes(obj)


class _TextLoader(TextLoader):
    def load(self, data: Buffer) -> str | bytes:
        text = super().load(data)
        return read(text) if isinstance(text, str) else text


class _TextBinaryLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> str | bytes:
        text = super().load(data)
        return read(text) if isinstance(text, str) else text


def register(connection: "psycopg.Connection") -> None:
    """Let the connection use these conversions."""
    adapters = connection.adapters
    adapters.register_dumper(str, _TextDumper)
    adapters.register_dumper(HalfText, _HalfTextDumper)
    adapters.register_dumper(VectorBytes, _VectorDumper)
    adapters.register_loader("text", _TextLoader)
    adapters.register_loader("text", _TextBinaryLoader)
