"""Benchmarks are no part of the package: they are imported from the checkout."""

import sys
from pathlib import Path

from tests.evals.conftest import offline as offline

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
