"""A mail backend that sends in a background thread, so that no request waits for a slow or frozen mail server."""

import logging
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from smtplib import SMTPServerDisconnected

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from annotate.circuit_breaker import CircuitBreaker

RESTS = 10.0  # seconds without sending after the server did not answer, so a stop does not wait for each message
UNREACHABLE = (TimeoutError, ConnectionError, socket.gaierror, SMTPServerDisconnected)  # not: a refused address
log = logging.getLogger("annotate.mail")
breaker = CircuitBreaker(RESTS)
# The thread starts with the first message, after the process was forked; the end of the process waits for it.
_sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")


class BackgroundBackend(BaseEmailBackend):
    """Django's mail backend. An undeliverable message is logged and lost; pages show the same information."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        messages = list(email_messages)
        _sender.submit(_deliver, messages)
        return len(messages)


def wait_until_sent() -> None:
    _sender.submit(bool).result()


def _deliver(messages: list[EmailMessage]) -> None:
    if not breaker.allows():
        log.warning("%s messages were not sent: the mail server has just failed", len(messages))
        return
    try:
        with get_connection(settings.MAIL_DELIVERY_BACKEND) as connection:
            connection.send_messages(messages)
    except Exception as fault:  # any error: it can only be logged here
        log.warning("%s messages were not sent: %s", len(messages), fault)
        if isinstance(fault, UNREACHABLE):
            breaker.failed()
            return
    breaker.succeeded()
