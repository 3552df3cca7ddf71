"""Runs small faults of the product against its tests: `python -m scripts.mutants [options] [tests…]`.

It draws mutants of functions (see `sites.py`), finds out by one run which test reaches which mutant, and runs for each
mutant the tests that reach it, the most specific first, until one fails. Results go to a file of JSON lines. Mutants
that it holds as killed are not run again, so a second call with other tests takes up the survivors. No file of the
product is changed: mutants exist only in forked processes.

    python -m scripts.mutants --seed 20261122 --count 200 --results var/mutants.jsonl tests/annotate tests/judging

A survivor is equivalent (no behaviour differs), or a test is missing.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import pytest

from scripts.mutants.running import Mutants
from scripts.mutants.sites import draw, shown


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.mutants", description="Small faults against the tests.")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--results", type=Path, default=Path("var/mutants.jsonl"))
    parser.add_argument("--only", default="", help="mutants whose id contains this")
    parser.add_argument("--list", action="store_true", help="print the mutants and run nothing")
    parser.add_argument("tests", nargs="*", default=["tests"])
    options = parser.parse_args()
    mutants = [mutant for mutant in draw(options.count, options.seed) if options.only in mutant.id]
    if options.list:
        for mutant in mutants:
            print(f"{mutant.subject} {mutant.id}\n{shown(mutant)}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DATA_DIR"] = folder
        plugin = Mutants(mutants, options.results, Path(folder))
        arguments = ["-q", "-p", "no:cacheprovider", "-m", "not slow and not browser", *options.tests]
        return int(pytest.main(arguments, plugins=[plugin]))


if __name__ == "__main__":
    sys.exit(main())
