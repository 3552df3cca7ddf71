"""Programs that only the tests start, or that only translators need."""

from pathlib import Path

from annotate.services.doctor.findings import Finding, note, ok

REMEDY = "Only for `make test`: as root on Debian it installs this, or run `apt-get install {package}`."


def chromium() -> Finding:
    return _program("chromium", "/usr/bin/chromium", "chromium")


def chinese_fonts() -> Finding:
    return _program("Chinese fonts", "/usr/share/fonts/opentype/noto/NotoSansCJK*", "fonts-noto-cjk")


def postgresql() -> Finding:
    return _program("PostgreSQL server", "/usr/lib/postgresql/*/bin/initdb", "postgresql")


def redis() -> Finding:
    return _program("Redis server", "/usr/bin/redis-server", "redis-server")


def gettext() -> Finding:
    return _program("gettext", "/usr/bin/xgettext", "gettext")


def _program(name: str, pattern: str, package: str) -> Finding:
    paths = sorted(Path("/").glob(pattern.lstrip("/")))
    return ok(name, str(paths[-1])) if paths else note(name, "not installed", REMEDY.format(package=package))
