"""Sessions that are read by a prepared statement are Django's sessions."""

from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore as Django
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotate.web.sessions import SessionStore

pytestmark = pytest.mark.django_db


def test_what_django_stores_is_read() -> None:
    stored = Django()
    stored["name"] = "ana"
    stored.create()
    assert SessionStore(stored.session_key)["name"] == "ana"


def test_an_expired_or_unknown_session_is_empty_and_loses_its_key() -> None:
    stored = Django()
    stored["name"] = "ana"
    stored.create()
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    for key in (stored.session_key, "z" * 32):
        session = SessionStore(key)
        assert session.get("name") is None
        assert session.session_key is None
