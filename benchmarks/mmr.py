"""MMR against langchain_core's, and what the other selections take, on this machine.

Run: `python -m benchmarks.mmr`. Both sides run in the same process on the same float32 vectors;
the best of several runs counts, because the others measure the machine's other work.
"""

from collections.abc import Callable
from time import perf_counter

import numpy as np
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from secondhop.ranking.arrays import Vectors, unit_rows
from secondhop.ranking.coverage import Coverage, evidence_coverage
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.facet_pool import FacetPool
from secondhop.ranking.facet_select import facet_select
from secondhop.ranking.greedy import Repetition
from secondhop.ranking.mmr import mmr_select
from secondhop.ranking.pm2 import pm2_select
from secondhop.ranking.xquad import xquad_select

DIM = 384
PICKS = 20
FACETS = 6
PASSAGES = 3
WORDS = 250


def best_ms(work: Callable[[], object], *, runs: int) -> float:
    """Shortest of `runs` runs after one to warm up, in milliseconds."""
    work()
    times: list[float] = []
    for _ in range(runs):
        start = perf_counter()
        work()
        times.append((perf_counter() - start) * 1000)
    return min(times)


def random_vectors(rows: int, *, seed: int) -> Vectors:
    """Unit vectors around one centre, as passages of one person are."""
    rng = np.random.default_rng(seed)
    return unit_rows(rng.normal(size=DIM) + rng.normal(size=(rows, DIM)))


def compare_mmr(candidates: int, *, runs: int) -> None:
    """Print both times and the ratio."""
    vectors = random_vectors(candidates + 1, seed=candidates)
    query, rows = vectors[0], vectors[1:]
    as_lists = rows.tolist()
    ours = mmr_select(query, rows, k=PICKS)
    theirs = maximal_marginal_relevance(query, as_lists, k=PICKS)
    our_ms = best_ms(lambda: mmr_select(query, rows, k=PICKS), runs=20 * runs)
    array_ms = best_ms(lambda: maximal_marginal_relevance(query, list(rows), k=PICKS), runs=runs)
    list_ms = best_ms(lambda: maximal_marginal_relevance(query, as_lists, k=PICKS), runs=runs)
    print(
        f"mmr {candidates:5d} x {DIM}, k={PICKS}: secondhop {our_ms:.2f} ms, langchain_core "
        f"{array_ms:.1f} ms from arrays ({array_ms / our_ms:.0f} x), {list_ms:.1f} ms from lists "
        f"({list_ms / our_ms:.0f} x), same picks: {ours == theirs}"
    )


def time_selections(candidates: int, *, runs: int) -> None:
    """Print the times of the facet selections, with a redundancy matrix."""
    rng = np.random.default_rng(candidates)
    relevance = rng.random((candidates, FACETS)) ** 3
    pool = FacetPool(facet_relevance=relevance, weights=rng.random(FACETS))
    coverage = Coverage.from_matrix(rng.random((candidates, candidates)) ** 4)
    repetition = Repetition(coverage=coverage, duplicate_at=0.9)
    timings = {
        "xquad": best_ms(lambda: xquad_select(pool, k=PICKS, repetition=repetition), runs=runs),
        "pm2": best_ms(lambda: pm2_select(pool, k=PICKS, repetition=repetition), runs=runs),
        "facet_select": best_ms(lambda: facet_select(pool, k=PICKS, coverage=coverage), runs=runs),
    }
    shown = ", ".join(f"{name} {ms:.2f} ms" for name, ms in timings.items())
    print(f"{candidates:5d} candidates x {FACETS} facets, k={PICKS}: {shown}")


def time_coverage(candidates: int, *, runs: int) -> None:
    """Print the time of evidence coverage with and without the texts."""
    passages = candidates * PASSAGES
    vectors = random_vectors(passages, seed=candidates)
    rng = np.random.default_rng(candidates)
    texts = [" ".join(f"word{n}" for n in rng.integers(0, 4000, WORDS)) for _ in range(passages)]
    groups = [range(first, first + PASSAGES) for first in range(0, passages, PASSAGES)]
    bare = Evidence(vectors=vectors, passages=groups)
    full = Evidence(vectors=vectors, passages=groups, texts=texts)
    bare_ms = best_ms(lambda: evidence_coverage(bare), runs=runs)
    full_ms = best_ms(lambda: evidence_coverage(full), runs=runs)
    print(
        f"evidence_coverage, {candidates} candidates x {PASSAGES} passages x {DIM}: "
        f"{bare_ms:.2f} ms from vectors, {full_ms:.1f} ms with texts of {WORDS} words"
    )


def main() -> None:
    """Print every measurement, one a line."""
    for candidates, runs in ((40, 20), (100, 10), (1000, 5)):
        compare_mmr(candidates, runs=runs)
    for candidates in (100, 1000):
        time_selections(candidates, runs=10)
    for candidates in (24, 100):
        time_coverage(candidates, runs=5)


if __name__ == "__main__":
    main()
