"""Makes fixtures/demo/seeded.zip anew: `python -m scripts.demo_fixture [FOLDER]`.

It seeds the demo live into an empty installation in a temporary folder, with the simulated model, and packs its tables.
Clock and chance are replaced before Django loads, because columns keep them as defaults. Jobs are done one after the
other, with one call in flight, so that rows are written in the same order every time. Two calls give the same archive,
byte by byte.

With a folder, the installation stays in it with its seeded.zip, and the fixture of the repository is left alone.
"""

import os
import random
import sys
import tempfile
import uuid
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from unittest import mock

BEGUN_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
SEED = 7


def main(folder: str = "") -> None:
    if folder:
        make(folder, Path(folder) / "seeded.zip")
        return
    with tempfile.TemporaryDirectory() as temporary:
        make(temporary)


def make(folder: str, path: Path | None = None) -> None:
    """Seed in this empty folder and write the fixture. path: default is its place in the repository."""
    set_environment(folder)
    replace_clock_and_chance()
    import django

    django.setup()
    seed()
    from annotate.upkeep.demo_fixture import FILE
    from scripts.demo_fixture.packing import pack

    path = path or FILE
    contents = pack(path, begun_at=BEGUN_AT)
    rows = sum(table["rows"] for table in contents["tables"].values())
    print(f"{path}: {rows} rows, {path.stat().st_size:,} bytes, content {contents['content']}")


def set_environment(folder: str) -> None:
    """An installation of its own, whatever .env and the environment say."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": folder,
        "DATABASE_URL": f"sqlite:///{Path(folder) / 'seeded.sqlite3'}",
        "CELERY_BROKER_URL": "filesystem://",
        "SECRET_KEY": "only-to-make-the-fixture-of-the-demo-" + "x" * 20,
        "TIME_ZONE": "UTC",
        "LOG_LEVEL": "WARNING",
        "HTTPS": "false",
    }


def replace_clock_and_chance() -> None:
    """The clock moves by a millisecond whenever it is read; drawn values and tokens are the same in every call."""
    import secrets

    from django.utils import timezone

    ticks, chance = count(1), random.Random(SEED)  # noqa: S311 - the same data each time, no secret
    random.seed(SEED)
    timezone.now = lambda: BEGUN_AT + timedelta(milliseconds=next(ticks))
    uuid.uuid4 = lambda: uuid.UUID(int=chance.getrandbits(128), version=4)
    secrets.token_hex = lambda size=32: f"{chance.getrandbits(8 * size):0{2 * size}x}"


def seed() -> None:
    from django.core.management import call_command

    from annotate.engine import drain
    from annotate.models import Endpoint

    limit = Endpoint._meta.get_field("max_in_flight")
    call_command("migrate", verbosity=0)
    one_job = mock.patch.object(drain.Drain, "_room", lambda worker: 0 if worker.tasks else 1)
    no_wait = mock.patch.object(drain, "GATHERED", 0)  # for the end of another job
    with one_job, no_wait, mock.patch.object(limit, "default", 1):
        call_command("seed_demo", model_port=0, stdout=sys.stderr)
    Endpoint.objects.update(max_in_flight=limit.get_default())


if __name__ == "__main__":
    main(*sys.argv[1:2])
