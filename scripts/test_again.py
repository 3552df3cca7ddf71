"""Runs the tests that have just failed once more, one after the other: `python -m scripts.test_again`.

It ends well if there are at most five and all pass now. Those are named at the end: see docs/decisions/0066.
"""

import json
import subprocess
import sys
from pathlib import Path

LAST_FAILED = Path(__file__).resolve().parents[1] / ".pytest_cache" / "v" / "cache" / "lastfailed"
MOST = 5


def main() -> int:
    failed = last_failed()
    if not 0 < len(failed) <= MOST:
        print(f"{len(failed)} tests failed; from 1 to {MOST} can be tried again.")
        return 1
    print(f"Trying {len(failed)} again:", *failed, sep="\n  ", flush=True)
    code = subprocess.run([sys.executable, "-m", "pytest", *failed], check=False).returncode
    if code == 0:
        print("=" * 80, "These failed at first and passed alone. Each is a fault of the product or of the", sep="\n")
        print("test that shows under load: find it.", *failed, "=" * 80, sep="\n")
    return code


def last_failed() -> list[str]:
    """Node ids of the tests that failed in the latest run; empty where none did."""
    return sorted(json.loads(LAST_FAILED.read_text())) if LAST_FAILED.exists() else []


if __name__ == "__main__":
    sys.exit(main())
