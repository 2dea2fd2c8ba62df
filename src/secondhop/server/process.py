"""Process settings for a server that answers many callers at once."""

import ctypes
import gc
import os
from contextlib import suppress

M_ARENA_MAX = -8
"""As glibc's malloc.h says it."""


def set_up_process() -> None:
    """Call it before NumPy is loaded; what the environment says goes before.

    A recall's matrices are too small for a second thread of OpenBLAS, which only spins. glibc keeps
    what was freed for each thread that freed it, unless all share one arena. And Python's garbage
    collector walks the same libraries over and over while many recalls make objects.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(20_000, 20, 20)
    if "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(OSError, AttributeError, TypeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
