"""What holds wherever gunicorn serves this application, which reads this file by itself; the rest is in its command."""

import gc
import os
from typing import Any

worker_class = "gthread"
# A process for every core. Few threads in each: they are for requests that wait, for a database or a slow reader; many
# that compute take the interpreter from each other, even from one that holds SQLite's lock (8 threads: half the pages).
workers = int(os.environ.get("WEB_CONCURRENCY") or max(2, os.cpu_count() or 2))
threads = 4
# Seconds a connection may rest: a page and its files share one; the next page may go to a process with less to do.
keepalive = 5


def post_worker_init(worker: Any) -> None:
    """The application is loaded and stays: the garbage collector need not look at it again, and less often at all.

    A page of work makes some ten thousand short-lived objects; collecting after every 700 of them cost a tenth of it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
