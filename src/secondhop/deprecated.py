"""Old names that still work, with a DeprecationWarning; version 0.3 removes them."""

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
    """The path of a method's async form: "admin.warm" becomes "admin.awarm"."""
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
"""{old name on `Recall`: its path now}."""


def moved(owner: object, name: str) -> Any:
    """The object that `owner` once offered as `name`; warns that the name is deprecated. Raises
    AttributeError if there never was such a name."""
    if name not in MOVED:
        raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}")
    warn(
        f"recall.{name} is deprecated; use recall.{MOVED[name]}",
        DeprecationWarning,
        stacklevel=3,
    )
    return reduce(getattr, MOVED[name].split("."), owner)


def with_old_arguments(options: dict[str, Any], config: Config | None) -> Config | None:
    """The config with the deprecated `settings` and `session_settings`, removed from `options`."""
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
