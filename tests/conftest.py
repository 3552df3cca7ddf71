from tests.support.fixtures import (
    browser_page,
    browser_type_launch_args,
    database,
    installations,
    live_installation,
    postgres_server,
    redis_server,
    sqlite_installation,
)

__all__ = [
    "browser_page",
    "browser_type_launch_args",
    "database",
    "installations",
    "live_installation",
    "postgres_server",
    "redis_server",
    "sqlite_installation",
]
