"""`make soak`: everything at once for ten minutes on each database. Ends with 1 if a promise was broken.

python -m tests.soak --database postgres --minutes 10 --seed 3
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from tests.soak.soak import Report, soak
from tests.support.installations import DATABASES, Installations


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--database", choices=[*DATABASES, "both"], default="both")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn: what people do and what breaks")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")  # of the simulated model
    databases = DATABASES if options.database == "both" else (options.database,)
    size = {"seconds": options.minutes * 60, "people": options.people, "seed": options.seed}
    with tempfile.TemporaryDirectory(prefix="touchstone-soak-") as folder:
        reports = [soaked(Installations(Path(folder)), database, **size) for database in databases]
    for report in reports:
        sys.stdout.write((json.dumps(report.as_json()) if options.json else report.as_text()) + "\n")
    return 0 if all(report.holds for report in reports) else 1


def soaked(installations: Installations, database: str, *, seconds: float, people: int, seed: int) -> Report:
    """One soak on a new installation; PostgreSQL on a server of its own, which is stopped and started meanwhile."""
    with installations.apart() as own:
        return soak(own, database, seconds=seconds, people=people, seed=seed)


if __name__ == "__main__":
    sys.exit(main())
