"""Database work that outlives a restart of the database."""

import logging
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, connection

from annotate.llm import stopping

PATIENCE = 300.0  # seconds until the fault is passed on
PAUSE = 0.5
Result = TypeVar("Result")
Given = ParamSpec("Given")
log = logging.getLogger(__name__)


def patiently(act: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
    """Do it, again and again while the database is away. What is given must bear being done twice:

    a connection may break when the commit was made, but before anybody has heard of it.
    """
    since = time.monotonic()
    while True:
        try:
            return act(*args, **kwargs)
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() - since > PATIENCE or stopping.patience_is_over():
                raise
            log.warning("The database is away or busy; trying again.", exc_info=True)
            connection.close()
            time.sleep(PAUSE)
