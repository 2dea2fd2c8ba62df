import pytest

from secondhop.errors import UsageError
from secondhop.models.circuit_breaker import BreakerSettings, CircuitBreaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


SETTINGS = BreakerSettings(failures=3, patience_s=2.0, cooldown_s=10.0)


def opened(clock: Clock) -> CircuitBreaker:
    breaker = CircuitBreaker(SETTINGS, clock=clock)
    assert breaker.admit()
    breaker.failed(cost_s=5.0)
    return breaker


def test_it_opens_after_so_many_quick_failures_in_a_row() -> None:
    breaker = CircuitBreaker(SETTINGS, clock=Clock())
    for _ in range(2):
        assert breaker.admit()
        breaker.failed(cost_s=0.01)
    breaker.succeeded()
    for _ in range(3):
        assert breaker.admit()
        breaker.failed(cost_s=0.01)
    assert not breaker.admit()
    assert breaker.rests_s() == 10.0


def test_one_long_wait_opens_it_at_once() -> None:
    assert not opened(Clock()).admit()


def test_one_probe_goes_through_after_the_cooldown_and_closes_it() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10.0
    assert [breaker.admit() for _ in range(3)] == [True, False, False]
    breaker.succeeded()
    assert breaker.admit()
    assert breaker.rests_s() == 0.0


def test_a_probe_that_fails_opens_it_again_however_quick_it_was() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10.0
    assert breaker.admit()
    breaker.failed(cost_s=0.0)
    assert not breaker.admit()
    clock.now += 10.0
    assert breaker.admit()


def test_a_probe_that_was_cancelled_leaves_its_place_to_the_next() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10.0
    assert breaker.admit()
    breaker.abandoned()
    assert breaker.admit()


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError):
        BreakerSettings(failures=0)


def test_it_remembers_why_the_last_request_had_no_answer() -> None:
    breaker = CircuitBreaker(SETTINGS, clock=Clock())
    assert breaker.last_cause() == ""
    breaker.failed(cost_s=0.1, cause="connection refused")
    assert breaker.last_cause() == "connection refused"
