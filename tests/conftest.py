"""Fixtures for everybody. Property tests have a fixed seed and no time limit per example."""

import gc

from hypothesis import settings

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

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
gc.disable()  # while modules are loaded and tests collected: nearly all of it stays


def pytest_collection_finish() -> None:
    """All modules are loaded and stay, so the garbage collector need not look at them: see gunicorn.conf.py."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
