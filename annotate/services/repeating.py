"""Requests that make something, made repeatable: of several with one key, one is worked, all are answered alike."""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.models import ApiToken, Repeatable

KEPT = timedelta(days=1)


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
    old = Repeatable.objects.filter(created_at__lt=timezone.now() - KEPT)
    # Asked first: on SQLite even a deletion of nothing waits for its turn to write.
    return old.delete()[0] if old.exists() else 0
