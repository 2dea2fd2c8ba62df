"""The catalog's schema in SQLite, as numbered steps."""

from collections.abc import Sequence

from secondhop.stores.sqlite import Migration

MIGRATIONS: Sequence[Migration] = (
    (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE memories (
            memory_id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            source TEXT NOT NULL,
            created_at TEXT NOT NULL,   -- ISO 8601 with offset
            origin TEXT NOT NULL,
            messages TEXT NOT NULL,     -- JSON [[role, content], ...]: the source of truth
            content_hash TEXT NOT NULL,
            passage_count INTEGER NOT NULL
        )""",
        "CREATE INDEX memories_by_origin ON memories (origin)",
        """CREATE TABLE passages (
            passage_no INTEGER PRIMARY KEY,
            passage_id TEXT NOT NULL UNIQUE,
            memory_id TEXT NOT NULL REFERENCES memories (memory_id) ON DELETE CASCADE,
            ordinal INTEGER NOT NULL,
            heading TEXT NOT NULL,
            text TEXT NOT NULL,
            tokens INTEGER NOT NULL,
            terms INTEGER NOT NULL      -- search terms in title, heading and text
        )""",
        "CREATE INDEX passages_by_memory ON passages (memory_id, ordinal)",
        # postings: see lexicon.py
        """CREATE TABLE postings (
            block INTEGER NOT NULL,
            term TEXT NOT NULL,
            entries BLOB NOT NULL,
            PRIMARY KEY (block, term)
        ) WITHOUT ROWID""",
        # passage ids whose vectors may be in the index without the catalog knowing them
        """CREATE TABLE outbox (
            intent_no INTEGER PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('put', 'drop')),
            passage_ids TEXT NOT NULL   -- JSON [passage id, ...]
        )""",
    ),
    (
        # new columns have defaults, so no row is rewritten and nothing is embedded
        "ALTER TABLE memories ADD COLUMN kind TEXT NOT NULL DEFAULT 'continuity'",
        "ALTER TABLE memories ADD COLUMN subject TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE memories ADD COLUMN attribute TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE memories ADD COLUMN value TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE memories ADD COLUMN scope TEXT NOT NULL DEFAULT ''",
        # what a fact or a preference is about: a newer one of the same slot replaces it
        "ALTER TABLE memories ADD COLUMN slot TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX memories_by_slot ON memories (kind, slot) WHERE kind <> 'continuity'",
        # the status of memories; those without a row have the default status
        """CREATE TABLE keeping (
            memory_id TEXT PRIMARY KEY,
            valid_until TEXT,           -- ISO 8601 with offset, as all that follow
            salience REAL NOT NULL,
            deprecated_at TEXT,
            deprecated_because TEXT NOT NULL,
            superseded_at TEXT,
            superseded_by TEXT          -- NULL, too, where that memory is gone
        ) WITHOUT ROWID""",
        "CREATE INDEX keeping_by_successor ON keeping (superseded_by)",
        """CREATE TABLE history (
            entry_no INTEGER PRIMARY KEY,
            memory_id TEXT NOT NULL,
            at TEXT NOT NULL,
            act TEXT NOT NULL,
            other_id TEXT,
            detail TEXT NOT NULL
        )""",
        "CREATE INDEX history_by_memory ON history (memory_id)",
    ),
    (
        # what a briefing reads (briefing.py): marks, things to do, and the newest memories
        "ALTER TABLE keeping ADD COLUMN mark TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX keeping_by_mark ON keeping (mark) WHERE mark <> ''",
        "CREATE INDEX memories_to_do ON memories (created_at) WHERE source IN ('todo', 'task')",
        "CREATE INDEX memories_by_date ON memories (created_at) WHERE kind <> 'preferential'",
    ),
    (
        # the texts of memories before other texts were stored under their ids (versions.py)
        """CREATE TABLE earlier_texts (
            version_no INTEGER PRIMARY KEY,
            memory_id TEXT NOT NULL,
            title TEXT NOT NULL,
            source TEXT NOT NULL,
            created_at TEXT NOT NULL,
            origin TEXT NOT NULL,
            messages TEXT NOT NULL,
            kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            attribute TEXT NOT NULL,
            value TEXT NOT NULL,
            scope TEXT NOT NULL,
            replaced_at TEXT NOT NULL,  -- ISO 8601 with offset
            replaced_by TEXT NOT NULL,  -- origin of the text that took its place
            passages TEXT NOT NULL      -- JSON [[heading, text, tokens], ...], as embedded
        )""",
        "CREATE INDEX earlier_texts_by_memory ON earlier_texts (memory_id)",
    ),
    (
        # cues and annotations of memories (cues.py)
        """CREATE TABLE cues (
            cue_id TEXT PRIMARY KEY,
            memory_id TEXT NOT NULL,
            text TEXT NOT NULL,
            breadth TEXT NOT NULL CHECK (breadth IN ('specific', 'broad')),
            origin TEXT NOT NULL CHECK (origin IN ('model', 'host', 'session')),
            prompt TEXT NOT NULL,       -- version
            model TEXT NOT NULL,
            written_at TEXT NOT NULL    -- ISO 8601 with offset
        ) WITHOUT ROWID""",
        "CREATE INDEX cues_by_memory ON cues (memory_id)",
        """CREATE TABLE annotations (
            memory_id TEXT NOT NULL,
            origin TEXT NOT NULL,
            content_hash TEXT NOT NULL, -- of the text that was read
            role TEXT NOT NULL,
            fingerprint TEXT NOT NULL,  -- of what was given: see stores/cues.py
            prompt TEXT NOT NULL,
            model TEXT NOT NULL,
            written_at TEXT NOT NULL,
            PRIMARY KEY (memory_id, origin)
        ) WITHOUT ROWID""",
        """CREATE TABLE replacements (
            memory_id TEXT NOT NULL,
            origin TEXT NOT NULL,
            replaced_id TEXT NOT NULL,
            PRIMARY KEY (memory_id, origin, replaced_id)
        ) WITHOUT ROWID""",
        "CREATE INDEX replacements_by_replaced ON replacements (replaced_id)",
        "ALTER TABLE outbox ADD COLUMN cue_ids TEXT NOT NULL DEFAULT '[]'",
    ),
    (
        # words to filter by: JSON [tag, ...]
        "ALTER TABLE memories ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE earlier_texts ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'",
    ),
    (
        # for a session's cue: votes for the memory on this question minus votes against it
        "ALTER TABLE cues ADD COLUMN proved REAL NOT NULL DEFAULT 0",
    ),
)
