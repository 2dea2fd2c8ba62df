"""How well the detector finds what newer memories replaced, and what recall gains by it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from secondhop.evals.measures import Measures, mean_of, measure
from secondhop.evals.scenario import Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.ingest.run import IngestProgress
from secondhop.memories.detector import Suspicion
from secondhop.recall import Recall

MEASURES = ("facet_recall", "alpha_ndcg", "stale_rate")


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersessionReport:
    """One scenario."""

    name: str
    labelled: int
    """Memories that some question's label calls stale."""
    detected: int
    right: int
    """Detected ones that are labelled."""
    false_alarms: list[str]
    """ "old -> new: because". Labels are of some questions only: not each of these is wrong."""
    missed: list[str]
    before: dict[str, float]
    """Means of recall while nothing is superseded."""
    after: dict[str, float]
    """The same, once every detected pair is believed."""

    def document(self) -> dict[str, object]:
        """As JSON, with precision and recall."""
        return {
            **asdict(self),
            "precision": share(self.right, self.detected),
            "recall": share(self.right, self.labelled),
        }


def share(part: int, whole: int) -> float:
    """0..1; 1 of nothing."""
    return part / whole if whole else 1.0


async def measure_supersession(
    scenario: Scenario, recall: Recall, *, progress: IngestProgress | None = None
) -> SupersessionReport:
    """Detect in a store that holds this scenario, and recall before and after."""
    await store_scenario(scenario, recall, progress=progress)
    for memory_id in await recall.store.keepings():  # of a store that was named to keep
        await recall.arestore(memory_id)
    labelled = {old for question in scenario.questions for old in question.stale}
    before = await recalled(scenario, recall)
    pairs = await recall.afind_superseded(apply=True)
    after = await recalled(scenario, recall)
    detected = {pair.old_id for pair in pairs}
    return SupersessionReport(
        name=scenario.name,
        labelled=len(labelled),
        detected=len(detected),
        right=len(detected & labelled),
        false_alarms=told(pair for pair in pairs if pair.old_id not in labelled),
        missed=sorted(labelled - detected),
        before=before,
        after=after,
    )


async def recalled(scenario: Scenario, recall: Recall) -> dict[str, float]:
    """Mean measures over the scenario's questions, each at its own time."""
    rows: list[Measures] = []
    for question in scenario.questions:
        answer = await recall.arecall(question.query, k=question.k, at=question.asked_at)
        rows.append(measure(question, answer.ids()))
    return {name: value for name, value in mean_of(rows).items() if name in MEASURES}


def told(pairs: Iterable[Suspicion]) -> list[str]:
    """One line a pair."""
    return [f"{pair.old_id} -> {pair.new_id}: {pair.because}" for pair in pairs]
