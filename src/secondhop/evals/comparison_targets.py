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
class OtherSide:
    """secondhop, asked otherwise; what is None is as on our side."""

    name: str
    effort: Effort | None = None
    changes: Sequence[str] | None = None
    """Changes to the default settings: texts like "NAME=VALUE"."""
    prompt: Prompt | None = None
    """Takes the place of the one in force with the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRankings:
    """Rankings that need no other recall."""

    name: str
    results: Mapping[str, Rankings] | None = None
    """{scenario: rankings} of an earlier `eval scenarios --json`; None: those of the plain search
    of this name in the same run."""


ComparisonTarget: TypeAlias = OtherSide | KnownRankings


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
        return KnownRankings(name=said)
    if said in KNOWN:
        return OtherSide(name=f"effort {KNOWN[said]}", effort=KNOWN[said])
    if said == DEFAULTS:
        return OtherSide(name=said, changes=())
    path = Path(said).expanduser()
    if path.is_file():
        return target_in(path)
    if "=" in said:
        return OtherSide(name=said, changes=[part.strip() for part in said.split(",")])
    raise UsageError(
        f"nothing to compare with is called {said!r}: it is not a file, and not one of "
        f"{', '.join((*BASELINES, *KNOWN, DEFAULTS))}; settings are written like "
        f"ranking.diversity=mmr"
    )


def target_in(path: Path) -> ComparisonTarget:
    """The target in a file: a prompt (`.md`), a report or settings."""
    if path.suffix == PROMPT_SUFFIX:
        return other_prompt(tried_prompt(path))
    results = report_in(path)
    if results is not None:
        return KnownRankings(name=path.name, results=results)
    return OtherSide(name=path.name, changes=read_setting_changes(path))


def other_prompt(prompt: Prompt) -> OtherSide:
    """secondhop with this prompt, called by its name, version and hash."""
    return OtherSide(name=prompt.label, prompt=prompt)


def report_in(path: Path) -> dict[str, Rankings] | None:
    """{scenario: rankings} of a report; None if the file is not a report."""
    try:
        scenarios = _DOCUMENT.validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {said_by_system(error)}") from error
    except ValidationError:
        return None
    return {name: one.results for name, one in scenarios.items() if one.results is not None} or None
