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


def test_one_probe_goes_through_after_the_cooldown_and_closes_it() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10.0
    assert [breaker.admit() for _ in range(3)] == [True, False, False]
    breaker.succeeded()
    assert breaker.admit()
    assert breaker.rests_s() == 0.0


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
