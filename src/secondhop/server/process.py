"""Process settings for a server that answers many callers at once."""

import ctypes
import gc
import os
from contextlib import suppress

M_ARENA_MAX = -8
"""The number of this option in glibc's malloc.h."""


def set_up_process() -> None:
    """Set up OpenBLAS, the garbage collector and malloc; call it before NumPy is loaded.

    Environment variables that are set win. A recall's matrices are too small for a second thread of
    OpenBLAS, which would only spin. glibc keeps freed memory in an arena for each thread, unless
    all threads share one. With its default thresholds, Python's garbage collector would walk the
    loaded libraries again and again while many recalls make objects.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(20_000, 20, 20)
    if "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(OSError, AttributeError, TypeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
