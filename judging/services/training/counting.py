"""How many rows of training data there are, by step and split, in the shape of the published table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.models import Project
from judging.services.training.base import BRANCHING, BRIDGED, PAIRS, SPLITS, STEPS, Chosen
from judging.services.training.gathering import gathered

TOGETHER = "together"


@dataclass
class Counts:
    """rows: file -> split -> rows; left_out: reason -> how many."""

    rows: dict[str, Counter[str]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    splits: Sequence[str] = SPLITS

    def add(self, file: str, split: str) -> None:
        self.rows.setdefault(file, Counter())[split] += 1

    def of(self, file: str) -> dict[str, int]:
        """By split, zeros where nothing is there, and together."""
        counts = self.rows.get(file, Counter())
        return {split: counts[split] for split in self.splits} | {TOGETHER: counts.total()}

    def sum_of(self, files: Sequence[str]) -> dict[str, int]:
        file_counts = [self.of(file) for file in files]
        return {name: sum(counts[name] for counts in file_counts) for name in (*self.splits, TOGETHER)}

    def as_json(self) -> dict[str, Any]:
        """steps: every step and its rows by split; branching, bridged: the sums of the published table's two halves."""
        return {
            "steps": {step: self.of(step) for step in STEPS},
            "branching": self.sum_of(BRANCHING),
            "bridged": self.sum_of(BRIDGED),
            "chats": self.sum_of(STEPS),
            "preferences": self.of(PAIRS),
            "left_out": {why: count for why, count in sorted(self.left_out.items()) if count},
        }


def counted(project: Project, selection: Chosen) -> Counts:
    counts = Counts(splits=list(selection.filters.splits) or [SPLITS[0]])
    for example, split in gathered(project, selection, counts.left_out):
        counts.add(example.step, split)
    return counts


def table(counts: Mapping[str, Any]) -> list[list[str]]:
    """Header and lines of `as_json`, as people read it."""
    names = list(counts["chats"])
    lines = [("criteria", "criteria"), ("guidelines", "guidelines"), ("judgements", "judgements")]
    rows = [[name, *_numbers(counts["steps"][step], names)] for name, step in (*lines, ("corrections", "corrections"))]
    rows.append(["together", *_numbers(counts["branching"], names)])
    rows += [[f"recovered {name}", *_numbers(counts["steps"][f"reverse_{step}"], names)] for name, step in lines]
    rows.append(["together, recovered", *_numbers(counts["bridged"], names)])
    rows.append(["all chats", *_numbers(counts["chats"], names)])
    rows.append(["preference pairs", *_numbers(counts["preferences"], names)])
    return [["step", *names], *rows]


def _numbers(counted_rows: Mapping[str, int], names: Sequence[str]) -> list[str]:
    return [f"{counted_rows[name]:,}" for name in names]
