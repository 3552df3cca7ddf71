"""Typed readers of the environment that fail loudly: a wrong value names the variable and the remedy."""

import os
import re
import secrets
import stat
from contextlib import suppress
from itertools import chain
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()
KEPT_KEY = "secret-key"
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LOG_FORMATS = ("line", "json")
# The names that this program creates in the data folder; anything else there is left alone.
OURS = (
    *(KEPT_KEY, "*.sqlite3*", "beat-schedule*", "broker", "demo-password", "files", "incoming", "restoring", "static"),
    *("supervisord.pid", "worker-alive*", "simulated-model*"),
)
ORIGIN = re.compile(r"https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?")


def data_folder(default: Path) -> Path:
    """The folder for everything that is written. Raises ImproperlyConfigured where it cannot be written."""
    folder = Path(env.str("DATA_DIR", default=str(default))).expanduser().resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        close_to_others(folder)
    except OSError as fault:
        raise ImproperlyConfigured(f"DATA_DIR {folder} cannot be created: {fault.strerror}. Name another.") from fault
    if not os.access(folder, os.W_OK):
        raise ImproperlyConfigured(
            f"DATA_DIR {folder} cannot be written. Give this account the right, or name another."
        )
    return folder


def close_to_others(folder: Path) -> None:
    """Remove other accounts' rights from a data folder that was made with them; another owner's folder is not changed.

    A folder that accounts share (its sticky bit is set) is never treated as our own, even if DATA_DIR names it.
    """
    status = folder.stat()
    if status.st_uid != os.getuid() or not status.st_mode & 0o077 or status.st_mode & stat.S_ISVTX:
        return
    folder.chmod(0o700)
    for path in chain.from_iterable(folder.glob(name) for name in OURS):
        for inner in (path, *path.rglob("*")):
            _take_from_others(inner)


def _take_from_others(path: Path) -> None:
    with suppress(FileNotFoundError):  # other processes may remove files at the same time
        status = path.lstat()
        if not stat.S_ISLNK(status.st_mode) and status.st_uid == os.getuid():
            path.chmod(stat.S_IMODE(status.st_mode) & 0o700)


def secret_key(*, debug: bool, folder: Path) -> str:
    """SECRET_KEY from the environment, else the random key that `make run` or DEBUG once put into the data folder.

    Raises ImproperlyConfigured where there is neither, unless DEBUG is on.
    """
    key = env.str("SECRET_KEY", default="")
    if key:
        return key
    key_path = folder / KEPT_KEY
    if not debug and not key_path.exists():
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. Set it to a long random text, for instance the output of "
            "`python -c 'import secrets; print(secrets.token_urlsafe(50))'`, "
            "set DEBUG=true on your own machine, or use `make run` once."
        )
    return kept_key(key_path)


def kept_key(path: Path) -> str:
    """The random key in that file; the file is made if it is missing."""
    try:
        with path.open("x") as file:
            path.chmod(0o600)
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    key = path.read_text().strip()
    # Another process may have made the file a moment ago and not written it yet.
    return key or _kept_key_after_race(path)


def _kept_key_after_race(path: Path) -> str:
    path.unlink(missing_ok=True)
    return kept_key(path)


def whole_number(name: str, default: int, least: int = 0) -> int:
    """An integer setting; raises ImproperlyConfigured naming the variable."""
    text = env.str(name, default=str(default))
    try:
        value = int(text)
    except ValueError as fault:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {text!r}.") from fault
    if value < least:
        raise ImproperlyConfigured(f"{name} must be at least {least}, not {value}.")
    return value


def log_level(name: str, default: str) -> str:
    """The lowest log level that is written; raises ImproperlyConfigured naming the variable."""
    level = env.str(name, default=default).upper()
    if level not in LEVELS:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(LEVELS)}, not {level!r}.")
    return level


def log_format(name: str) -> str:
    """ "line" for people or "json" for programs; raises ImproperlyConfigured naming the variable."""
    written = env.str(name, default=LOG_FORMATS[0]).lower()
    if written not in LOG_FORMATS:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(LOG_FORMATS)}, not {written!r}.")
    return written


def origins(name: str) -> list[str]:
    """Origins (scheme, host, port) that the server may call; raises ImproperlyConfigured naming the variable.

    MODEL_ORIGINS: origins of models that are entered in the browser. WEBHOOK_ORIGINS: origins of webhooks.
    """
    entries = [text.strip().rstrip("/").lower() for text in env.list(name, default=[]) if text.strip()]
    wrong = [origin for origin in entries if not ORIGIN.fullmatch(origin)]
    if wrong:
        raise ImproperlyConfigured(
            f"{name} holds {wrong[0]!r}. Write scheme, host and port only, separated by commas, "
            "such as https://models.example.org,http://127.0.0.1:8001."
        )
    return entries
