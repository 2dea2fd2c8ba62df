"""What closes an endpoint to its callers."""

import time

from secondhop.models.circuit_breaker import BreakerSettings, CircuitBreaker


def test_waits_at_the_same_time_count_once() -> None:
    breaker = CircuitBreaker(BreakerSettings(failures=10, patience_s=2.0))

    for _ in range(3):
        breaker.failed(cost_s=1.3, cause="HTTP 503")

    assert breaker.rests_s() == 0


def test_callers_in_a_hurry_need_more_waits_to_close_an_endpoint() -> None:
    breaker = CircuitBreaker(BreakerSettings(failures=1, patience_s=0.2))

    for _ in range(2):
        time.sleep(0.12)
        breaker.failed(cost_s=0.12, cause="no answer in time", hurried=True)
    assert breaker.rests_s() == 0

    for _ in range(4):
        time.sleep(0.12)
        breaker.failed(cost_s=0.12, cause="no answer in time", hurried=True)
    assert breaker.rests_s() > 0
