"""The rehearsal of an emergency: the newest backup is restored into an empty place of its own, and compared.

A backup that nobody has restored is a hope. The place is a folder beside the data with a database of its own; nothing
of the running installation is touched, and the folder is gone afterwards.
"""

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from annotate.errors import Refused


@dataclass(frozen=True)
class Rehearsal:
    """What was restored. rows, files: as many as the backup says, with the same checksums; checked: items and drafts
    that were read with today's schemas.
    """

    path: Path
    made_at: datetime
    rows: int
    files: int
    checked: int

    @property
    def age_days(self) -> int:
        return (timezone.now() - self.made_at).days


def rehearse(folder: Path) -> Rehearsal:
    """Restore the newest backup of this folder. Raises Refused, with the reason, where it would not help."""
    path = newest(folder)
    with tempfile.TemporaryDirectory(prefix="rehearsal-", dir=settings.DATA_DIR) as place:
        _manage(place, "migrate", "--verbosity", "0")
        restored = json.loads(_manage(place, "restore", str(path.resolve()), "--json"))
        checked = json.loads(_manage(place, "check_items", "--json"))
    made_at = datetime.fromisoformat(restored["made_at"])
    return Rehearsal(path, made_at, restored["rows"], restored["files"], checked["items"] + checked["drafts"])


def newest(folder: Path) -> Path:
    """The archive that was written last. Raises Refused where there is none."""
    if not folder.is_dir():
        raise Refused(f"There is no folder {folder}. Name the one into which `manage.py backup` writes.")
    archives = [path for path in folder.glob("*.zip") if zipfile.is_zipfile(path)]
    if not archives:
        raise Refused(f"{folder} holds no backup (*.zip). Make one: manage.py backup {folder}/touchstone.zip")
    return max(archives, key=lambda path: path.stat().st_mtime)


def _manage(place: str, *arguments: str) -> str:
    """What a command says in the installation at this place. Raises Refused with what it says where it fails."""
    own = {"DATA_DIR": place, "DATABASE_URL": f"sqlite:///{place}/restored.sqlite3", "SECRET_KEY": settings.SECRET_KEY}
    command = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), *arguments]
    done = subprocess.run(command, env=os.environ | own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(_reason(done.stderr.strip() or done.stdout.strip()))
    return done.stdout


def _reason(said: str) -> str:
    """What a refusing command names first, with its first example; of a traceback, the error at its end."""
    lines = said.splitlines()
    if lines[0].startswith("CommandError: "):
        return " ".join(lines[:2]).removeprefix("CommandError: ")
    return lines[-1]
