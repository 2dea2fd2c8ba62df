"""Six garden beds, all equally relevant to two questions about them."""

from tests.fakes import note

GARDEN = tuple(
    note(f"bed-{number}", f"Garden bed {number}: tomatoes and basil, watered {when}")
    for number, when in enumerate(("daily", "weekly", "at dawn", "by hand", "by hose", "rarely"))
)
FIRST = "What grows in the garden beds?"
NEAR = "Which tomatoes and basil grow in the garden?"
