"""Keep what a version of the program stores, for the test that every later version reads it (tests/test_upgrades.py).

python -m scripts.upgrade_fixture 2026-11-24 [--tree FOLDER]

Run it when a version with another schema is released. It seeds the demo with the program in FOLDER (this one by
default), and writes into fixtures/upgrades/NAME a backup of it, and what its reports and exports say.
"""

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "fixtures" / "upgrades"
# Runs in the older program too, so it uses only commands and what has been there from the beginning.
SAY = """
import hashlib, json, tempfile
from io import StringIO
from pathlib import Path
from django.core.management import CommandError, call_command
from annotate.models import Project
from judging.boards.board import reports

def said(*arguments):
    out = StringIO()
    try:
        call_command(*arguments, stdout=out)
    except CommandError as refused:
        return str(refused)
    return json.loads(out.getvalue())

def exported(slug, folder):
    path = Path(folder) / f"{slug}.jsonl"
    call_command("export_items", slug, "--state", "any", "--out", str(path), stdout=StringIO())
    digests = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        row.pop("provenance", None)
        text = json.dumps(row, ensure_ascii=False, sort_keys=True)
        digests[row["key"]] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return digests

slugs = list(Project.objects.order_by("slug").values_list("slug", flat=True))
with tempfile.TemporaryDirectory() as folder:
    rows = {slug: exported(slug, folder) for slug in slugs}
reports_ = {slug: {name: said("report", slug, name, "--json") for name in reports()} for slug in slugs}
print(json.dumps({"reports": reports_, "rows": rows}, ensure_ascii=False, sort_keys=True))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="the version, or the day of its release")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout of that version")
    options = parser.parse_args()
    target = KEPT / options.name
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="upgrade-fixture-") as folder:
        for arguments in (("migrate",), ("collectstatic", "--noinput"), ("seed_demo", "--model-port", "0")):
            _manage(options.tree, folder, *arguments)
        _manage(options.tree, folder, "backup", str(target / "backup.zip"))
        said = _manage(options.tree, folder, "shell", "--no-imports", "--command", SAY)
    lines = [line for line in said.splitlines() if line.startswith('{"reports"')]
    (target / "said.json.gz").write_bytes(gzip.compress(lines[-1].encode(), mtime=0))
    print(f"{target}: {', '.join(f'{path.name} {path.stat().st_size:,} bytes' for path in sorted(target.iterdir()))}")


def _manage(tree: Path, folder: str, *arguments: str) -> str:
    own = {
        "DATA_DIR": folder,
        "DATABASE_URL": f"sqlite:///{folder}/touchstone.sqlite3",
        "SECRET_KEY": "only-for-a-fixture-" + "x" * 40,
        "DEBUG": "true",
        "DEMO_PASSWORD": "only for a fixture",
    }
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=tree, env=os.environ | own, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"manage.py {arguments[0]}: {done.stderr.strip()[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
