"""The filter of a recall: which memories it may return."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, Self, cast, get_args

from secondhop.errors import UsageError
from secondhop.moments import in_utc
from secondhop.stores.keeping import Kind

_LISTS: Final = ("tags", "sources", "kinds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Admits memories that match every given field; one matching value per field is enough.

    Raises:
        UsageError: a field has the wrong type, a kind is unknown, or no moment lies between
            `after` and `before`.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    tags: Sequence[str] = ()
    sources: Sequence[str] = ()
    kinds: Sequence[Kind] = ()
    ids: Sequence[str] | frozenset[str] | None = None
    """Memory ids. An empty list admits none, for a person who may see nothing."""
    after: datetime | None = None
    """Admits memories written at this moment or later. Without a time zone, it is in UTC."""
    before: datetime | None = None
    """Admits memories written before this moment. Without a time zone, it is in UTC."""

    def __post_init__(self) -> None:
        for name in _LISTS:
            object.__setattr__(self, name, _texts(getattr(self, name), name=name))
        if self.ids is not None:
            object.__setattr__(self, "ids", frozenset(_texts(self.ids, name="ids")))
        for name in ("after", "before"):
            object.__setattr__(self, name, _moment(getattr(self, name), name=name))
        if self.after is not None and self.before is not None and self.after >= self.before:
            raise UsageError(
                f"where: after ({self.after:%Y-%m-%d %H:%M}) must be earlier than before "
                f"({self.before:%Y-%m-%d %H:%M}); no memory lies between them"
            )
        if unknown := set(self.kinds) - set(get_args(Kind)):
            raise UsageError(
                f"where: unknown kind {min(unknown)!r}; the kinds are {', '.join(get_args(Kind))}"
            )

    def admits(
        self,
        memory_id: str,
        *,
        tags: Iterable[str],
        source: str,
        kind: str,
        created_at: datetime,
    ) -> bool:
        """Whether a memory with these values matches."""
        return (
            (not self.tags or not set(self.tags).isdisjoint(tags))
            and (not self.sources or source in self.sources)
            and (not self.kinds or kind in self.kinds)
            and (self.ids is None or memory_id in self.ids)
            and (self.after is None or created_at >= self.after)
            and (self.before is None or created_at < self.before)
        )

    def values(self) -> dict[str, Any]:
        """The given fields as plain JSON values; {} for a filter that admits everything."""
        lists = {name: list(getattr(self, name)) for name in _LISTS if getattr(self, name)}
        ids = {"ids": sorted(self.ids)} if self.ids is not None else {}
        ends = {"after": self.after, "before": self.before}
        return lists | ids | {name: at.isoformat() for name, at in ends.items() if at is not None}

    @classmethod
    def of(cls, given: object) -> Self | None:
        """The filter for a `Where` or a mapping of plain values; None if no field is given.

        Raises:
            UsageError: it is neither of these, or a field or value is not allowed.
        """
        if isinstance(given, Where):
            given = given.values()
        if given is None:
            return None
        if not isinstance(given, Mapping):
            raise UsageError(f"where must be a secondhop Where, not {given!r:.40}")
        fields = dict(cast("Mapping[str, Any]", given))
        if unknown := sorted(fields.keys() - {*_LISTS, "ids", "after", "before"}):
            raise UsageError(f"where has no field {unknown[0]!r}")
        where = cls(**fields)
        return where if where.values() else None


def _texts(given: object, *, name: str) -> tuple[str, ...]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise UsageError(f"where: {name} must be a list of texts, not {given!r:.40}")
    texts = tuple(cast("Iterable[object]", given))
    if not all(isinstance(text, str) for text in texts):
        raise UsageError(f"where: {name} must be a list of texts, not {texts!r:.40}")
    return cast("tuple[str, ...]", texts)


def _moment(given: object, *, name: str) -> datetime | None:
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else given
        if not isinstance(moment, datetime):
            raise ValueError(given)
        return in_utc(moment)
    except (OverflowError, ValueError) as error:
        raise UsageError(
            f"where: {name} must be a datetime, or ISO 8601 text like 2026-03-01, not {given!r:.40}"
        ) from error
