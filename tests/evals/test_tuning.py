"""Tuned settings are reported on what was left out, and only there."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.evals.small_scenario import small_scenario
from tests.small_world import SmallWorld

from secondhop.errors import UsageError
from secondhop.evals.measures import Measures
from secondhop.evals.tuning import Tuning, tuned
from secondhop.evals.tuning_dials import DIALS, Turned, applied, changes_of
from secondhop.evals.tuning_part import (
    RememberedSearch,
    TuningPart,
    asked_with,
    parts_by_question,
)
from secondhop.evals.tuning_scores import DEFAULTS, OBJECTIVE, Ask, objective
from secondhop.evals.tuning_search import TuneExtraMissingError, drawn, expect_optuna
from secondhop.nodes.settings import RankingSettings, RecallSettings
from secondhop.stores.records import PassageHit, Vectors

QUESTIONS = [f"q-{n}" for n in range(8)]
AT_THE_DEFAULTS = 0.3


def reached(worth: float) -> dict[str, Measures]:
    """The same for every question of a part."""
    one = {"alpha_ndcg": worth, "redundancy": 0.0, "stale_rate": 0.0}
    return {question: dict(one) for question in QUESTIONS}


async def everybody_profits(setting: Turned, part: str) -> Mapping[str, Measures]:
    """The more the question itself weighs the better, in every part."""
    return reached(dict(setting).get("direct_weight", AT_THE_DEFAULTS) / 3)


async def each_its_own(setting: Turned, part: str) -> Mapping[str, Measures]:
    """What one part gains with a dial, the other loses."""
    if setting == DEFAULTS:
        return reached(0.5)
    weight = dict(setting)["direct_weight"] / 3
    return reached(weight if part == "a" else 1 - weight)


async def search(ask: Ask[str] = everybody_profits, *, seed: int = 0, trials: int = 12) -> Tuning:
    return await tuned({"a": "a", "b": "b"}, ask, trials=trials, seed=seed)


def test_the_objective_takes_for_repetition_and_for_what_is_stale() -> None:
    assert objective({"alpha_ndcg": 0.6, "redundancy": 0.2, "stale_rate": 0.1}) == pytest.approx(
        0.45
    )


async def test_what_helps_everywhere_is_found_and_is_better() -> None:
    tuning = await search()

    assert tuning.better
    assert tuning.table.result()[OBJECTIVE] > tuning.table.default()[OBJECTIVE]
    assert dict(tuning.table.to_use)["direct_weight"] > RankingSettings().direct_weight
    assert tuning.file()["ranking"]["direct_weight"] == dict(tuning.table.to_use)["direct_weight"]


async def test_a_gain_in_training_that_is_lost_on_what_was_left_out_is_no_result() -> None:
    tuning = await search(each_its_own)

    assert tuning.table.training()[OBJECTIVE] > 0.6
    assert tuning.document()["result"][OBJECTIVE] < 0.5
    assert not tuning.better


async def test_the_same_seed_finds_the_same() -> None:
    first, second, other = await search(), await search(), await search(seed=1)

    assert first.document() == second.document()
    assert first.document() != other.document()


async def test_a_search_never_sees_what_is_left_out() -> None:
    """Worth that only the part left out can tell does not change what the others choose."""

    async def twisted(setting: Turned, part: str) -> Mapping[str, Measures]:
        return reached(0.99 if part == "b" else dict(setting).get("direct_weight", 0.3) / 3)

    plain, changed = await search(), await search(twisted)

    chosen_by_a = [fold.chosen for fold in plain.table.folds if fold.left_out == "b"]
    assert chosen_by_a == [fold.chosen for fold in changed.table.folds if fold.left_out == "b"]


async def test_every_setting_is_measured_once_a_part_and_progress_is_heard() -> None:
    measured: list[tuple[Turned, str]] = []
    heard: list[tuple[int, int]] = []

    async def counting(setting: Turned, part: str) -> Mapping[str, Measures]:
        measured.append((setting, part))
        return await everybody_profits(setting, part)

    await tuned(
        {"a": "a", "b": "b"},
        counting,
        trials=6,
        progress=lambda done, total: heard.append((done, total)),
    )

    assert len(set(measured)) == len(measured)
    assert [done for done, _ in heard] == list(range(1, len(measured) + 1))
    assert all(done <= total for done, total in heard)


async def test_interrupted_it_chooses_among_what_was_measured_everywhere() -> None:
    asked: list[Turned] = []

    async def interrupted(setting: Turned, part: str) -> Mapping[str, Measures]:
        asked.append(setting)
        if len(asked) == 9:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(0)
        return await everybody_profits(setting, part)

    tuning = await search(interrupted, trials=20)

    assert tuning.interrupted
    assert len(asked) == 9
    assert set(asked[:8]) >= {fold.chosen for fold in tuning.table.folds}
    assert tuning.table.to_use in asked[:8]


async def test_interrupted_before_anything_could_be_compared_it_just_ends() -> None:
    async def interrupted(setting: Turned, part: str) -> Mapping[str, Measures]:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await search(interrupted)


async def test_one_part_is_refused() -> None:
    with pytest.raises(UsageError, match="at least two scenarios"):
        await tuned({"a": "a"}, everybody_profits, trials=4)


def test_without_optuna_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_there(_: str) -> None:
        return None

    monkeypatch.setattr("secondhop.evals.tuning_search.find_spec", not_there)

    with pytest.raises(TuneExtraMissingError, match=r"pip install 'secondhop\[tune\]'"):
        expect_optuna()


def test_every_dial_is_a_setting_whose_default_lies_on_its_steps() -> None:
    for dial in DIALS:
        default = getattr(RankingSettings(), dial.name)
        steps = (default - dial.low) / dial.step
        assert dial.low <= default <= dial.high
        assert steps == pytest.approx(round(steps))


def test_the_words_get_what_the_vectors_leave() -> None:
    for dials in drawn(20, seed=3):
        ranking = applied(RecallSettings(), dials).ranking
        assert ranking.dense_weight + ranking.lexical_weight == pytest.approx(1)
        assert changes_of(dials)["lexical_weight"] == ranking.lexical_weight


async def test_questions_are_asked_with_the_dials_turned_and_leave_no_trace(
    world: SmallWorld,
) -> None:
    scenario = small_scenario()
    part = TuningPart(services=world.services(), questions=scenario.questions)

    plain = await asked_with(DEFAULTS, part)
    strict = await asked_with((("min_score", 1.0),), part)

    assert set(plain) == {"interview", "garden"}
    assert plain["garden"]["facet_recall"] == 1
    assert strict["garden"]["facet_recall"] == 0
    assert await asked_with(DEFAULTS, part) == plain


async def test_what_was_searched_once_is_not_searched_again(world: SmallWorld) -> None:
    class Counting:
        calls = 0

        async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
            self.calls += 1
            return await world.store.dense(queries, k=k)

        async def lexical(self, query: str, *, k: int) -> list[PassageHit]:
            self.calls += 1
            return await world.store.lexical(query, k=k)

        vectors = world.store.vectors

    counting = Counting()
    search = RememberedSearch(counting)
    part = TuningPart(
        services=replace(world.services(), search=search), questions=small_scenario().questions
    )

    first = await asked_with(DEFAULTS, part)
    calls = counting.calls
    second = await asked_with(DEFAULTS, part)

    assert calls > 0
    assert counting.calls == calls
    assert first == second


def test_questions_of_one_scenario_fall_into_parts(world: SmallWorld) -> None:
    part = TuningPart(services=world.services(), questions=small_scenario().questions)

    parts = parts_by_question("small", part)

    assert {name: [one.id for one in own.questions] for name, own in parts.items()} == {
        "small, questions 1": ["interview"],
        "small, questions 2": ["garden"],
    }
