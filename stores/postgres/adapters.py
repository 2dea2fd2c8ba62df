"""Converts what PostgreSQL cannot take directly: some text, and vectors."""

import re
from typing import Any

import psycopg
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format
from psycopg.types.string import StrDumperUnknown

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""U+0000 and half of an emoji (a lone surrogate). Memories hold neither."""


class VectorBytes(bytes):
    """A vector in pgvector's own form."""


class _TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(_UNSTORABLE.sub("\ufffd", obj))


class _VectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Any) -> Buffer | None:
        return bytes(obj)


def register(connection: "psycopg.Connection") -> None:
    """Let the connection use these conversions."""
    adapters = connection.adapters
    adapters.register_dumper(str, _TextDumper)
    adapters.register_dumper(VectorBytes, _VectorDumper)
