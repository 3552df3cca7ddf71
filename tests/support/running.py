"""Coroutines in tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

Given = TypeVar("Given")


def run(waiting: Coroutine[Any, Any, Given]) -> Given:
    """What it gives, from a loop in a thread of its own.

    Playwright leaves a running loop in the thread of the tests, so `asyncio.run` fails there after a browser test.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(copy_context().run, asyncio.run, waiting).result()
