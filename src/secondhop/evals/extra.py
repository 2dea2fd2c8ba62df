"""What the extra `secondhop[eval]` brings: SciPy, and the tools of ir-measures."""

from importlib.util import find_spec

from secondhop.errors import SecondhopError

MODULES = ("scipy", "ir_measures", "pytrec_eval", "pyndeval")


class EvalExtraMissingError(SecondhopError):
    """A comparison or the field's own measures were asked for without the extra."""

    def __init__(self) -> None:
        super().__init__(
            "intervals and p-values, and the measures of ir-measures (P@k, R@k, RR@k, "
            "nDCG@k, alpha_nDCG@k, ERR_IA@k, StRecall@k) need "
            f"{', '.join(missing_modules())}, not installed here; "
            "install them: pip install '/path/to/the/checkout[eval]'"
        )


def missing_modules() -> list[str]:
    """Those that cannot be imported; [] when all are there."""
    return [name for name in MODULES if find_spec(name) is None]


def expect_extra() -> None:
    """Raises EvalExtraMissingError when a module cannot be imported."""
    if missing_modules():
        raise EvalExtraMissingError
