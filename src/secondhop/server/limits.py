"""Limits for each caller of the server."""

import re
import time
from collections import OrderedDict
from dataclasses import dataclass, replace

_UPLOAD = re.compile(r"/v1/entities/[^/]+/ingest")
"""Must match the whole path: other paths end with a memory id, which may contain "/ingest"."""

CALLERS: int = 10_000
"""How many callers' rates are remembered; the one idle the longest is dropped first."""


REQUESTS_PER_S = 50.0
"""For each caller, unless `serve --rate` says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Limits of the HTTP server."""

    body_bytes: int = 1_000_000
    upload_bytes: int = 64_000_000
    """For a file to ingest."""
    body_s: float = 30.0
    """How long a body may take to arrive."""
    upload_s: float = 600.0
    request_s: float = 120.0
    """How long a request may take, sending the answer included; a recall has its own, shorter
    deadline."""
    requests_per_s: float = REQUESTS_PER_S
    """For each caller; 0: no limit. A burst may have twice as many."""

    def of(self, path: str) -> "ServerLimits":
        """The limits of requests to `path`: more for the upload of a file."""
        if not _UPLOAD.fullmatch(path):
            return self
        return replace(
            self,
            body_bytes=self.upload_bytes,
            body_s=self.upload_s,
            request_s=self.upload_s * 2,
        )


class RateLimiter:
    """One token bucket per caller."""

    def __init__(self, per_s: float) -> None:
        """`per_s`: requests per second that each caller may send in the long run; 0: no limit."""
        self._per_s = per_s
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, caller: str) -> float:
        """Count a request and return 0, or return the seconds until the next one is allowed."""
        if not self._per_s:
            return 0.0
        now, most = time.monotonic(), self._per_s * 2
        left, seen = self._buckets.pop(caller, (most, now))
        left = min(most, left + (now - seen) * self._per_s)
        allowed = left >= 1
        self._buckets[caller] = (left - 1 if allowed else left, now)
        if len(self._buckets) > CALLERS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._per_s
