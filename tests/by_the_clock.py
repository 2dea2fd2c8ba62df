"""Tests that measure time: nothing runs beside them, and nobody collects garbage meanwhile."""

import pytest

BY_THE_CLOCK = [pytest.mark.slow, pytest.mark.usefixtures("steady_collector")]
