"""What a database keeps of words beside its tables."""

import time

from django.db import connection

LOOKS = 40
BETWEEN = 0.05  # seconds


def empty_log() -> bool:
    """Empty SQLite's write-ahead file, in which pages stand as they were; whether that succeeded.

    It does as soon as nobody reads or writes for a moment; nobody waits for it. After LOOKS looks it is given up: what
    is written from then on overwrites the file from its beginning. Other databases have no such file.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return False
    for look in range(LOOKS):
        if look:
            time.sleep(BETWEEN)
        if _emptied():
            return True
    return False


def _emptied() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        busy, _pages, _moved = cursor.fetchone()
    return not busy
