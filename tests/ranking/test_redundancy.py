"""How much of a candidate other candidates say."""

import numpy as np
import pytest

from secondhop.ranking.coverage import Sharpening, evidence_coverage
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.shingles import shingle_overlap
from secondhop.ranking.words import words


def test_a_literal_copy_counts_whatever_the_model_thinks() -> None:
    evidence = Evidence(
        vectors=np.eye(2, dtype=np.float32),
        passages=[[0], [1]],
        texts=["one two three", "zero one two three four"],
    )
    matrix = evidence_coverage(evidence, sharpening=Sharpening(lo=0.75, hi=0.95)).matrix()
    assert matrix == pytest.approx(np.array([[1, 1], [1 / 3, 1]]))


def test_containment_is_directed_and_works_by_characters_in_chinese() -> None:
    overlap = shingle_overlap(["人工智能", "我们学习人工智能", "", "a b", "A, b!", "b a"])
    assert overlap[0, 1] == 1.0
    assert overlap[1, 0] == pytest.approx(2 / 6)
    assert overlap[2].tolist() == [0] * 6
    assert overlap[3, 4] == 1.0
    assert overlap[3, 5] == 0.0


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
