"""Probes for load balancers and supervisors: /healthz says that the process answers, /readyz that it can do its work.

Both are answered before any other middleware: they need no host name, no TLS and no session.
"""

import threading
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from annotate.upkeep import diagnosis
from annotate.upkeep.diagnosis import Diagnosis

Answer = Callable[[HttpRequest], HttpResponse]
READ = ("GET", "HEAD")
FRESH = 2.0  # seconds for which a result is used again, so that a flood of probes opens no flood of connections
# Without its broker a web server still serves everybody: the clock rings later for what waits. So a broker that is down
# is named, but takes no web server out of service.
BROKER = "broker"
CHECKS = (diagnosis.database, diagnosis.data_folder, diagnosis.free_space, diagnosis.broker)


class Readiness:
    """The checks of /readyz. One thread runs them at a time; the others wait for its result."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0
        self._found: list[Diagnosis] = []
        self._is_migrated = False  # once true it stays true: the code of a process does not change

    def checks(self) -> list[Diagnosis]:
        """Results that are at most FRESH seconds old."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._found = self._check()
                self._until = time.monotonic() + FRESH
            return self._found

    def _check(self) -> list[Diagnosis]:
        found = [check() for check in CHECKS]
        if not self._is_migrated and found[0].state != "missing":
            found.append(diagnosis.migrations())
            self._is_migrated = found[-1].state == "ok"
        return found


class Probes:
    """Middleware that answers /healthz with 200 and /readyz with 200 or 503.

    /readyz has {"ready": bool, "checks": {name: "ok" | "note" | "missing"}} as its body. Causes are not in it, because
    anybody may ask; they are in `manage.py doctor`.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self.readiness = Readiness()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in READ:
            return self.get_response(request)
        if request.path == "/healthz":
            return HttpResponse("ok\n", content_type="text/plain")
        if request.path == "/readyz":
            return self._ready()
        return self.get_response(request)

    def _ready(self) -> HttpResponse:
        checks = self.readiness.checks()
        is_ready = all(check.state != "missing" for check in checks if check.name != BROKER)
        body = {"ready": is_ready, "checks": {check.name: check.state for check in checks}}
        return JsonResponse(body, status=200 if is_ready else 503)
