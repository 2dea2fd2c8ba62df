"""Moved to `secondhop.memories.records`; version 0.3 removes this module."""

from typing import TYPE_CHECKING
from warnings import warn

from secondhop.memories import records

if TYPE_CHECKING:
    from secondhop.memories.records import Fact as Fact
    from secondhop.memories.records import Preference as Preference


def __getattr__(name: str) -> object:
    found: object = getattr(records, name)
    warn(
        f"secondhop.keeping_records is deprecated; import {name} from secondhop.memories.records",
        DeprecationWarning,
        stacklevel=2,
    )
    return found
