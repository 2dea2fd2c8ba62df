"""What tests of evaluations share."""

import pytest


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, no_variables: None) -> None:
    """Settings as shipped, without network; pulled models are found."""
    monkeypatch.setenv("SECONDHOP_OFFLINE", "1")
