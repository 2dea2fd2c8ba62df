"""Looking for better settings with Optuna: first drawn at random, then where it looks promising.

Tree-structured Parzen estimator: Bergstra et al., Algorithms for Hyper-Parameter Optimization,
NIPS 2011; Akiba et al., Optuna, KDD 2019, doi:10.1145/3292500.3330701. The same seed finds the
same settings.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from secondhop.errors import SecondhopError
from secondhop.evals.tuning_dials import DIALS, Turned, turned

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.study import Study

Value: TypeAlias = Callable[[Turned], Awaitable[float]]
"""What settings are worth; more is better."""


class TuneExtraMissingError(SecondhopError):
    """Tuning was asked for, and Optuna is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "tuning searches with Optuna, and it is not installed; "
            "install it: pip install 'secondhop[tune]'"
        )


def expect_optuna() -> None:
    """Raises TuneExtraMissingError when Optuna cannot be imported."""
    if find_spec("optuna") is None:
        raise TuneExtraMissingError


def drawn(count: int, *, seed: int) -> list[Turned]:
    """Different settings, at random and without looking at any label; at most `count`.

    Raises:
        TuneExtraMissingError: Optuna is not installed.
    """
    expect_optuna()
    from optuna.samplers import RandomSampler

    study = quiet_study(RandomSampler(seed=seed))
    return list(dict.fromkeys(turned(asked(study)[1]) for _ in range(count)))


async def searched(
    known: Mapping[Turned, float], value: Value, *, count: int, seed: int
) -> Sequence[Turned]:
    """Settings that look promising, `count` of them, each tried before the next is chosen.

    Args:
        known: settings whose worth is known; the search learns from those with all dials turned.

    Raises:
        TuneExtraMissingError: Optuna is not installed.
    """
    expect_optuna()
    from optuna.samplers import TPESampler
    from optuna.trial import create_trial

    study = quiet_study(TPESampler(seed=seed, n_startup_trials=1, multivariate=True))
    for dials, worth in known.items():
        if len(dials) == len(DIALS):
            trial = create_trial(params=dict(dials), distributions=space(), value=worth)
            study.add_trial(trial)
    found: list[Turned] = []
    for _ in range(count):
        number, values = asked(study)
        found.append(turned(values))
        study.tell(number, await value(found[-1]))
    return found


def quiet_study(sampler: "BaseSampler") -> "Study":
    """A study in memory that tells nobody."""
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        return optuna.create_study(direction="maximize", sampler=sampler)
    finally:
        optuna.logging.set_verbosity(before)


def asked(study: "Study") -> tuple[int, dict[str, Any]]:
    """The number and the values of the next trial."""
    trial = study.ask(space())
    return trial.number, trial.params


def space() -> "dict[str, BaseDistribution]":
    """The dials as Optuna has them."""
    from optuna.distributions import FloatDistribution, IntDistribution

    return {
        dial.name: IntDistribution(int(dial.low), int(dial.high), step=int(dial.step))
        if dial.whole
        else FloatDistribution(dial.low, dial.high, step=dial.step)
        for dial in DIALS
    }
