"""How much of one candidate others say."""

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking import shingles
from secondhop.ranking.arrays import Indices, unit_rows
from secondhop.ranking.coverage import Sharpening, evidence_coverage
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.shingles import shingle_overlap
from secondhop.ranking.words import words

seeds = st.integers(0, 2**32 - 1)


def random_evidence(seed: int, *, size: int) -> Evidence:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, size)
    ends = np.cumsum(counts)
    total = int(counts.sum())
    return Evidence(
        vectors=unit_rows(rng.normal(size=(total, 6)) + 1.0),
        passages=[range(end - count, end) for end, count in zip(ends, counts, strict=True)],
        texts=[" ".join(rng.choice(list("abc"), rng.integers(0, 9))) for _ in range(total)],
    )


@given(seed=seeds, size=st.integers(0, 7))
def test_values_lie_in_0_to_1_and_do_not_depend_on_order(seed: int, size: int) -> None:
    evidence = random_evidence(seed, size=size)
    matrix = evidence_coverage(evidence).matrix()
    assert matrix.shape == (size, size)
    assert matrix.min(initial=0.0) >= 0
    assert matrix.max(initial=0.0) <= 1
    order: list[int] = np.random.default_rng(seed).permutation(size).tolist()
    turned = Evidence(
        vectors=evidence.vectors,
        passages=[evidence.passages[row] for row in order],
        texts=evidence.texts,
    )
    again = evidence_coverage(turned).matrix()
    assert again == pytest.approx(matrix[np.ix_(order, order)], abs=1e-6)


def test_evidence_coverage_by_hand() -> None:
    # cosines 1.0, 0.85 and 0 sharpen to 1, 0.5 and 0 between 0.75 and 0.95
    near = np.array([0.85, np.sqrt(1 - 0.85**2), 0], dtype=np.float32)
    evidence = Evidence(
        vectors=np.array([[1, 0, 0], [0, 0, 1], [1, 0, 0], near], dtype=np.float32),
        passages=[[0, 1], [2], [3]],
    )
    matrix = evidence_coverage(evidence).matrix()
    assert matrix == pytest.approx(np.array([[1, 0.5, 0.25], [1, 1, 0.5], [0.5, 0.5, 1]]), abs=1e-6)


def test_a_literal_copy_counts_whatever_the_model_thinks() -> None:
    evidence = Evidence(
        vectors=np.eye(2, dtype=np.float32),
        passages=[[0], [1]],
        texts=["one two three", "zero one two three four"],
    )
    matrix = evidence_coverage(evidence).matrix()
    assert matrix == pytest.approx(np.array([[1, 1], [1 / 3, 1]]))


def test_candidates_without_passages_cover_and_repeat_nothing() -> None:
    evidence = Evidence(
        vectors=np.eye(1, 3, dtype=np.float32), passages=[[], [0], []], texts=["a b c"]
    )
    expected = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert evidence_coverage(evidence).matrix().tolist() == expected


def test_containment_is_directed_and_works_by_characters_in_chinese() -> None:
    overlap = shingle_overlap(["人工智能", "我们学习人工智能", "", "a b", "A, b!", "b a"])
    assert overlap[0, 1] == 1.0
    assert overlap[1, 0] == pytest.approx(2 / 6)
    assert overlap[2].tolist() == [0] * 6
    assert overlap[3, 4] == 1.0
    assert overlap[3, 5] == 0.0


@given(st.lists(st.text("ab ", max_size=12), max_size=5), st.integers(1, 4))
def test_containment_is_that_of_sets(texts: list[str], size: int) -> None:
    def shingles(text: str) -> set[tuple[str, ...]]:
        own = words(text)
        width = min(size, len(own))
        return {tuple(own[n : n + width]) for n in range(len(own) - width + 1) if width}

    sets = [shingles(text) for text in texts]
    overlap = shingle_overlap(texts, size=size)
    for i, one in enumerate(sets):
        for j, other in enumerate(sets):
            assert overlap[i, j] == pytest.approx(len(one & other) / max(len(one), 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Größe STRASSE", ["grösse", "strasse"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("ﬁne Ⅳ", ["fine", "iv"]),
        ("안녕 세계", ["안녕", "세계"]),
        ("กำลัง", ["กํ", "า", "ลั", "ง"]),
        ("x😀y_z", ["x", "y", "z"]),
    ],
)
def test_words_of_every_script(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_input_that_cannot_be_is_refused() -> None:
    vectors = np.zeros((1, 2), dtype=np.float32)
    with pytest.raises(ValueError, match="rows of vectors"):
        Evidence(vectors=vectors, passages=[[1]])
    with pytest.raises(ValueError, match="texts"):
        Evidence(vectors=vectors, passages=[[0]], texts=[])
    with pytest.raises(ValueError, match="lo must be below"):
        Sharpening(lo=0.9, hi=0.9)
    with pytest.raises(ValueError, match="size"):
        shingle_overlap(["a"], size=0)


def test_what_is_remembered_of_a_text_does_not_hold_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: OrderedDict[tuple[bytes, int], Indices] = OrderedDict()
    monkeypatch.setattr(shingles, "_kept", kept)
    secret = "the vault opens with zanzibarquux"

    first = shingle_overlap([secret, "the vault opens"])

    assert len(kept) == 2
    assert "zanzibarquux" not in repr(kept)
    assert b"zanzibarquux" not in b"".join(key for key, _ in kept)
    np.testing.assert_array_equal(shingle_overlap([secret, "the vault opens"]), first)
    for start in range(0, 5_000, 50):
        shingle_overlap([f"text number {start + n}" for n in range(50)])
    assert len(kept) == 4_096
