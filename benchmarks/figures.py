"""A measured number beside its target, and the files that hold them."""

import json
import os
import platform
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import psutil

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Figure:
    """bound: `most` where smaller is better, `least` where larger is, `exact`; `info` for what has no target."""

    name: str
    value: float
    bound: Literal["most", "least", "exact", "info"] = "info"
    target: float | None = None
    unit: str = ""

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return {
            "most": self.value <= self.target,
            "least": self.value >= self.target,
            "exact": self.value == self.target,
        }[self.bound]


def at_most(name: str, value: float, target: float, unit: str = "") -> Figure:
    return Figure(name, value, "most", target, unit)


def at_least(name: str, value: float, target: float, unit: str = "") -> Figure:
    return Figure(name, value, "least", target, unit)


def exactly(name: str, value: float, target: float, unit: str = "") -> Figure:
    return Figure(name, value, "exact", target, unit)


def machine() -> dict[str, object]:
    """What the numbers were measured on, and how busy it was before."""
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "load_before": [round(load, 2) for load in os.getloadavg()],
    }


def write(benchmark: str, about: str, figures: list[Figure], before: dict[str, object]) -> None:
    RESULTS.mkdir(exist_ok=True)
    told = {
        "about": about,
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": before,
        "figures": [asdict(figure) | {"met": figure.met} for figure in figures],
    }
    (RESULTS / f"{benchmark}.json").write_text(json.dumps(told, indent=2) + "\n")
    (RESULTS / "results.md").write_text(_table())


def _table() -> str:
    """All results that there are, as one page."""
    parts = ["# What was measured\n\nWritten by `make bench`; each part says when and on what.\n"]
    for path in sorted(RESULTS.glob("*.json")):
        told = json.loads(path.read_text())
        on = told["machine"]
        parts.append(f"\n## {path.stem}\n\n{told['about']}\n")
        parts.append(
            f"\n{told['measured_at']}; {on['cores']} cores, {on['memory_gb']} GB, Python {on['python']}, "
            f"{on['system']}; load before {on['load_before'][0]}\n"
        )
        parts.append("\n| figure | target | value | |\n|---|---:|---:|---|\n")
        parts += [_line(figure) for figure in told["figures"]]
    return "".join(parts)


def _line(figure: dict[str, object]) -> str:
    sign = {"most": "≤ ", "least": "≥ ", "exact": "= ", "info": ""}[str(figure["bound"])]
    target = "" if figure["target"] is None else f"{sign}{figure['target']:g} {figure['unit']}"
    met = {None: "", True: "met", False: "**missed**"}[figure["met"]]  # type: ignore[index]
    return f"| {figure['name']} | {target} | {figure['value']:g} {figure['unit']} | {met} |\n"
