"""Fixtures for everybody. Property tests have a fixed seed and no time limit per example."""

import gc
from collections.abc import Generator
from importlib import import_module
from typing import Any

import pytest
from django.db import connection
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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nearly all that is loaded meanwhile stays, so looking for garbage only costs seconds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones begin first: one that began last would keep a single processor busy to the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """All modules are loaded and stay, so the garbage collector need not look at them: see gunicorn.conf.py."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Tests with committed transactions empty all tables afterwards, which the guards of the audit trail would refuse.

    They are tested in installations of their own (tests/annotate/audit/test_guards.py).
    """
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for statement in import_module("annotate.migrations.0036_audit_trail").REMOVE[connection.vendor]:
            cursor.execute(statement)
