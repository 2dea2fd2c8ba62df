"""Benchmarks ask as evaluations do."""

from tests.evals.conftest import offline as offline
