"""Requests that make something, made repeatable: of several with one key, one is worked, all are answered alike."""

import hashlib
import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.models import ApiToken, Repeatable
from annotate.web.error_pages import Fault, invalid

KEY_KEPT = timedelta(days=1)


class KeyReused(Exception):
    """The key was used for another request."""


class Unfinished(Exception):
    """A request with this key is being worked on, or the process died at it: nobody knows what it has made."""


def begin(token: ApiToken, key: str, digest: str) -> tuple[Repeatable, bool]:
    """The row of this request, and whether it is new: to be worked now and then finished or forgotten.

    digest: of what is asked, so that a key is never taken for two different requests. Raises KeyReused, Unfinished.
    """
    try:
        with transaction.atomic():
            return Repeatable.objects.create(token=token, key=key, digest=digest), True
    except IntegrityError:  # a_key_of_a_client_is_worked_once
        repeatable = Repeatable.objects.filter(token=token, key=key).first()
    if repeatable is None:  # it was refused and forgotten at this very moment
        raise Unfinished
    if repeatable.digest != digest:
        raise KeyReused
    if repeatable.status is None:
        raise Unfinished
    return repeatable, False


def finish(request: Repeatable, *, status: int, body: object) -> None:
    Repeatable.objects.filter(pk=request.pk).update(status=status, body=body)


def forget(request: Repeatable) -> None:
    """Nothing was made: the same key may be tried again."""
    Repeatable.objects.filter(pk=request.pk).delete()


def forget_old() -> int:
    old = Repeatable.objects.filter(created_at__lt=timezone.now() - KEY_KEPT)
    # Asked first: on SQLite even a deletion of nothing waits for its turn to write.
    return old.delete()[0] if old.exists() else 0


# Idempotency-Key: a client that got no answer sends the request again, and nothing is made twice.


HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
KEY = re.compile(r"[A-Za-z0-9_.:-]{1,80}")


def once(request: Request, work: Callable[[], Response]) -> Response:
    """The answer of `work`, or that of an earlier request with the same key. Without a key, `work` is just done.

    A request that is refused makes nothing, so its key stays free. Raises Fault for a key that was used otherwise.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return work()
    if not KEY.fullmatch(key):
        raise invalid(_("A key is up to 80 letters, digits or . _ : -."), HEADER)
    record, is_new = _begin(request, key)
    if not is_new:
        assert record.status is not None
        return Response(record.body, record.status, headers={REPLAYED: "true"})
    try:
        answer = work()
    except BaseException:
        forget(record)
        raise
    finish(record, status=answer.status_code, body=json.loads(JSONRenderer().render(answer.data)))
    return answer


def _begin(request: Request, key: str) -> Any:
    bearer: Any = request.auth
    try:
        return begin(bearer.token, key, _digest(request))
    except KeyReused as reused:
        raise Fault(409, "key_reused", _("This key was already used for another request."), HEADER) from reused
    except Unfinished as unfinished:
        message = _("A request with this key is still in progress.")
        raise Fault(409, "unfinished", message, HEADER) from unfinished


def _digest(request: Request) -> str:
    """Of the address and everything that was sent."""
    whole = hashlib.sha256(f"{request.method} {request.get_full_path()}".encode())
    files = [file for file in request.FILES.values() if isinstance(file, UploadedFile)]
    for file in files:
        whole.update(str(file.name).encode("utf-8", "surrogatepass"))  # it may tell the format
        for piece in file.chunks():
            whole.update(piece)
        file.seek(0)
    if not files:
        whole.update(json.dumps(request.data, sort_keys=True).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()
