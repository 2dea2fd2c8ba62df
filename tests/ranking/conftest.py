"""Ranking tests run the same examples every time."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ranking",
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ranking")
