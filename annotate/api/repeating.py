"""Idempotency-Key: a client that got no answer sends the request again, and nothing is made twice."""

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.errors import Fault, invalid
from annotate.services import repeating

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
        raise invalid(_("Up to 80 letters, digits and . _ : - are a key."), HEADER)
    record, is_new = _begin(request, key)
    if not is_new:
        assert record.status is not None
        return Response(record.body, record.status, headers={REPLAYED: "true"})
    try:
        answer = work()
    except BaseException:
        repeating.forget(record)
        raise
    repeating.finish(record, status=answer.status_code, body=json.loads(JSONRenderer().render(answer.data)))
    return answer


def _begin(request: Request, key: str) -> Any:
    bearer: Any = request.auth
    try:
        return repeating.begin(bearer.token, key, _digest(request))
    except repeating.KeyReused as reused:
        raise Fault(409, "key_reused", _("This key was used for another request."), HEADER) from reused
    except repeating.Unfinished as unfinished:
        message = _("A request with this key has begun and has not ended.")
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
