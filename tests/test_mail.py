import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import mail
from django.core.mail import send_mail

from annotate.circuit_breaker import CircuitBreaker
from config import mail as background

SMTP = "django.core.mail.backends.smtp.EmailBackend"


@pytest.fixture(autouse=True)
def breaker(monkeypatch: pytest.MonkeyPatch, settings: Any) -> CircuitBreaker:
    breaker = CircuitBreaker(rest=3600)
    monkeypatch.setattr(background, "breaker", breaker)
    settings.EMAIL_BACKEND = "config.mail.BackgroundBackend"
    return breaker


@pytest.fixture
def frozen_server(settings: Any) -> Iterator[socket.socket]:
    """It accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.MAIL_DELIVERY_BACKEND = SMTP
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.getsockname()
        yield server


def send() -> int:
    return send_mail("Subject", "Body", None, ["ada@example.org"])


def test_a_message_is_delivered(settings: Any) -> None:
    settings.MAIL_DELIVERY_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert send() == 1
    background.wait_until_sent()
    assert [message.subject for message in mail.outbox] == ["Subject"]


def test_nobody_waits_for_a_mail_server_that_froze(frozen_server: socket.socket, settings: Any) -> None:
    settings.EMAIL_TIMEOUT = None  # it would wait until the connection ends
    assert send() == 1  # the connection is still open
    connection, _address = frozen_server.accept()
    connection.close()
    background.wait_until_sent()


def test_after_a_failure_messages_are_dropped_and_logged_for_a_while(
    frozen_server: socket.socket, breaker: CircuitBreaker, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_TIMEOUT = 0.1
    for _number in range(3):
        send()
    background.wait_until_sent()
    assert [record.message for record in caplog.records] == [
        "1 messages were not sent: Connection unexpectedly closed: timed out",
        "1 messages were not sent: the mail server has just failed",
        "1 messages were not sent: the mail server has just failed",
    ]
    breaker.rest = 0
    settings.MAIL_DELIVERY_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    send()
    background.wait_until_sent()
    assert len(mail.outbox) == 1


def test_the_mail_of_an_installation_leaves_in_the_background(settings: Any) -> None:
    from config import settings as configured

    assert configured.EMAIL_BACKEND == "config.mail.BackgroundBackend"
    assert configured.MAIL_DELIVERY_BACKEND.startswith("django.core.mail.backends.")
    assert configured.EMAIL_TIMEOUT == 10
