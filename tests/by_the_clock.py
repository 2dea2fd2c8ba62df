"""Marks of tests that measure time: nothing runs beside them, and no garbage is collected."""

import pytest

BY_THE_CLOCK = [pytest.mark.slow, pytest.mark.usefixtures("steady_collector")]
