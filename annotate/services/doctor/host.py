"""This machine and this folder: Python, room for files, keys, what the set-up made."""

import shutil
import sys
import tempfile
from pathlib import Path

from django.conf import settings

from annotate.services.doctor.findings import Finding, missing, note, ok

OLDEST_PYTHON = (3, 11)
LEAST_MB, COMFORTABLE_MB = 100, 1000
SHORT_KEY = 40


def python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        return missing("python", version, "Install Python 3.11 or newer, remove .venv, then run `make setup`.")
    return ok("python", version)


def data_folder() -> Finding:
    folder = Path(settings.DATA_DIR)
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x" * 4096)
    except OSError as fault:
        remedy = "Give this account the right to write there, make room, or name another folder in DATA_DIR."
        return missing("data folder", f"{folder}: {fault.strerror}", remedy)
    return ok("data folder", str(folder))


def free_space() -> Finding:
    free = shutil.disk_usage(settings.DATA_DIR).free // 1_000_000
    detail = f"{free:,} MB free in {settings.DATA_DIR}"
    if free < LEAST_MB:
        return missing("free space", detail, "Remove files, or move DATA_DIR to a larger disk.")
    if free < COMFORTABLE_MB:
        return note("free space", detail, "Enough to work; large imports and releases will need more.")
    return ok("free space", detail)


def secret_key() -> Finding:
    """Without any key the settings refuse to load, so this asks only whether it is a good one."""
    if settings.DEBUG:
        return note("secret key", "DEBUG is on", "For people other than you: set SECRET_KEY and leave DEBUG out.")
    if len(settings.SECRET_KEY) < SHORT_KEY or len(set(settings.SECRET_KEY)) < 10:
        remedy = "Set SECRET_KEY to a long random text: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        return missing("secret key", "too short or too plain", remedy)
    return ok("secret key", "set")


def addresses() -> Finding:
    hosts = ", ".join(settings.ALLOWED_HOSTS) or "none"
    if not settings.ALLOWED_HOSTS and not settings.DEBUG:
        return missing("addresses", hosts, "Name the hosts under which people reach this in ALLOWED_HOSTS.")
    if "*" in settings.ALLOWED_HOSTS:
        return note("addresses", hosts, "Name the hosts in ALLOWED_HOSTS; * lets links in mails be forged.")
    return ok("addresses", hosts)


def static_files() -> Finding:
    if settings.DEBUG or (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
        return ok("static files", "collected" if not settings.DEBUG else "served from their sources")
    return missing("static files", "not collected", "Run `manage.py collectstatic --noinput`.")


def translations() -> Finding:
    sources = [source for folder in settings.LOCALE_PATHS for source in Path(folder).glob("*/LC_MESSAGES/*.po")]
    stale = [source.parent.parent.name for source in sources if _is_stale(source)]
    if stale:
        return missing("translations", f"not compiled: {', '.join(stale)}", "Run `make setup`.")
    return ok("translations", ", ".join(source.parent.parent.name for source in sources) or "English only")


def _is_stale(source: Path) -> bool:
    compiled = source.with_suffix(".mo")
    return not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime
