"""A key that was moved: the case in which a newer memory takes the place of an older one."""

from datetime import UTC, datetime

from tests.fakes import note
from tests.small_world import LIFE

QUESTION = "Where is the boiler key?"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
"""When it is asked."""

LIFE_WITH_A_KEY = (
    *LIFE,
    note("mat", "The boiler key is under the mat", day=2),
    note("hook", "The boiler key is now on the hook", day=20),
)
"""Nothing says in so many words that `hook` replaces `mat`."""
