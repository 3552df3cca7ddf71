"""Figures of boards as background jobs: asked for by the first page that misses them, computed once by a worker.

The worker visits the page as the person who asked, so it computes what the page shows, and access is the page's own.
What it computed is remembered as files (judging/results.py), with which the page is then made at once. A worker that
is killed loses its lease; the next one finds the results that were ready by then.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial
from hashlib import sha256
from math import inf
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import OperationalError, transaction
from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponseBase, QueryDict
from django.urls import resolve
from django.utils import timezone
from django_htmx.middleware import HtmxDetails

from annotate import bell
from annotate.engine.chores import Leases, Parts
from annotate.models import Project, User
from judging import patience, results
from judging.models import BoardComputation
from lib import progress

State = BoardComputation.State
DEATHS = 3  # workers that may die at the same figures
HEARTBEAT = 1.0  # seconds between two stored steps of the progress
leases = Leases(
    BoardComputation,
    Q(state=State.WAITING),
    timedelta(minutes=5),  # longer than a phase without progress
    related=("project", "asked_by"),
    on_claim={"attempts": F("attempts") + 1},
    on_put_back={"attempts": F("attempts") - 1},  # this counts as no death
)


def ask(project: Project, board: str, options: str, *, address: str, missing: str, by: User) -> BoardComputation:
    """Have a worker compute the figures of these options, once however often it is asked for.

    missing: the cache key of what the page missed. Figures that were stopped or failed wait for a person, unless the
    data have changed since. Figures that a worker is at are left to it.
    """
    identity = {"project": project, "board": board, "options": _digest(options)}
    columns = {"address": address, "missing": _digest(missing), "asked_by": by, "asked_at": timezone.now()}
    computation, is_new = BoardComputation.objects.get_or_create(**identity, defaults=columns)
    given_up = computation.state in (State.STOPPED, State.FAILED) and computation.missing == columns["missing"]
    if is_new:
        bell.ring("compute_board", computation.pk)
    elif computation.state != State.WAITING and not given_up:
        _begin(computation, **columns)
    return computation


def again(computation: BoardComputation, *, by: User) -> None:
    """Compute figures that were stopped or failed; nothing happens if a worker is at them."""
    _begin(computation, asked_by=by, asked_at=timezone.now())


def _begin(computation: BoardComputation, **columns: Any) -> None:
    columns |= {"state": State.WAITING, "attempts": 0, "phase": "", "done": 0, "total": 0}
    columns |= {"token": None, "lease_until": None}
    with transaction.atomic():
        if _change(computation, ~leases.unfinished, columns):
            bell.ring("compute_board", computation.pk)


def stop(computation: BoardComputation) -> None:
    """The worker notices it at its next step."""
    _change(computation, leases.unfinished, {"state": State.STOPPED, "token": None, "lease_until": None})


def fail(computation: BoardComputation) -> None:
    leases.keep(computation, state=State.FAILED)


def _change(computation: BoardComputation, condition: Q, columns: Mapping[str, Any]) -> int:
    rows = BoardComputation.objects.filter(condition, pk=computation.pk).update(**columns)
    computation.refresh_from_db()
    return rows


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# The job.


def parts(computation: BoardComputation) -> Parts:
    """Compute the figures. Raises LeaseLost at the next step once it is stopped."""
    if computation.attempts > DEATHS or computation.asked_by is None:
        fail(computation)
        return
    began = time.monotonic()
    with progress.heard_by(partial(_Heartbeat().store, computation)), results.recorded() as used:
        is_shown = _visit(computation, computation.asked_by)
    state = State.DONE if is_shown else State.FAILED
    seconds, superseded = time.monotonic() - began, computation.results
    columns = {"results": used, "seconds": seconds, "computed_at": timezone.now()} if is_shown else {}
    leases.keep(computation, state=state, **columns)
    if is_shown:
        results.forget(_keys(superseded) - _keys(used))
    yield from ()


def _keys(used: results.Keys) -> set[str]:
    return {key for name_keys in used.values() for key in name_keys}


class _Heartbeat:
    """Stores the progress, which extends the lease, about once a second."""

    def __init__(self) -> None:
        self.stored_at = 0.0

    def store(self, computation: BoardComputation, phase: str, done: int, total: int) -> None:
        if time.monotonic() - self.stored_at < HEARTBEAT:
            return
        self.stored_at = time.monotonic()
        with suppress(OperationalError):  # SQLite stores nothing while a read is open that is older than another write
            leases.keep(computation, phase=phase, done=done, total=total)


def _visit(computation: BoardComputation, user: User) -> bool:
    """Make the page as this person sees it; False if they do not see it any more."""
    with patience.waiting(computation.project, inf):
        try:
            return _answer(computation.address, user).status_code == 200
        except (Http404, PermissionDenied):
            return False


def _answer(address: str, user: User) -> HttpResponseBase:
    path, _mark, query = address.partition("?")
    request = HttpRequest()
    request.method, request.path, request.path_info, request.user = "GET", path, path, user
    request.META = {"QUERY_STRING": query, "SERVER_NAME": "localhost", "SERVER_PORT": "80"}
    request.GET = QueryDict(query)
    request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]  # as its middleware does
    match = resolve(path)
    answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
    return answer
