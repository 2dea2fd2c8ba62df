"""Returns memory that a library has freed to the operating system."""

import ctypes
from contextlib import suppress


def return_freed_memory() -> None:
    """Return what Linux's C library would otherwise keep: memory that was freed in small pieces.

    After 64 small indexes were closed, it kept 200 MB. On other systems this does nothing.
    """
    with suppress(OSError, AttributeError, TypeError):  # no such library, or no such function
        ctypes.CDLL(None).malloc_trim(0)
