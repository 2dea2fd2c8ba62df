"""Fixtures for benchmarks: they open memories as the tests of evaluations do."""

from tests.evals.conftest import offline as offline
