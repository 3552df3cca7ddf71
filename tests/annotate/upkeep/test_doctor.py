import json
import os
import shutil
import sqlite3
import sys
from collections import namedtuple
from contextlib import closing
from datetime import timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings

from annotate import tasks
from annotate.upkeep import diagnosis
from annotate.upkeep import diagnosis as doctor_programs
from annotate.upkeep import diagnosis as doctor_services
from annotate.upkeep.diagnosis import Diagnosis
from annotate.upkeep.restoration import Rehearsal
from tests.support.programs import free_port

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    """A production installation that lacks nothing but a worker, mail and perhaps the programs of tests."""
    settings.DATA_DIR = tmp_path
    settings.STATIC_ROOT = tmp_path / "static"
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    settings.CELERY_BROKER_URL = "filesystem://"
    settings.MAIL_CONFIGURED = False
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "staticfiles.json").write_text("{}")
    return tmp_path


def needed(finding: Diagnosis) -> str:
    """The remedy of something that is missing."""
    assert finding.state == "missing"
    return finding.remedy


def test_a_sound_installation_is_well() -> None:
    findings = diagnosis.examine()
    assert [finding.name for finding in findings if finding.state == "missing"] == []
    assert diagnosis.is_well(findings)
    assert all(finding.remedy for finding in findings if finding.state != "ok")


def test_the_command_prints_one_json_object() -> None:
    out = StringIO()
    call_command("doctor", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["ok"] is True
    assert {check["name"] for check in told["checks"]} >= {"python", "database", "broker", "worker", "mail"}


def test_the_command_ends_with_1_and_still_prints_when_something_is_missing(folder: Path) -> None:
    (folder / "static" / "staticfiles.json").unlink()
    out = StringIO()
    with pytest.raises(CommandError, match="Missing: static files") as refused:
        call_command("doctor", "--json", stdout=out)
    assert refused.value.returncode == 1
    assert json.loads(out.getvalue())["ok"] is False


def test_an_old_python_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 2))
    assert "Python 3.11" in needed(diagnosis.python())


def test_a_folder_that_cannot_be_written_is_named(settings: Settings, folder: Path) -> None:
    settings.DATA_DIR = folder / "missing"
    assert "DATA_DIR" in needed(diagnosis.data_folder())


@pytest.mark.parametrize(("free", "state"), [(10**7, "missing"), (5 * 10**8, "note"), (10**10, "ok")])
def test_little_room_is_told_before_it_is_gone(monkeypatch: pytest.MonkeyPatch, free: int, state: str) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**12, 0, free))
    assert diagnosis.free_space().state == state


@pytest.mark.parametrize("key", ["short", "x" * 60])
def test_a_weak_key_is_named(settings: Settings, key: str) -> None:
    settings.SECRET_KEY = key
    assert "token_urlsafe" in needed(diagnosis.secret_key())


def test_addresses_are_needed_in_production(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = []
    assert "ALLOWED_HOSTS" in needed(diagnosis.addresses())


def test_translations_must_be_compiled_and_up_to_date(folder: Path) -> None:
    texts = folder / "locale" / "zh_Hans" / "LC_MESSAGES"
    texts.mkdir(parents=True)
    (texts / "django.po").write_text("")
    assert needed(diagnosis.translations()) == "Run `make setup`."
    (texts / "django.mo").write_text("")
    assert diagnosis.translations().state == "ok"
    os.utime(texts / "django.mo", (0, 0))
    assert diagnosis.translations().state == "missing"


def test_open_migrations_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_services.MigrationExecutor, "migration_plan", lambda self, targets: ["one", "two"])
    finding = doctor_services.migrations()
    assert (finding.found, finding.remedy) == ("2 not applied", "Run `manage.py migrate`.")


def test_a_missing_redis_is_named_without_its_password(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = f"redis://:open-sesame@127.0.0.1:{free_port()}/0"
    finding = doctor_services.broker()
    assert "Start the broker" in needed(finding)
    assert "open-sesame" not in finding.found


def test_a_running_redis_is_found(settings: Settings, redis_server: str) -> None:
    settings.CELERY_BROKER_URL = redis_server
    assert doctor_services.broker().state == "ok"


def test_a_worker_is_alive_while_the_clock_beats(folder: Path) -> None:
    assert doctor_services.worker().state == "note"
    tasks.reconcile()
    assert doctor_services.worker().state == "ok"
    os.utime(folder / "worker-alive", (0, 0))
    assert "make run" in needed(doctor_services.worker())


def test_a_mail_server_that_does_not_answer_is_named(settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    settings.MAIL_DELIVERY_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    assert "EMAIL_URL" in needed(doctor_services.mail())


def test_a_program_that_only_tests_need_is_never_needed() -> None:
    finding = doctor_programs._program("nothing", "/usr/bin/no-such-program-*", "no-such-package")
    assert (finding.state, "apt-get install no-such-package" in finding.remedy) == ("note", True)


@pytest.mark.parametrize(("days", "state"), [(0, "ok"), (6, "ok"), (7, "note")])
def test_a_restored_backup_that_is_old_is_noted(monkeypatch: pytest.MonkeyPatch, days: int, state: str) -> None:
    made_at = timezone.now() - timedelta(days=days, minutes=1)
    rehearsal = Rehearsal(Path("backups/today.zip"), made_at, rows=40, files=2, checked=12)
    monkeypatch.setattr(diagnosis, "rehearse", lambda _folder: rehearsal)
    found = diagnosis.restored_backup(Path("backups"))
    assert found.state == state
    assert "40 rows and 2 files restored and the same, 12 items and drafts valid" in found.found


def test_a_folder_without_backups_says_how_to_make_one(tmp_path: Path) -> None:
    (tmp_path / "notes.zip").write_text("no archive")
    assert "manage.py backup" in diagnosis.restored_backup(tmp_path).found
    assert "There is no folder" in diagnosis.restored_backup(tmp_path / "nowhere").found


# --- what cannot be asked ---------------------------------------------------------------------------------------------
def test_a_database_that_cannot_be_reached_is_named_wherever_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("unable to open database file\nmore")

    monkeypatch.setattr(diagnosis.connection, "ensure_connection", away)
    findings = [diagnosis.database(), diagnosis.migrations(), diagnosis.write_ahead_log()]
    assert {needed(finding) for finding in findings} == {diagnosis.DATABASE_REMEDY}
    assert findings[0].found == "sqlite: unable to open database file"


def test_a_database_server_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    place = {"HOST": "127.0.0.1", "PORT": str(free_port()), "NAME": "touchstone", "USER": "", "ATOMIC": True}
    monkeypatch.setattr(diagnosis, "connection", SimpleNamespace(vendor="postgresql", settings_dict=place))
    finding = diagnosis.database()
    assert needed(finding) == diagnosis.DATABASE_REMEDY
    assert finding.found.startswith("postgresql: ")
    assert diagnosis.write_ahead_log().found == "kept by postgresql"


def test_a_folder_that_holds_no_write_ahead_log_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a network folder, in which SQLite stays with its rollback journal."""
    with closing(sqlite3.connect(folder / "rows.sqlite3")) as rows:
        database = SimpleNamespace(
            vendor="sqlite", ensure_connection=lambda: None, cursor=lambda: closing(rows.cursor())
        )
        monkeypatch.setattr(diagnosis, "connection", database)
        finding = diagnosis.write_ahead_log()
    assert finding.found == "journal mode is delete"
    assert "local disk" in needed(finding)


@pytest.mark.parametrize(
    ("asked", "examined"),
    [
        ("SearchPending.objects", "search"),
        ("media_faults", "stored_media"),
        ("Endpoint.objects", "simulated_model"),
    ],
)
def test_what_a_database_without_tables_does_not_tell_is_a_note(
    asked: str, examined: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_table(*_arguments: object, **_options: object) -> None:
        raise OperationalError("no such table")

    without_table = no_table if asked == "media_faults" else SimpleNamespace(count=no_table, filter=no_table)
    monkeypatch.setattr(f"annotate.upkeep.diagnosis.{asked}", without_table)
    finding = getattr(diagnosis, examined)()
    assert (finding.state, finding.found) == ("note", "the database cannot be asked")


# --- settings for one person --------------------------------------------------------------------------------------
def test_what_suits_only_one_person_is_noted(settings: Settings) -> None:
    settings.DEBUG = True
    settings.ALLOWED_HOSTS = ["*"]
    assert "leave DEBUG out" in diagnosis.secret_key().remedy
    assert "links in mails be forged" in diagnosis.addresses().remedy


def test_a_mail_server_that_answers_is_well(settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    settings.MAIL_DELIVERY_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert diagnosis.mail() == Diagnosis("mail", "ok", "locmem")
