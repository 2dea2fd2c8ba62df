"""Numbers chosen by some conversations and reported on others, with made-up recalls."""

from collections.abc import Mapping, Sequence

import pytest
from benchmarks.evidence_by_conversation import (
    ConversationFold,
    Reported,
    choice_table,
    chosen_by_the_other_folds,
    recall_table,
)
from benchmarks.evidence_dials import DIALS, SHIPPED, Turned
from benchmarks.evidence_folds import Group

VALUES = ((0.0, 1.0), (0.0, 1.0, 2.0))
SHIPS = (1.0, 2.0)


class MadeUp:
    """Every group has its questions, with recalls that the numbers add to."""

    def __init__(self, gains: Mapping[str, Turned], *, questions: Mapping[str, int]) -> None:
        self._gains, self._questions = gains, questions
        self.asked: list[tuple[str, Turned]] = []

    @property
    def names(self) -> Sequence[str]:
        return list(self._gains)

    async def recalls(self, name: str, values: Turned) -> Sequence[float]:
        self.asked.append((name, values))
        gain = sum(a * b for a, b in zip(self._gains[name], values, strict=True))
        return [0.5 + gain] * self._questions.get(name, 1)

    def dense(self, name: str) -> Sequence[float]:
        return [0.4] * self._questions.get(name, 1)


def group(label: str, *, questions: int = 1) -> Group:
    set_name, name = label.split(": ")
    ids = tuple(f"{name}{n}" for n in range(questions))
    return Group(set_name=set_name, name=name, questions=ids)


def made_up(gains: Mapping[str, Turned], **questions: int) -> MadeUp:
    return MadeUp(gains, questions={f"s: {name}": count for name, count in questions.items()})


async def folds_of(measured: MadeUp, *folds: Sequence[str]) -> list[ConversationFold]:
    groups = [[group(label) for label in fold] for fold in folds]
    found = chosen_by_the_other_folds(measured, groups, values=VALUES, shipped=SHIPS)
    return [fold async for fold in found]


async def test_the_conversations_of_the_other_folds_choose_also_those_of_the_same_set() -> None:
    measured = made_up({"s: a": (0.1, 0.0), "s: b": (0.0, 0.1), "t: c": (0.0, 0.0)})

    first, second = await folds_of(measured, ["s: a"], ["s: b", "t: c"])

    assert first.chosen == (0.0, 2.0)
    assert first.reported[0].recalls == pytest.approx([0.5])
    assert first.reported[0].shipped == pytest.approx([0.6])
    assert second.chosen == (1.0, 0.0)
    assert [one.group.name for one in second.reported] == ["b", "c"]
    assert second.training == pytest.approx(0.6)
    assert second.shipped_there == pytest.approx(0.6)


async def test_a_fold_is_not_looked_at_before_the_others_have_chosen() -> None:
    measured = made_up({f"s: {name}": (0.1, 0.05) for name in "abcd"})
    folds = [[group("s: a"), group("s: b")], [group("s: c")], [group("s: d")]]
    found = chosen_by_the_other_folds(measured, folds, values=VALUES, shipped=SHIPS)

    left_out = iter(folds)
    async for fold in found:
        labels = [one.label for one in next(left_out)]
        looked_at = [seen for seen in measured.asked if seen[0] in labels]
        assert looked_at == [(name, v) for name in labels for v in (fold.chosen, SHIPS)]
        assert measured.asked[-len(looked_at) :] == looked_at, "last of all"
        measured.asked.clear()


async def test_every_set_counts_the_same_and_in_it_every_question() -> None:
    gains = {"s: a": (0.0, 0.0), "s: b": (0.1, 0.0), "s: c": (-0.04, 0.0), "t: d": (-0.01, 0.0)}

    by_b, _ = await folds_of(made_up(gains, b=5), ["s: a"], ["s: b", "s: c", "t: d"])
    by_c, _ = await folds_of(made_up(gains, c=5), ["s: a"], ["s: b", "s: c", "t: d"])

    assert by_b.chosen == (1.0, 0.0)
    assert by_c.chosen == (0.0, 0.0)


def reported(label: str, recalls: Sequence[float]) -> Reported:
    return Reported(
        group=group(label, questions=len(recalls)),
        recalls=recalls,
        shipped=[0.5] * len(recalls),
        dense=[0.0] * len(recalls),
    )


def fold_with(*parts: Reported, chosen: Turned = SHIPPED) -> ConversationFold:
    return ConversationFold(chosen=chosen, training=0.7, shipped_there=0.6, reported=parts)


def test_a_row_of_recalls_counts_questions_and_its_interval_conversations() -> None:
    lines = recall_table(
        [
            fold_with(reported("s: a", [1.0, 1.0, 1.0]), reported("t: c", [0.5, 0.5])),
            fold_with(reported("s: b", [0.0]), reported("t: d", [0.5])),
        ]
    )
    heads, _, s, t, mean, *warned = lines

    assert len(heads.split("|")) == len(s.split("|")) == len(mean.split("|"))
    assert s == (
        "| s | 2 | 4 | 0.750 | 0.500 | 0.000 | +0.250 (-0.500 to +0.500) | "
        "+0.750 (+0.000 to +1.000) |"
    )
    assert "+0.000 (+0.000 to +0.000)" in t
    assert mean.startswith("| mean | 4 | 7 | 0.625 | 0.500 | 0.000 | +0.125 ")
    assert warned == [
        "\ns: of 2 conversations: its interval is too narrow",
        "\nt: of 2 conversations: its interval is too narrow",
    ]


def test_a_set_that_was_dealt_by_its_questions_is_told_from_one_of_few_conversations() -> None:
    by_question = [
        Reported(
            group=Group(set_name="wiki", name=f"q{n}", questions=(f"q{n}",)),
            recalls=[1.0],
            shipped=[1.0],
            dense=[0.0],
        )
        for n in range(3)
    ]
    *_, warned = recall_table([fold_with(*by_question)])

    assert warned == "\nwiki: one store for all, so its questions were dealt to the folds"


def test_what_each_fold_chose_stands_above_what_ships_and_most_folds_are_named() -> None:
    moved = (*SHIPPED[:-1], 0.0)
    *_, names = choice_table(
        [fold_with(), fold_with(chosen=moved), fold_with(chosen=moved)], shipped=SHIPPED
    )
    heads, _, first, second, shipped, none = choice_table(
        [fold_with(), fold_with(chosen=moved)], shipped=SHIPPED
    )

    assert names.endswith(f"in most folds: {DIALS[-1].label}")
    assert none.endswith("in most folds: none"), "half of them are not most"
    assert first.startswith("| 1 | 0.700 / 0.600 | 0.4 | ")
    assert second.endswith("| 0 |")
    assert len(heads.split("|")) == len(first.split("|")) == len(shipped.split("|"))
