"""Run the benchmarks that are named, or all; exit 1 if a target was missed."""

import argparse
import importlib
import sys

from benchmarks.figures import machine, write

ALL = [
    "importing",
    "annotating",
    "forms",
    "marking",
    "pages",
    "lists",
    "searching",
    "releasing",
    "growth",
    "boards",
    "engine",
    "verdicts",
    "judging",
    "differences",
    "agreement",
    "ranking",
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ALL)}; `million` on request only")
    missed = 0
    for name in parser.parse_args().names or ALL:
        benchmark = importlib.import_module(f"benchmarks.{name}")
        before = machine()
        print(f"{name}: {benchmark.ABOUT}", flush=True)
        figures = []
        for figure in benchmark.measure():
            figures.append(figure)
            missed += figure.met is False
            told = {None: "", True: "met", False: "MISSED"}[figure.met]
            print(f"  {figure.name}: {figure.value:g} {figure.unit} {told}", flush=True)
        write(name, benchmark.ABOUT, figures, before)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
