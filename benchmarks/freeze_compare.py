"""Two records of `benchmarks.freeze` side by side."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

TOLERANCE = 0.01
"""A mean may get worse by this much, which is noise."""

LOWER_IS_BETTER = frozenset({"redundancy", "stale_rate"})

Record: TypeAlias = Mapping[str, Any]
"""{part: its figures}, as nested mappings of numbers and texts; texts are commits or digests."""


def table(before: Record, after: Record) -> Iterator[str]:
    """One line per number, then one line per group of digests."""
    old, new = numbers(before), numbers(after)
    fallen = worse(before, after)
    yield f"{'':44}{'before':>12}{'after':>12}{'change':>12}"
    for name in old | new:
        cells = f"{cell(old.get(name)):>12}{cell(new.get(name)):>12}"
        change = cell(new[name] - old[name]) if name in old and name in new else ""
        yield f"{name:44}{cells}{change:>12}{'  WORSE' if name in fallen else ''}".rstrip()
    yield from changed_digests(texts(before), texts(after))


def worse(before: Record, after: Record) -> list[str]:
    """Names of the quality means that got worse by more than the tolerance.

    A mean that is missing in `after` counts as worse if its part was recorded.
    """
    old, new = numbers(before), numbers(after)
    return [
        name
        for name, value in old.items()
        if "/mean/" in name
        and name.partition("/mean/")[0] in after
        and (name not in new or loss(name, value, new[name]) > TOLERANCE)
    ]


def loss(name: str, before: float, after: float) -> float:
    """How much worse `after` is, rounded so that a loss of 0.01 does not exceed 0.01."""
    fall = after - before if name.rpartition("/")[2] in LOWER_IS_BETTER else before - after
    return round(fall, 9)


def changed_digests(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """One line per group: how many digests changed, were added or are gone."""
    names = before | after
    total = Counter(name.rpartition("/")[0] for name in names)
    changed = Counter(
        name.rpartition("/")[0] for name in names if before.get(name) != after.get(name)
    )
    for group in total:
        yield f"{group or 'record'}: {changed[group]} of {total[group]} differ"


def numbers(record: Record) -> dict[str, float]:
    """{"part/.../name": number}, in the order of the record."""
    return {name: leaf for name, leaf in leaves(record) if not isinstance(leaf, str)}


def texts(record: Record) -> dict[str, str]:
    """{"part/.../name": text}, in the order of the record."""
    return {name: leaf for name, leaf in leaves(record) if isinstance(leaf, str)}


def leaves(record: Record, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(path of names, value) for each value that is not a mapping."""
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from leaves(cast(Record, value), f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", value


def cell(value: float | None) -> str:
    """Integers with thousands separators, floats with four decimals; "-" for None."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if isinstance(value, int) else f"{value:.4f}"
