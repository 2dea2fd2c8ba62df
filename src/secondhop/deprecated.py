"""Names that have moved and still work, with a DeprecationWarning; they go in 0.3."""

from dataclasses import replace
from functools import reduce
from typing import Any
from warnings import warn

from secondhop.nodes.config import Config

_MEMORIES = (
    "remember",
    "update",
    "supersede",
    "deprecate",
    "restore",
    "forget",
    "history",
    "facts",
    "accept",
    "counters",
    "observe",
)

_SESSIONS = {
    "start_session": "start",
    "get_session": "get",
    "vote": "vote",
    "resolve": "resolve",
    "abandon": "abandon",
}

_ADMIN = {
    "examine": "doctor",
    "export_to": "export_to",
    "import_from": "import_from",
    "backup": "copy",
}

_SYNC = {
    **{name: f"memories.{name}" for name in _MEMORIES},
    **{old: f"sessions.{new}" for old, new in _SESSIONS.items()},
    **{old: f"admin.{new}" for old, new in _ADMIN.items()},
    "annotate": "memories.cues.annotate",
    "briefing": "memories.briefing",
    "warm": "admin.warm",
}


def async_form(path: str) -> str:
    """The path of the async form of a method."""
    part, name = path.rsplit(".", 1)
    return f"{part}.a{name}"


MOVED = {
    **_SYNC,
    **{f"a{old}": async_form(new) for old, new in _SYNC.items()},
    "aexport": "admin.aexport",
    "aimport": "admin.aimport",
    "acounts": "memories.acounts",
    "forgetting": "memories.forgetting",
    "session": "sessions.open",
    "last_traces": "admin.last_traces",
    "settings": "admin.config",
    "embedder": "admin.services.embedder",
    "cues": "memories.cues",
    "config": "admin.config",
    "services": "admin.services",
    "store": "admin.store",
}
"""{name on `Recall`: where it is now}."""


def moved(owner: object, name: str) -> Any:
    """What `owner.name` was.

    Raises:
        AttributeError: there never was such a name.
    """
    if name not in MOVED:
        raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}")
    warn(
        f"recall.{name} is deprecated; use recall.{MOVED[name]}",
        DeprecationWarning,
        stacklevel=3,
    )
    return reduce(getattr, MOVED[name].split("."), owner)


def with_old_arguments(options: dict[str, Any], config: Config | None) -> Config | None:
    """The config with what `settings` and `session_settings` say; they are taken from `options`."""
    settings: Config | None = options.pop("settings", None)
    session: Any = options.pop("session_settings", None)
    if settings is None and session is None:
        return config
    warn(
        "Recall.open(settings=, session_settings=) are deprecated; use config=Config(…)",
        DeprecationWarning,
        stacklevel=2,
    )
    chosen = config or settings or Config()
    return chosen if session is None else replace(chosen, session=session)
