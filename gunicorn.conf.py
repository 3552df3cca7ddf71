"""What holds wherever gunicorn serves this application, which reads this file by itself; the rest is in its command."""

import gc
import os
from typing import Any

worker_class = "config.worker.PatientWorker"
# A process for every core. Many threads in each, for clients that are slow or do not read: four of them compute at a
# time (config/wsgi.py).
workers = int(os.environ.get("WEB_CONCURRENCY") or max(2, os.cpu_count() or 2))
threads = 64
# Seconds a connection may rest: a page and its files share one; the next page may go to a process with less to do.
keepalive = 5

if os.environ.get("LOG_FORMAT", "").lower() == "json":
    _handler = {"class": "logging.StreamHandler", "formatter": "json"}
    _logger = {"level": "INFO", "handlers": ["json"], "propagate": False}
    logconfig_dict = {
        "formatters": {"json": {"()": "lib.log_lines.JsonLine"}},
        "handlers": {"json": _handler},
        "root": {"level": "WARNING", "handlers": ["json"]},
        "loggers": {"gunicorn.error": _logger, "gunicorn.access": _logger},
    }


def post_worker_init(worker: Any) -> None:
    """The application is loaded and stays: the garbage collector need not look at it again, and less often at all.

    A page of work makes some ten thousand short-lived objects; collecting after every 700 of them cost a tenth of it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
