"""The fixture of the demo is up to date, and loading it moves its times to today.

A comparison with live seeding: tests/test_demo_fixture.py.
"""

import json
import zipfile
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from annotate.errors import Refused
from annotate.management.commands import seed_demo
from annotate.models import Event, Project, Run, Slot, User
from annotate.upkeep import backups, demo, demo_fixture
from annotate.upkeep.demo_fixture import Arrival
from scripts.demo_fixture.packing import inputs

BEGUN_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
ENDED_AT = BEGUN_AT + timedelta(minutes=3)


@pytest.fixture
def data_folder(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def of_other_migrations(tmp_path: Path) -> Path:
    path = tmp_path / "seeded.zip"
    stored = demo_fixture.manifest() | {"migrations": ["annotate.0001_initial", "annotate.9999_unknown"]}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps(stored))
    return path


@pytest.mark.django_db
def test_it_is_as_old_as_the_samples_the_code_and_the_migrations() -> None:
    stored = demo_fixture.manifest()
    assert stored["migrations"] == backups.applied_migrations(), demo_fixture.REMAKE
    assert stored["inputs"] == inputs(), demo_fixture.REMAKE


@pytest.mark.django_db
def test_the_whole_demo_is_there_as_if_it_had_been_made_today(data_folder: Path) -> None:
    before = timezone.now()
    call_command("seed_demo", stdout=StringIO())
    assert Project.objects.count() == 7
    assert {user.username for user in User.objects.all() if user.check_password(demo.kept_password())} == {*demo.PEOPLE}
    assert Event.objects.earliest("at").at == demo.moment(demo.FIRST_DAY, "08:30")
    assert before - timedelta(minutes=10) < Run.objects.latest("ended_at").ended_at <= timezone.now()
    assert all(slot.lease_until > timezone.now() for slot in Slot.objects.held())


@pytest.mark.django_db
def test_another_call_says_the_same_accounts(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = demo_fixture.load()
    monkeypatch.setattr(seed_demo, "seed_live", lambda port: demo.seed() if port == 0 else None)
    out = StringIO()
    call_command("seed_demo", "--json", stdout=out)
    said = json.loads(out.getvalue())
    assert (said["made"], said["password"]) == (False, first.password)


@pytest.mark.django_db
def test_with_other_migrations_it_is_refused_and_the_demo_is_made_live(
    data_folder: Path, of_other_migrations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused, match=r"9999_unknown.*Run `python -m scripts.demo_fixture`"):
        demo_fixture.load(of_other_migrations)
    ports: list[int | None] = []
    load = demo_fixture.load
    monkeypatch.setattr(demo_fixture, "load", lambda: load(of_other_migrations))
    monkeypatch.setattr(seed_demo, "seed_live", lambda port: ports.append(port) or demo.DemoSeed("secret", made=True))
    err = StringIO()
    call_command("seed_demo", stdout=StringIO(), stderr=err)
    assert ports == [0]
    assert "made live instead" in err.getvalue()
    assert not User.objects.exists()


@pytest.mark.django_db
def test_an_installation_with_rows_is_left_alone(data_folder: Path) -> None:
    User.objects.create_user("ada")
    with pytest.raises(Refused, match=r"needs an empty installation; rows are in annotate\.user"):
        demo_fixture.load()
    assert User.objects.count() == 1


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_a_damaged_file_is_named_with_the_remedy(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "seeded.zip"
    path.write_bytes(content)
    with pytest.raises(Refused, match=r"seeded.zip is missing or damaged.*Run `python -m scripts.demo_fixture`"):
        demo_fixture.manifest(path)


def test_days_before_the_seeding_keep_their_time_of_the_day_wherever_the_server_is() -> None:
    now = datetime(2026, 7, 20, 1, 30, tzinfo=UTC)
    with timezone.override("Asia/Shanghai"):  # 20 July, 09:30
        arrival = Arrival(BEGUN_AT, ENDED_AT, now, "secret")
        moved = timezone.localtime(arrival.moved(datetime(2026, 3, 1, 17, 5, tzinfo=UTC)))
    assert (moved.month, moved.day, moved.hour, moved.minute) == (7, 19, 17, 5)


def test_times_of_the_seeding_end_now() -> None:
    now = datetime(2026, 7, 20, 1, 30, tzinfo=UTC)
    arrival = Arrival(BEGUN_AT, ENDED_AT, now, "secret")
    assert arrival.moved(ENDED_AT) == now
    assert arrival.moved(BEGUN_AT) == now - timedelta(minutes=3)
    assert arrival.moved(ENDED_AT + timedelta(hours=1)) == now + timedelta(hours=1)
