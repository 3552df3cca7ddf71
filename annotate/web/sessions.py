"""Django's sessions in the database, read by a prepared statement: each page of a signed-in person reads one."""

from datetime import datetime
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from annotate.prepared import prepared


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Any:
        session = _session.first(key=self.session_key, now=timezone.now())
        if session is None:
            self._session_key = None
        return session


@prepared
def _session(key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)
