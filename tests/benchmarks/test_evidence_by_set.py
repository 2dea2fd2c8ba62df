"""Numbers that are chosen without the set they are reported on, with made-up recalls."""

from collections.abc import Mapping, Sequence

import pytest
from benchmarks.evidence_by_set import Fold, left_out_in_turn, table
from benchmarks.evidence_dials import DIALS, SHIPPED, Turned, climbed, told, turned
from benchmarks.evidence_replays import drawn

from secondhop.errors import UsageError
from secondhop.evals.evidence_set import EvidenceSet, QuestionLine
from secondhop.nodes.evidence import rank as evidence_rank
from secondhop.nodes.evidence import speaker_match as evidence_voices

VALUES = ((0.0, 1.0), (0.0, 1.0, 2.0))
SHIPS = (1.0, 2.0)


class MadeUp:
    """Every set has two questions, with recalls that the numbers add to."""

    def __init__(self, gains: Mapping[str, Turned]) -> None:
        self._gains = gains
        self.asked: list[tuple[str, Turned]] = []

    @property
    def names(self) -> Sequence[str]:
        return list(self._gains)

    async def recalls(self, name: str, values: Turned) -> Sequence[float]:
        self.asked.append((name, values))
        gain = sum(a * b for a, b in zip(self._gains[name], values, strict=True))
        return [0.5 + gain, 0.3 + gain]

    def dense(self, name: str) -> Sequence[float]:
        return [0.4, 0.4]


async def folds_of(measured: MadeUp) -> dict[str, Fold]:
    folds = left_out_in_turn(measured, values=VALUES, shipped=SHIPS)
    return {fold.left_out: fold async for fold in folds}


async def test_numbers_that_all_others_gain_by_are_chosen_and_reported_on_the_one_left_out() -> (
    None
):
    folds = await folds_of(MadeUp({"a": (-0.1, 0.0), "b": (0.1, 0.0), "c": (0.1, 0.0)}))

    assert folds["a"].chosen == (1.0, 0.0)
    assert folds["a"].held_out == pytest.approx([0.4, 0.2])
    assert folds["a"].training == pytest.approx(0.5)
    assert folds["a"].shipped_there == pytest.approx(0.5)
    assert folds["b"].chosen == (0.0, 0.0), "a and c speak against one another"
    assert folds["b"].shipped == pytest.approx([0.6, 0.4])
    assert folds["b"].dense == [0.4, 0.4]


async def test_a_part_that_only_the_set_left_out_speaks_for_is_off_though_it_ships() -> None:
    folds = await folds_of(MadeUp({"a": (0.0, 0.1), "b": (0.0, 0.0), "c": (0.0, 0.0)}))

    assert folds["a"].chosen == (0.0, 0.0)
    assert folds["b"].chosen == folds["c"].chosen == (0.0, 2.0)


async def test_a_part_that_the_others_cannot_judge_may_stay_as_it_ships() -> None:
    made_up = MadeUp({"a": (0.0, 0.1), "b": (-0.1, 0.0), "c": (-0.1, 0.0)})
    kept = left_out_in_turn(made_up, values=VALUES, shipped=SHIPS, undecided=(1.0, 1.0))

    chosen = {fold.left_out: fold.chosen async for fold in kept}

    assert chosen == {"a": (0.0, 1.0), "b": (0.0, 2.0), "c": (0.0, 2.0)}


async def test_a_set_is_not_looked_at_before_the_others_have_chosen() -> None:
    made_up = MadeUp({"a": (0.1, 0.0), "b": (0.0, 0.1), "c": (0.1, 0.1)})
    async for fold in left_out_in_turn(made_up, values=VALUES, shipped=SHIPS):
        looked_at = [values for name, values in made_up.asked if name == fold.left_out]
        assert looked_at == [fold.chosen, SHIPS]
        made_up.asked.clear()


async def test_every_set_counts_the_same_however_many_questions_it_has() -> None:
    class Uneven(MadeUp):
        async def recalls(self, name: str, values: Turned) -> Sequence[float]:
            return list(await super().recalls(name, values)) * (50 if name == "c" else 1)

    folds = await folds_of(Uneven({"a": (0.0, 0.0), "b": (0.1, 0.0), "c": (-0.09, 0.0)}))

    assert folds["a"].chosen == (1.0, 0.0)


async def test_nothing_is_chosen_with_a_single_set() -> None:
    with pytest.raises(UsageError, match="at least two"):
        await folds_of(MadeUp({"a": (0.1, 0.1)}))


async def test_a_dial_is_turned_with_the_earlier_ones_where_they_were_best() -> None:
    reached: dict[Turned, float] = {(1.0, 0.0): 0.2, (1.0, 2.0): 0.3, (0.0, 1.0): 0.9}

    async def score(values: Turned) -> float:
        return reached.get(values, 0.1)

    assert await climbed(score, VALUES) == (1.0, 2.0)


async def test_rounding_chooses_nothing() -> None:
    async def score(values: Turned) -> float:
        return 0.1 + 1e-12 * sum(values)

    assert await climbed(score, VALUES) == (0.0, 0.0)


def test_what_ships_is_among_what_may_be_chosen() -> None:
    assert [dial.name for dial, v in zip(DIALS, SHIPPED, strict=True) if v not in dial.values] == []
    assert told(SHIPPED).startswith("words 0.4, ")


def test_dials_are_turned_back_whatever_happens() -> None:
    named = [dial.name for dial in DIALS].index("NAMED_SPEAKER")
    values = tuple(dial.values[-1] for dial in DIALS)
    shipped = evidence_rank.LEXICAL_SHARE, evidence_voices.NAMED_SPEAKER

    def broken_off() -> None:
        with turned(values):
            now = evidence_rank.LEXICAL_SHARE, evidence_voices.NAMED_SPEAKER
            assert now == (values[0], values[named]) != shipped
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken_off()

    assert shipped == (evidence_rank.LEXICAL_SHARE, evidence_voices.NAMED_SPEAKER)


def evidence_set(count: int) -> EvidenceSet:
    questions = tuple(
        QuestionLine(id=f"q{n}", entity="e", question="Tea?", category="c", evidence=[["i"]])
        for n in range(count)
    )
    return EvidenceSet(name="made up", items=(), questions=questions)


def test_the_seed_alone_draws_the_questions_and_they_keep_their_order() -> None:
    whole = evidence_set(100)
    ids = [question.id for question in drawn(whole, sample=20, seed=0)]

    assert ids == [question.id for question in drawn(whole, sample=20, seed=0)]
    assert ids != [question.id for question in drawn(whole, sample=20, seed=1)]
    assert ids == sorted(set(ids), key=lambda one: int(one[1:]))
    assert len(ids) == 20
    assert drawn(evidence_set(3), sample=20, seed=0) == list(evidence_set(3).questions)


async def test_the_table_has_a_row_a_set_their_mean_and_differences_with_intervals() -> None:
    folds = [
        Fold(
            left_out=name,
            chosen=SHIPPED,
            training=0.7,
            shipped_there=0.6,
            held_out=own,
            shipped=[0.5, 0.5],
            dense=[0.0, 0.0],
        )
        for name, own in {"a": [1.0, 0.5], "b": [0.5, 0.5]}.items()
    ]
    heads, _, a, b, mean, shipped = table(folds)

    assert len(heads.split("|")) == len(a.split("|")) == len(mean.split("|"))
    assert "| a | 2 |" in a
    assert "| 0.700 / 0.600 | 0.750 | 0.500 | 0.000 | +0.250 (+0.000 to +0.500) |" in a
    assert "+0.000 (+0.000 to +0.000)" in b
    assert "| mean | 4 |" in mean
    assert "| 0.625 | 0.500 | 0.000 | +0.125" in mean
    assert shipped.endswith(told(SHIPPED))
