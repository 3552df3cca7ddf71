"""Runs about a sample of cases: which were drawn stands in the run's options, so that other runs take the same ones."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotate.models import Run

OPTION = "sample"  # among the options of a run


@dataclass(frozen=True)
class Sample:
    """items: ids of the cases, in order. seed, size: what was asked for. name: the same of runs planned together."""

    name: str
    seed: int
    size: int
    items: Sequence[int]

    def stored(self) -> dict[str, Any]:
        return {OPTION: asdict(self) | {"items": list(self.items)}}


def sample_of(run: Run) -> Sample | None:
    """None for a run about all cases."""
    stored = run.options.get(OPTION)
    return Sample(**stored) if stored else None
