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
from tests.support.model_server import model_process, model_server

__all__ = [
    "browser_page",
    "browser_type_launch_args",
    "database",
    "installations",
    "live_installation",
    "model_process",
    "model_server",
    "postgres_server",
    "redis_server",
    "sqlite_installation",
]
