"""How long a difference of gold and perturbed answer takes: every public pair, Chinese texts of 20,000 characters.

The accelerated library is what the targets are about; the plain one stands beside it. Without the public data only the
long texts are measured.
"""

import gzip
import json
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figures import Figure, at_most
from lib.texts import diff
from lib.texts.differences import difference

ABOUT = "Differences of the public pairs of gold and perturbed answers, and of Chinese texts of 20,000 characters."
TUPLES = Path(__file__).resolve().parents[2] / "shared" / "data" / "fbi_tuples.jsonl.gz"
LONG, TIMES = 20_000, 5
PAIR_MS, LONG_MS = 5, 300
_CHARACTERS = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面"

Pair = tuple[str, str]


def measure() -> Iterator[Figure]:
    yield from _public()
    yield from _long()


def _public() -> Iterator[Figure]:
    if not TUPLES.exists():
        return
    pairs = list(_pairs())
    accelerated = _milliseconds(pairs)
    yield Figure("public pairs", len(pairs))
    yield Figure("median of a public pair", statistics.median(accelerated), unit="ms")
    yield _judged("p95 of a public pair", _p95(accelerated), PAIR_MS)
    with _plain():
        yield Figure("p95 of a public pair, plain library", _p95(_milliseconds(pairs)), unit="ms")


def _long() -> Iterator[Figure]:
    for name, pair in _long_pairs().items():
        yield _judged(f"20,000 Chinese characters, {name}", min(_milliseconds([pair] * TIMES)), LONG_MS)
        with _plain():
            plain = min(_milliseconds([pair] * TIMES))
        yield Figure(f"20,000 Chinese characters, {name}, plain library", plain, unit="ms")


def _judged(name: str, value: float, target: float) -> Figure:
    """The targets hold for the accelerated library; where it is not installed the number has none."""
    if diff.fast_diff_match_patch is None:
        return Figure(f"{name} (accelerated library not installed)", value, unit="ms")
    return at_most(name, value, target, "ms")


def _pairs() -> Iterator[Pair]:
    with gzip.open(TUPLES, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            yield row["og"], row["perturbed_gpt4"]


def _long_pairs() -> dict[str, Pair]:
    """A few characters replaced, one in ten, and a paragraph moved; the same at every run."""
    chance = random.Random(5)  # texts, not secrets
    old = "".join(chance.choices(_CHARACTERS, k=LONG))
    return {
        "20 changed": (old, _replaced(old, 20, chance)),
        "one in ten changed": (old, _replaced(old, LONG // 10, chance)),
        "a part moved": (old, old[4000:9000] + old[:4000] + old[9000:]),
    }


def _replaced(text: str, count: int, chance: random.Random) -> str:
    characters = list(text)
    for place in chance.sample(range(len(text)), count):
        characters[place] = "改"
    return "".join(characters)


def _milliseconds(pairs: list[Pair]) -> list[float]:
    taken = []
    for old, new in pairs:
        began = time.perf_counter()
        difference(old, new)
        taken.append(1000 * (time.perf_counter() - began))
    return taken


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


@contextmanager
def _plain() -> Iterator[None]:
    """The library that is always there, in place of the accelerated one."""
    accelerated = diff.fast_diff_match_patch
    diff.fast_diff_match_patch = None
    try:
        yield
    finally:
        diff.fast_diff_match_patch = accelerated
