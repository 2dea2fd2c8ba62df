"""The tables in PostgreSQL: those of SQLite, with a column for the entity that a row belongs to.

No query names that column. Its default and the row-level security of each table take the entity
from the setting `secondhop.entity`, which every transaction sets for itself (`server.py`). So the
same SQL serves both databases, and a handle that is bound to one entity cannot see or write other
rows.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

SCHEMA: Final = "secondhop"
ROLE: Final = "secondhop_entity"
"""The role that a login takes inside a transaction if row-level security does not bind it."""

TABLES: Final = {
    "meta": "key TEXT, value TEXT NOT NULL, PRIMARY KEY (entity, key)",
    "memories": """memory_id TEXT, title TEXT NOT NULL, source TEXT NOT NULL,
        created_at TEXT NOT NULL, origin TEXT NOT NULL, messages TEXT NOT NULL,
        content_hash TEXT NOT NULL, passage_count INTEGER NOT NULL, kind TEXT NOT NULL,
        subject TEXT NOT NULL, attribute TEXT NOT NULL, value TEXT NOT NULL, scope TEXT NOT NULL,
        slot TEXT NOT NULL, tags TEXT NOT NULL, rowid BIGINT GENERATED ALWAYS AS IDENTITY,
        PRIMARY KEY (entity, memory_id)""",
    "passages": """passage_no INTEGER, passage_id TEXT NOT NULL, memory_id TEXT NOT NULL,
        ordinal INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
        tokens INTEGER NOT NULL, terms INTEGER NOT NULL,
        PRIMARY KEY (entity, passage_no), UNIQUE (entity, passage_id),
        FOREIGN KEY (entity, memory_id) REFERENCES memories (entity, memory_id)
        ON DELETE CASCADE""",
    "postings": """block INTEGER, term TEXT, entries BLOB NOT NULL,
        PRIMARY KEY (entity, block, term)""",
    "outbox": """intent_no INTEGER GENERATED ALWAYS AS IDENTITY, kind TEXT NOT NULL,
        passage_ids TEXT NOT NULL, cue_ids TEXT NOT NULL, PRIMARY KEY (entity, intent_no)""",
    "keeping": """memory_id TEXT, valid_until TEXT, salience DOUBLE PRECISION NOT NULL,
        deprecated_at TEXT, deprecated_because TEXT NOT NULL, superseded_at TEXT,
        superseded_by TEXT, mark TEXT NOT NULL, PRIMARY KEY (entity, memory_id)""",
    "history": """entry_no BIGINT GENERATED ALWAYS AS IDENTITY, memory_id TEXT NOT NULL,
        at TEXT NOT NULL, act TEXT NOT NULL, other_id TEXT, detail TEXT NOT NULL,
        PRIMARY KEY (entity, entry_no)""",
    "earlier_texts": """version_no BIGINT GENERATED ALWAYS AS IDENTITY, memory_id TEXT NOT NULL,
        title TEXT NOT NULL, source TEXT NOT NULL, created_at TEXT NOT NULL, origin TEXT NOT NULL,
        messages TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL,
        attribute TEXT NOT NULL, value TEXT NOT NULL, scope TEXT NOT NULL,
        replaced_at TEXT NOT NULL, replaced_by TEXT NOT NULL, passages TEXT NOT NULL,
        tags TEXT NOT NULL, PRIMARY KEY (entity, version_no)""",
    "cues": """cue_id TEXT, memory_id TEXT NOT NULL, text TEXT NOT NULL, breadth TEXT NOT NULL,
        origin TEXT NOT NULL, prompt TEXT NOT NULL, model TEXT NOT NULL, written_at TEXT NOT NULL,
        proved DOUBLE PRECISION NOT NULL, PRIMARY KEY (entity, cue_id)""",
    "annotations": """memory_id TEXT, origin TEXT, content_hash TEXT NOT NULL, role TEXT NOT NULL,
        fingerprint TEXT NOT NULL, prompt TEXT NOT NULL, model TEXT NOT NULL,
        written_at TEXT NOT NULL, PRIMARY KEY (entity, memory_id, origin)""",
    "replacements": """memory_id TEXT, origin TEXT, replaced_id TEXT,
        PRIMARY KEY (entity, memory_id, origin, replaced_id)""",
    "counters": """memory_id TEXT, retrieved INTEGER NOT NULL, shown INTEGER NOT NULL,
        accepted INTEGER NOT NULL, accepted_at TEXT, PRIMARY KEY (entity, memory_id)""",
    "counted": """trace_id TEXT, memory_id TEXT, what TEXT,
        PRIMARY KEY (entity, trace_id, memory_id, what)""",
    "open_sessions": """owner TEXT, session_id TEXT, version INTEGER NOT NULL,
        status TEXT NOT NULL, document BLOB NOT NULL, expires_at DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (entity, owner, session_id)""",
    "traces": "name TEXT, content BLOB NOT NULL, at_ns BIGINT NOT NULL, PRIMARY KEY (entity, name)",
}
"""The tables of `catalog/migrations.py`, `counters.py` and `sessions_database.py`. Traces are files
in a folder store, but rows here."""

_INDEXES: Final = (
    "memories (entity, origin)",
    "memories (entity, kind, slot) WHERE kind <> 'continuity'",
    "memories (entity, created_at)",
    "passages (entity, memory_id, ordinal)",
    "keeping (entity, superseded_by)",
    "keeping (entity, mark) WHERE mark <> ''",
    "history (entity, memory_id)",
    "earlier_texts (entity, memory_id)",
    "cues (entity, memory_id)",
    "replacements (entity, replaced_id)",
)

_VECTORS: Final = """collection TEXT, id TEXT, vector VECTOR NOT NULL,
    PRIMARY KEY (entity, collection, id)"""

_OWN: Final = "nullif(current_setting('secondhop.entity', true), '')"


def _table(name: str, columns: str) -> Iterator[str]:
    """A table whose rows only their own entity sees, whatever the query."""
    # byte order, as in SQLite and Python: paging and sorting must not depend on a language
    columns = re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', columns)
    yield f'CREATE TABLE {name} (entity TEXT COLLATE "C" NOT NULL DEFAULT {_OWN}, {columns})'
    yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY"
    yield f"CREATE POLICY own_rows ON {name} USING (entity = {_OWN}) WITH CHECK (entity = {_OWN})"


def _first() -> Iterator[str]:
    # names that SQLite has, too: a type for bytes, and a function for a JSON list of texts
    yield "CREATE DOMAIN blob AS BYTEA"
    yield """CREATE FUNCTION json_each(list TEXT) RETURNS TABLE (value TEXT)
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT json_array_elements_text(list::json)'"""
    yield """CREATE TABLE store (one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
        store_id TEXT NOT NULL, embedder_id TEXT NOT NULL, dimension INTEGER NOT NULL)"""
    yield "CREATE TABLE entities (entity TEXT PRIMARY KEY, name TEXT NOT NULL)"
    # entities whose memories wait for cues: `annotation_rows.py`
    yield """CREATE TABLE annotating (entity TEXT PRIMARY KEY, name TEXT NOT NULL,
        written_at TIMESTAMPTZ NOT NULL DEFAULT now(), is_new BOOLEAN NOT NULL DEFAULT TRUE,
        claimed_until TIMESTAMPTZ)"""
    for name, columns in TABLES.items():
        yield from _table(name, columns)
    for index in _INDEXES:
        yield f"CREATE INDEX ON {index}"


STEPS: Final[Sequence[Sequence[str]]] = (
    tuple(_first()),
    # the last transaction that changed the entity's catalog; its number is never used again
    ("ALTER TABLE entities ADD COLUMN changed XID8",),
    # tokens of the HTTP server (`token_rows.py`); a handle that is bound to an entity sees none
    (
        """CREATE TABLE tokens (token_id TEXT PRIMARY KEY, token TEXT NOT NULL,
        added BIGINT GENERATED ALWAYS AS IDENTITY)""",
        "ALTER TABLE tokens ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE tokens FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY of_no_entity ON tokens USING ({_OWN} IS NULL) WITH CHECK ({_OWN} IS NULL)",
    ),
)
"""Numbered migrations; `secondhop.schema_version` says how many have run."""

VECTOR_STEPS: Final = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    *_table("vectors", _VECTORS),
    # not compressed, because each search reads all vectors of one entity
    "ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL",
)
"""Statements for a database that also keeps vectors (pgvector)."""
