"""Targets of a comparison: plain search, an effort, settings, a prompt, an earlier report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError

from secondhop.errors import UsageError, said_by_system
from secondhop.evals.baselines import BASELINES
from secondhop.evals.measures import Rankings
from secondhop.evals.setting_files import read_setting_changes
from secondhop.nodes.effort import KNOWN
from secondhop.nodes.state import Effort
from secondhop.prompts.templates import Prompt, tried_prompt

DEFAULTS = "defaults"
"""Names the default settings."""

PROMPT_SUFFIX = ".md"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainSearch:
    """A plain-search baseline of the same run."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSettings:
    """secondhop with changes to the default settings."""

    name: str
    changes: Sequence[str]
    """Texts like "NAME=VALUE"."""


@dataclass(frozen=True, slots=True)
class OtherEffort:
    """secondhop with this effort."""

    effort: Effort

    @property
    def name(self) -> str:
        """ "effort low"."""
        return f"effort {self.effort}"


@dataclass(frozen=True, slots=True)
class OtherPrompt:
    """secondhop with this prompt instead of the one in force."""

    prompt: Prompt

    @property
    def name(self) -> str:
        """Its name with version and hash."""
        return self.prompt.label


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierReport:
    """The output of an earlier `eval scenarios --json`."""

    name: str
    results: Mapping[str, Rankings]
    """{scenario: rankings}."""


ComparisonTarget: TypeAlias = (
    PlainSearch | OtherEffort | OtherSettings | OtherPrompt | EarlierReport
)


class ReportedScenario(BaseModel):
    """A scenario of a report; the comparison in it has no results."""

    results: dict[str, list[str]] | None = None


_DOCUMENT = TypeAdapter(dict[str, ReportedScenario])


def comparison_target(said: str) -> ComparisonTarget:
    """The target for a baseline's name, an effort, "defaults", "NAME=VALUE,…", or a file of
    settings, a prompt or a report.

    Raises:
        UsageError: `said` is none of these, or its file cannot be read.
    """
    if said in BASELINES:
        return PlainSearch(name=said)
    if said in KNOWN:
        return OtherEffort(KNOWN[said])
    if said == DEFAULTS:
        return OtherSettings(name=said, changes=())
    path = Path(said).expanduser()
    if path.is_file():
        return target_in(path)
    if "=" in said:
        return OtherSettings(name=said, changes=[part.strip() for part in said.split(",")])
    raise UsageError(
        f"nothing to compare with is called {said!r}: it is not a file, and not one of "
        f"{', '.join((*BASELINES, *KNOWN, DEFAULTS))}; settings are written like "
        f"ranking.diversity=mmr"
    )


def target_in(path: Path) -> ComparisonTarget:
    """The target in a file: a prompt (`.md`), a report or settings."""
    if path.suffix == PROMPT_SUFFIX:
        return OtherPrompt(tried_prompt(path))
    results = report_in(path)
    if results is not None:
        return EarlierReport(name=path.name, results=results)
    return OtherSettings(name=path.name, changes=read_setting_changes(path))


def report_in(path: Path) -> dict[str, Rankings] | None:
    """{scenario: rankings} of a report; None if the file is not a report."""
    try:
        scenarios = _DOCUMENT.validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {said_by_system(error)}") from error
    except ValidationError:
        return None
    return {name: one.results for name, one in scenarios.items() if one.results is not None} or None
